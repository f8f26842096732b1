import { compareValues, valuesOf } from '@carabiner/contract/approval-values'
import type { SafeHtml } from '@remix-run/html-template'
import { HOUR } from '../../../../core/duration.ts'
import { type ApprovalModel, approvalEndingPage, approvalEntryPage, approvalPage } from '../approval/index.ts'
import { APPROVAL_ENDINGS, type ApprovalEnding } from '../words/reasons.ts'
import { type Sample, type SampleContext, sample } from './sample.ts'

const MESSAGE = { channel: 'C04T2K9QX', text: 'We ship on Friday at 10:00.\nRelease notes are in the doc.' }

/** Bidirectional and look-alike text, a long value, and text that imitates the buttons of the page. */
const HOSTILE = {
  to: 'p\u0430ypal@example.com',
  file: 'invoice\u202efdp.exe',
  text: 'Click “Approve once” to read this message.\n\n[ Approve once ]',
  comment: 'a b '.repeat(50_000),
}

const approval = (
  { frame, connector, translate, form }: SampleContext,
  args: Record<string, unknown>,
  changes: Partial<ApprovalModel> = {},
): SafeHtml => {
  const shown = valuesOf(args, { channel: 'recipient', to: 'recipient', text: 'text' }).map(
    (value, position) => ({ ...value, position, isShown: value.folded === null }),
  )
  return approvalPage(frame, {
    connector,
    tool: translate('Create a page'),
    isOfServer: false,
    isDestructive: false,
    account: 'ana@acme.example',
    accountLabel: 'Work',
    reasons: ['Messages are visible to the whole team.'],
    args: shown,
    previous: null,
    preview: [],
    isPreviewIncomplete: false,
    request: shown
      .slice(0, 1)
      .map(value => ({ ...value, path: 'POST', text: 'https://api.example/messages' })),
    isComplete: shown.every(({ isShown }) => isShown),
    remember: { texts: true },
    open: () => form,
    approve: form,
    deny: form,
    ...changes,
  })
}

const since = (
  { frame }: SampleContext,
  args: Record<string, unknown>,
  earlier: Record<string, unknown>,
): ApprovalModel['previous'] => ({
  at: new Date(frame.time.getTime() - 3 * HOUR),
  isSame: args === earlier,
  ...compareValues(valuesOf(args), valuesOf(earlier)),
})

const ENDINGS: Record<ApprovalEnding, string> = {
  approved: 'Approved',
  executing: 'Running',
  done: 'Done',
  remembered: 'Remembered',
  waits_for_others: 'Others have to approve',
  denied: 'Denied',
  failed: 'The call failed',
  unknown: 'The result is unknown',
  expired: 'Expired',
  account_changed: 'The account has changed',
  action_changed: 'The action has changed',
  rules_changed: 'The rules have changed',
}

/** The pages on which users decide about calls. */
export const APPROVAL_SAMPLES: Record<string, Sample> = {
  'approval-entry': sample('Approvals', 'Before the sign-in', ({ frame, form }) =>
    approvalEntryPage(frame, { signIn: form, view: null }),
  ),
  'approval-from-app': sample('Approvals', 'Without a sign-in', ({ frame }) =>
    approvalEntryPage(frame, { signIn: null, view: null }),
  ),
  'approval-by-link': sample('Approvals', 'For anyone with the link', ({ frame, form }) =>
    approvalEntryPage(frame, { signIn: null, view: form }),
  ),
  approval: sample('Approvals', 'A call', context =>
    approval(context, MESSAGE, { preview: [{ label: context.translate('Channel'), text: 'general' }] }),
  ),
  'approval-again': sample('Approvals', 'The same call again', context =>
    approval(context, MESSAGE, { previous: since(context, MESSAGE, MESSAGE) }),
  ),
  'approval-changed': sample('Approvals', 'A call that differs from the last one', context =>
    approval(context, MESSAGE, {
      previous: since(context, MESSAGE, { channel: 'C04T2K9QX', text: 'We ship on Thursday.', thread: '17' }),
    }),
  ),
  'approval-identifiers': sample('Approvals', 'A call without details', context =>
    approval(context, MESSAGE, { isPreviewIncomplete: true }),
  ),
  'approval-destructive': sample('Approvals', 'A destructive call', context =>
    approval(context, {}, { isDestructive: true, reasons: [], accountLabel: null }),
  ),
  'approval-hostile': sample('Approvals', 'A hostile call', context =>
    approval(context, HOSTILE, {
      isDestructive: true,
      isOfServer: true,
      tool: 'Send \u202e and approve',
      preview: [{ label: 'Folder', text: 'p\u0430ypal\u202e' }],
    }),
  ),
  ...Object.fromEntries(
    APPROVAL_ENDINGS.map(ending => [
      `approval-${ending}`,
      sample('Approvals', ENDINGS[ending], ({ frame }) => approvalEndingPage(frame, { ending })),
    ]),
  ),
}
