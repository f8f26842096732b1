import type { ApprovalCall, ApprovalStatus, ApprovalVoidReason } from '@carabiner/contract'
import { type ApprovalValue, compareValues, foldingOf, valuesOf } from '@carabiner/contract/approval-values'
import type { Mode } from '../../core/mode.ts'
import { isRefusal } from '../../core/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { type Rememberable, rememberable } from '../approvals/grants.ts'
import { type OpenedCall, openCall, readPreviousCall, shownCall } from '../approvals/read-call.ts'
import type { Connectors } from '../connectors/availability.ts'
import { connectorDisplay } from '../link/pages/session-page.ts'
import { type OwnedPageContext, translatorFor } from '../pages/page-response.ts'
import type { ApprovalModel, ShownValue } from '../pages/views/approval/index.ts'
import type { ApprovalEnding } from '../pages/views/index.ts'
import type { ShownApproval, Visit } from './visit-store.ts'

type CallDeps = { db: Database; vault: Vault }
type Deps = CallDeps & { connectors: Connectors }
type Of = { organizationId: string; mode: Mode; id: string }

const REMEMBERED: readonly ApprovalStatus[] = ['approved', 'executing', 'done']

const VOID_ENDINGS: Record<ApprovalVoidReason, ApprovalEnding> = {
  account_relinked: 'account_changed',
  account_unshared: 'account_changed',
  account_removed: 'account_changed',
  tool_changed: 'action_changed',
  preview_changed: 'action_changed',
  policy_changed: 'rules_changed',
  user_deactivated: 'expired',
  approver_removed: 'rules_changed',
  sign_in_changed: 'rules_changed',
}

/** Why there is nothing to decide for this user. Null: the user can decide. */
export const endingOf = ({
  status,
  voidReason,
  hasApproved,
  isRemembered,
}: ShownApproval): ApprovalEnding | null => {
  if (isRemembered && REMEMBERED.includes(status)) return 'remembered'
  switch (status) {
    case 'pending':
    case 'confirming':
      return hasApproved ? 'waits_for_others' : null
    case 'withdrawn':
      return 'expired'
    case 'void':
      return VOID_ENDINGS[voidReason ?? 'approver_removed']
    case 'approved':
    case 'executing':
    case 'done':
    case 'failed':
    case 'unknown':
    case 'denied':
    case 'expired':
      return status
  }
}

/** The call, its values and those of its request, and whether the person has opened every argument. */
export const readShownCall = async (
  deps: CallDeps,
  of: Of,
  { opened: positions, registeredUserId, byLink }: Visit,
): Promise<{
  opened: OpenedCall
  call: ReturnType<typeof shownCall>
  args: ShownValue[]
  request: ShownValue[]
  isComplete: boolean
  remember: Rememberable | null
}> => {
  const opened = await openCall(deps, of)
  const call = shownCall(opened)
  const args = valuesOf(call.arguments, call.roles)
  const values = [...args, ...requestValues(call.request)].map((value, position) => ({
    ...value,
    position,
    isShown: value.folded === null || positions.includes(position),
  }))
  const shownArgs = values.slice(0, args.length)
  return {
    opened,
    call,
    args: shownArgs,
    request: values.slice(args.length),
    isComplete: shownArgs.every(({ isShown }) => isShown),
    remember: byLink ? null : rememberable(opened, registeredUserId),
  }
}

const requestValues = ({ method, url, headers, body }: ApprovalCall['request']): ApprovalValue[] =>
  Object.entries({ [method]: url, ...headers, ...(body !== null && { Body: body }) }).map(([path, text]) => ({
    path,
    kind: 'text',
    text,
    role: null,
    folded: foldingOf(text),
  }))

/** Null: the call was deleted. */
export const readCallModel = async (
  deps: Deps,
  context: OwnedPageContext,
  { organizationId, approvalId: id, mode, connectorSlug, accountLabel, rules }: ShownApproval,
  visit: Visit,
): Promise<Omit<ApprovalModel, 'open' | 'approve' | 'deny'> | null> => {
  const of = { organizationId, mode, id }
  const shown = await readShownCall(deps, of, visit).catch(noCall)
  if (!shown) return null
  const previous = await readPreviousCall(deps, of, shown.opened, visit.registeredUserId)
  const { call, args, request, isComplete, remember } = shown
  const translate = translatorFor(context, deps.connectors)
  const connector = await deps.connectors.find(organizationId, connectorSlug)
  return {
    connector: connector
      ? connectorDisplay(connector, translate)
      : { ...REMOVED, slug: connectorSlug, name: call.connector_name },
    tool: call.is_of_mcp_server ? call.tool_title : translate(call.tool_title),
    isOfServer: call.is_of_mcp_server,
    isDestructive: call.is_destructive,
    account: call.account,
    accountLabel,
    reasons: rules.flatMap(({ reason }) => (reason === null ? [] : [reason])),
    args,
    previous: previous && {
      at: new Date(previous.carried_out_at),
      isSame: previous.is_same,
      ...compareValues(args, valuesOf(previous.arguments, call.roles)),
    },
    preview: call.preview.flatMap(({ fields }) =>
      fields.map(({ label, text }) => ({ label: translate(label), text })),
    ),
    isPreviewIncomplete: call.preview.some(({ is_loaded: isLoaded }) => !isLoaded),
    request,
    isComplete,
    remember,
  }
}

/** The connector was removed since the call. */
const REMOVED = {
  summary: '',
  categories: [],
  letters: null,
  tint: null,
  logo: null,
  linkedBy: 'sign_in' as const,
}

const noCall = (error: unknown): null => {
  if (isRefusal(error)) return null
  throw error
}
