import type { AsksFor } from '@carabiner/contract'
import { html, type SafeHtml } from '@remix-run/html-template'
import { isolated } from '../connector-text.ts'
import { badge, type Tone } from '../ending-page.ts'
import { formTexts } from '../form-texts.ts'
import { type IconName, icon } from '../icons.ts'
import { heading, hiddenFields, note, page, subpageBar } from '../layout.ts'
import type { ConnectionState, FormTarget, Frame, KnownFrame } from '../model.ts'
import { reconnectNote } from '../reconnect-note.ts'
import { around, nearTime, time } from '../time.ts'
import { ownPath } from '../vetted-href.ts'
import { inline, type Sentence, say } from '../words/sentence.ts'
import type { ConnectionCall, ConnectionDetail } from './model.ts'

export type ConnectionModel = {
  connection: ConnectionDetail
  backHref: string
  /** Null if the account cannot be connected again from this page. */
  reconnect: FormTarget | null
  /** Adds another account; null if that is not possible from this page. */
  add: FormTarget | null
  /** Changes the label; null if the user has only this account of the connector. */
  rename: FormTarget | null
  /** The submitted label is invalid, or another account has it. */
  rejectedLabel: string | null
  /** The form that replaces what the user has entered; null if nothing can be replaced. */
  replace: { asksFor: AsksFor; href: string } | null
  /** It has just been replaced. */
  wasReplaced: boolean
  pause: FormTarget
  resume: FormTarget
  disconnectHref: string
}

const BADGES: Record<ConnectionState, [Tone, IconName]> = {
  active: ['good', 'check'],
  at_risk: ['warn', 'bang'],
  needs_reauth: ['warn', 'bang'],
  paused: ['calm', 'pause'],
}

/** One connection: its state, the assistant's recent calls, and the actions of its user. */
export function connectionPage(frame: KnownFrame, model: ConnectionModel): SafeHtml {
  const { words } = frame
  const { connection, backHref } = model
  const { connector, account, label, state, since } = connection
  const { status, since: sinceTerm, state: states } = words.connections
  const title = say`${connector.name}`
  return page(frame, {
    title,
    bar: subpageBar(frame, backHref),
    main: html`${badge(connector, ...BADGES[state])}
${heading(title)}
<dl class="receipt facts">${label === null || label === account ? null : fact(words.connections.label, inline(say`${label}`))}${account === null ? null : fact(words.receipt.account, inline(say`${account}`))}${fact(status, inline(states[state]))}${fact(sinceTerm, time(frame, since, 'date'))}</dl>
${model.wasReplaced ? note('info', 'check', words.apiKey.replaced) : null}
${stateNote(frame, model)}
${renameForm(frame, model)}
${activity(frame, connection.calls)}
<div class="actions">${actions(frame, model)}</div>`,
    foot: null,
  })
}

const fact = (term: Sentence, text: SafeHtml): SafeHtml =>
  html`<div><dt>${inline(term)}</dt><dd>${text}</dd></div>
`

/** Between two sentences. */
const gap = ({ words }: Frame): string => (words.language === 'ja' ? '' : ' ')

function stateNote(frame: KnownFrame, { connection, reconnect }: ConnectionModel): SafeHtml | null {
  const { connector, state, pausedUntil, reconnectReason } = connection
  const { pausedUntil: until, pausedLead, needsReauth, reconnectElsewhere } = frame.words.connections
  const organization = frame.organization.name
  if (state === 'paused' && pausedUntil !== null)
    return html`<p class="note info">${icon('pause')}<span>${around(until(''), nearTime(frame, pausedUntil))}${gap(frame)}${inline(pausedLead(organization))}</span></p>`
  if (state === 'at_risk') return reconnectNote(frame, connector, reconnectReason ?? null)
  if (state === 'needs_reauth')
    return html`<p class="note warn">${icon('alert')}<span>${inline(needsReauth(connector.name))}${reconnect === null ? html`${gap(frame)}${inline(reconnectElsewhere(organization))}` : null}</span></p>`
  return null
}

function renameForm(
  { words }: KnownFrame,
  { connection, rename, rejectedLabel }: ConnectionModel,
): SafeHtml | null {
  if (!rename) return null
  const { label, labelHint, labelRejected, save } = words.connections
  const problem =
    rejectedLabel === null
      ? null
      : html`<p class="note bad" id="problem" role="alert">${icon('alert')}<span>${inline(labelRejected)}</span></p>`
  return html`<form class="rename" method="post" action="${ownPath(rename.action)}">${hiddenFields(rename)}${problem}
<div class="field"><label for="label">${inline(label)}</label><input id="label" name="label" type="text" value="${rejectedLabel ?? connection.label ?? ''}" maxlength="100" required autocomplete="off" dir="auto" aria-describedby="${problem ? 'problem ' : ''}label-hint"${problem && html` aria-invalid="true"`}><p class="hint" id="label-hint">${inline(labelHint)}</p></div>
<button class="button"><span>${inline(save)}</span></button></form>`
}

function activity(frame: KnownFrame, calls: ConnectionCall[]): SafeHtml {
  const { activity: title, noActivity, activityNote } = frame.words.connections
  return html`<section class="permissions activity"><h2>${inline(title)}</h2>
${calls.length === 0 ? html`<p>${inline(noActivity)}</p>` : html`<ul>${calls.map(call => callItem(frame, call))}</ul><p>${inline(activityNote)}</p>`}</section>`
}

const callItem = (frame: KnownFrame, { tool, at, succeeded }: ConnectionCall): SafeHtml =>
  html`<li>${icon(succeeded ? 'check' : 'bang')}<div>${isolated(tool)}<small>${time(frame, at, 'moment')}${succeeded ? null : html` · ${inline(frame.words.connections.failedCall)}`}</small></div>
`

/** The button that makes the account usable again is the primary one. */
function actions(
  { words, embedded }: Frame,
  { connection, reconnect, replace, add, pause, resume, disconnectHref }: ConnectionModel,
) {
  const { state } = connection
  const { pause: pauseLabel, resume: resumeLabel, reconnect: reconnectLabel, disconnect } = words.connections
  const paused = state === 'paused'
  const look = (isPrimary: boolean) => (isPrimary ? 'primary' : '')
  const again =
    reconnect &&
    button(reconnect, reconnectLabel, look(state === 'needs_reauth' || state === 'at_risk'), {
      inWindow: embedded,
    })
  const rest = paused ? button(resume, resumeLabel, look(true)) : button(pause, pauseLabel, '')
  const replacement =
    replace &&
    html`<a class="button" href="${ownPath(replace.href)}"><span>${inline(formTexts(words, replace.asksFor).replace)}</span></a>`
  const another = add && button(add, words.connections.add, '', { inWindow: embedded })
  return html`<div class="halves">${state === 'needs_reauth' ? again : html`${rest}${again}`}</div>
${replacement}
${another}
<a class="button quiet" href="${ownPath(disconnectHref)}"><span>${inline(disconnect)}</span></a>`
}

/** `inWindow`: the provider's page cannot be framed. */
const button = (form: FormTarget, label: Sentence, look: string, { inWindow = false } = {}): SafeHtml =>
  html`<form method="post" action="${ownPath(form.action)}"${inWindow ? html` target="_blank" data-do="in-window"` : null}>${hiddenFields(form)}<button class="button ${look}"><span>${inline(label)}</span></button></form>`
