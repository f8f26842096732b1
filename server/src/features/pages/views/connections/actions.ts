import { html, type SafeHtml } from '@remix-run/html-template'
import { marked, plainText } from '../connector-text.ts'
import { type IconName, icon } from '../icons.ts'
import { hiddenFields } from '../layout.ts'
import type { FormTarget, KnownFrame } from '../model.ts'
import { around, time } from '../time.ts'
import { ownPath } from '../vetted-href.ts'
import { inline, type Sentence } from '../words/sentence.ts'
import type { AskedAction, DecidedAction, PendingAction, RememberedAction } from './model.ts'

type Actions = { pending: PendingAction[]; decided: DecidedAction[]; grants: RememberedAction[] }

/** Requests that wait, actions that are remembered, and the latest decisions. Nothing is approved here, because the assistant can open this page. */
export const actionSections = (frame: KnownFrame, { pending, decided, grants }: Actions): SafeHtml => {
  const { connections: words } = frame.words
  const waiting = pending.map(action =>
    item('clock', action, [time(frame, action.since, 'moment')], {
      form: action.deny,
      label: words.refuse(plainText(action.title)),
    }),
  )
  const remembered = grants.map(action => {
    const until = around(words.rememberedUntil(''), time(frame, action.until, 'moment'))
    const left = inline(words.usesLeft(String(action.left)))
    return item('check', action, action.anyText ? [until, left, inline(words.anyText)] : [until, left], {
      form: action.revoke,
      label: words.askAgain(plainText(action.title)),
    })
  })
  const decisions = decided.map(action =>
    item(action.decision === 'approve' ? 'check' : 'close', action, [
      inline(words.decision[action.decision]),
      time(frame, action.at, 'moment'),
    ]),
  )
  return html`${section(words.pending, waiting, words.pendingLead(frame.organization.name))}
${section(words.remembered, remembered)}
${section(words.decisions, decisions)}`
}

const section = (title: Sentence, items: SafeHtml[], lead: Sentence | null = null): SafeHtml | null =>
  items.length === 0
    ? null
    : html`<section class="permissions activity"><h2>${inline(title)}</h2>
<ul>${items}</ul>${lead === null ? null : html`<p>${inline(lead)}</p>`}</section>`

const item = (
  name: IconName,
  { connector, title, accountLabel }: AskedAction,
  details: SafeHtml[],
  change: { form: FormTarget; label: Sentence } | null = null,
): SafeHtml =>
  html`<li>${icon(name)}<div><bdi>${connector}</bdi>: ${marked(title)}<small>${
    accountLabel === null ? null : html`<bdi>${accountLabel}</bdi> · `
  }${details.map((detail, i) => html`${i === 0 ? null : ' · '}${detail}`)}</small>${
    change === null
      ? null
      : html`<form method="post" action="${ownPath(change.form.action)}">${hiddenFields(change.form)}<button class="link">${inline(change.label)}</button></form>`
  }</div></li>`
