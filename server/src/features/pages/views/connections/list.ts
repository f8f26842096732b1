import { html, type SafeHtml } from '@remix-run/html-template'
import { initial } from '../../../../core/initial.ts'
import { glyph, icon } from '../icons.ts'
import { endingBar, heading, hiddenFields, page, tint, userLine } from '../layout.ts'
import type { ConnectionState, FormTarget, Frame, KnownFrame } from '../model.ts'
import { time } from '../time.ts'
import { ownPath } from '../vetted-href.ts'
import { inline, plain } from '../words/sentence.ts'
import { actionSections } from './actions.ts'
import type {
  Connection,
  DecidedAction,
  PendingAction,
  RememberedAction,
  SharedConnection,
  SignedInClient,
} from './model.ts'

/** The page of a link that no browser has used yet. It shows nothing about the connections. */
export function openConnectionsPage(frame: KnownFrame, { open }: { open: FormTarget }): SafeHtml {
  const { words, organization } = frame
  const { title, openLead, open: label } = words.connections
  return page(frame, {
    title,
    bar: endingBar(frame),
    main: html`<div class="ending">
<div class="picture" aria-hidden="true">${glyph('closed')}</div>
${heading(title)}
<p class="lead">${inline(openLead(organization.name))}</p>
${userLine(frame)}
</div>
<form method="post" action="${ownPath(open.action)}">${hiddenFields(open)}<div class="actions"><button class="button primary"><span>${inline(label)}</span></button></div></form>`,
    foot: null,
  })
}

export type ConnectionsModel = {
  connections: (Connection & { href: string })[]
  shared: SharedConnection[]
  clients: SignedInClient[]
  pending: PendingAction[]
  decided: DecidedAction[]
  grants: RememberedAction[]
}

export function connectionsPage(
  frame: KnownFrame,
  { connections, shared, clients, ...actions }: ConnectionsModel,
): SafeHtml {
  const { words, organization } = frame
  const any = connections.length > 0
  const title = any ? words.connections.title : words.connections.noneTitle
  const lead = any ? words.connections.lead : words.connections.none
  return page(frame, {
    title,
    bar: endingBar(frame),
    main: html`<div class="start">
${heading(title)}
<p class="lead">${inline(lead(organization.name))}</p>
${userLine(frame)}
</div>
${any ? html`<div class="list"><ul class="rows" aria-label="${plain(title)}">${connections.map(connection => row(words, connection))}</ul></div>` : null}
${actionSections(frame, actions)}
${shared.length === 0 ? null : sharedSection(frame, shared)}
${clients.length === 0 ? null : clientSection(frame, clients)}`,
    foot: null,
  })
}

/** Only the owner can change an account, so it has no page of its own here. */
const sharedSection = (frame: KnownFrame, shared: SharedConnection[]): SafeHtml => {
  const { sharedTitle, sharedLead } = frame.words.connections
  return html`<section class="permissions activity"><h2>${inline(sharedTitle)}</h2>
<ul>${shared.map(connection => sharedItem(frame, connection))}</ul><p>${inline(sharedLead(frame.organization.name))}</p></section>`
}

const sharedItem = (
  { words, organization }: KnownFrame,
  { connector, account, label, state, isOfOrganization }: SharedConnection,
): SafeHtml => {
  const { state: states, sharedByOrganization } = words.connections
  return html`<li>${icon('link')}<div><bdi>${connector.name}</bdi><small><bdi>${label}</bdi>${
    account === null || account === label ? null : html` · <bdi>${account}</bdi>`
  }${isOfOrganization ? html` · ${inline(sharedByOrganization(organization.name))}` : null}${
    state === 'active' ? null : html` · ${inline(states[state])}`
  }</small></div></li>`
}

const clientSection = (frame: KnownFrame, clients: SignedInClient[]): SafeHtml => {
  const { clients: title, signOut } = frame.words.connections
  return html`<section class="permissions activity"><h2>${inline(title)}</h2>
<ul>${clients.map(({ name, since }) => html`<li>${icon('window')}<div><bdi>${name}</bdi><small>${time(frame, since, 'moment')}</small></div>`)}</ul></section>
<div class="actions">${clients.map(({ name, signOut: form }) => html`<form method="post" action="${ownPath(form.action)}">${hiddenFields(form)}<button class="button quiet"><span>${inline(signOut(name))}</span></button></form>`)}</div>`
}

const TONES: Record<ConnectionState, string> = {
  active: 'good',
  at_risk: 'warn',
  needs_reauth: 'warn',
  paused: 'calm',
}

function row(
  words: Frame['words'],
  { connector, account, label, state, href }: ConnectionsModel['connections'][number],
): SafeHtml {
  const { name, letters, logo } = connector
  const mark =
    logo === null
      ? html`<i aria-hidden=true class=${tint(connector)}>${letters ?? initial(name)}</i>`
      : html`<i aria-hidden=true class=art><img src="${ownPath(logo)}" alt="" loading=lazy></i>`
  return html`<li><a href="${ownPath(href)}">${mark}<bdi>${name}</bdi>${label === null ? null : html`<small><bdi>${label}</bdi>${account === null || account === label ? null : html` · <bdi>${account}</bdi>`}</small>`}<em class="${TONES[state]}">${inline(words.connections.state[state])}</em></a>
`
}
