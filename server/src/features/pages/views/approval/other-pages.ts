import { html, type SafeHtml } from '@remix-run/html-template'
import { badge, ending, type Tone } from '../ending-page.ts'
import { type IconName, icon } from '../icons.ts'
import { endingBar, heading, hiddenFields, note, page } from '../layout.ts'
import type { FormTarget, KnownFrame } from '../model.ts'
import { appHref, ownPath } from '../vetted-href.ts'
import type { ApprovalEnding } from '../words/reasons.ts'
import { inline, type Sentence } from '../words/sentence.ts'
import type { ApprovalEndingModel, ApprovalEntryModel } from './model.ts'

/** Names the organization and nothing about the call, because whoever has made the call knows the address of this page. */
export function approvalEntryPage(frame: KnownFrame, { signIn, view }: ApprovalEntryModel): SafeHtml {
  const { entry } = frame.words.approval
  const organization = frame.organization.name
  return page(frame, {
    title: entry.title,
    bar: endingBar(frame),
    main: html`${badge(null, 'calm', 'hand')}
${heading(entry.title)}
<p class="lead">${inline(entry.lead(organization))}</p>
${
  view
    ? button(view, entry.view)
    : signIn
      ? html`${note('trust', 'lock', entry.again)}
${button(signIn, entry.signIn)}`
      : note('info', 'window', entry.fromApp(organization))
}`,
    foot: null,
  })
}

const button = (target: FormTarget, text: Sentence): SafeHtml =>
  html`<div class="actions"><form method="post" action="${ownPath(target.action)}">${hiddenFields(target)}<button class="button primary"><span>${inline(text)}</span>${icon('forward')}</button></form></div>`

const PICTURES: Record<ApprovalEnding, [Tone, IconName]> = {
  approved: ['good', 'check'],
  executing: ['good', 'check'],
  done: ['good', 'check'],
  remembered: ['good', 'check'],
  waits_for_others: ['calm', 'clock'],
  denied: ['calm', 'close'],
  failed: ['bad', 'bang'],
  unknown: ['warn', 'bang'],
  expired: ['calm', 'clock'],
  account_changed: ['calm', 'clock'],
  action_changed: ['calm', 'clock'],
  rules_changed: ['calm', 'clock'],
}

/** What has become of the approval. */
export const approvalEndingPage = (
  frame: KnownFrame,
  { ending: reason, appHref: href }: ApprovalEndingModel,
): SafeHtml => {
  const { title, lead } = frame.words.approval.endings[reason]
  const target = href === undefined ? null : appHref(href)
  return ending(frame, {
    picture: badge(null, ...PICTURES[reason]),
    title,
    lead: [lead(frame.organization.name)],
    receipt: [],
    button: target && { href: target, text: frame.words.returning.button },
    close: target ? null : frame.words.done,
    ...(target && { refresh: target }),
  })
}
