import { html, type SafeHtml } from '@remix-run/html-template'
import { abilityList } from './abilities.ts'
import { fieldProblem, inputs } from './fields.ts'
import { icon } from './icons.ts'
import {
  alternativeLinks,
  backLink,
  heading,
  hiddenFields,
  notExpected,
  note,
  page,
  pair,
  requestBar,
  userLine,
} from './layout.ts'
import type {
  Abilities,
  AlternativeMethod,
  ConnectorDisplay,
  FormTarget,
  KeyField,
  KeyProblem,
  KnownFrame,
  ReconnectReason,
} from './model.ts'
import { reconnectNote } from './reconnect-note.ts'
import { formHref } from './vetted-href.ts'
import { inline, plain } from './words/sentence.ts'

export type ConsentModel = {
  connector: ConnectorDisplay
  abilities: Abilities
  /** Fields to fill in before sign-in, if each customer of the provider has its own address. */
  fields: KeyField[]
  problem: KeyProblem | null
  alternatives: AlternativeMethod[]
  alreadyConnectedAs: string | null
  reconnectReason?: ReconnectReason | null
  /** Another account in place of the linked one would not be shared. */
  endsSharing: boolean
  /** The host of an MCP server. */
  serverHost: string | null
  start: FormTarget
  cancel: FormTarget
  backHref: string | null
  /** The page is framed: the provider opens in a window, and this page waits for it. */
  opensWindow: boolean
  /** The initial waiting state, for the preview. Otherwise the script chooses it. */
  waitingAs?: 'soon' | 'late' | 'blocked'
  /** The page is shown in an in-app browser. */
  insideApp: boolean
}

export function consentPage(frame: KnownFrame, model: ConsentModel): SafeHtml {
  const { words } = frame
  const { connector, abilities, alreadyConnectedAs, start, cancel, backHref, opensWindow, insideApp } = model
  const { fields, problem, alternatives, endsSharing, serverHost } = model
  const organization = frame.organization.name
  const title = words.consent.title(connector.name, organization)
  return page(frame, {
    title,
    bar: requestBar(frame, cancel, backLink(frame, backHref)),
    main: html`${pair(frame, connector, false)}
<div class="ask"${hiddenIf(model.waitingAs !== undefined)}>
${heading(title)}
<p class="lead">${inline(words.asks(organization, connector.name))}</p>
${userLine(frame)}
${serverHost === null ? null : note('info', 'browser', words.server(serverHost))}
${reconnectNote(frame, connector, model.reconnectReason ?? null)}
${abilityList(frame, connector, abilities)}
${alreadyConnectedAs === null ? null : note('info', 'replace', words.consent.replaces(alreadyConnectedAs))}
${endsSharing ? note('info', 'replace', words.endsSharing) : null}
${insideApp ? inAppNote(frame, connector) : null}
${note('trust', 'lock', words.consent.trust(connector.name, organization))}
<form method="post" action="${formHref(start.action)}" data-do="leave">${hiddenFields(start)}
${fieldProblem(frame.words.apiKey, connector, problem)}
${inputs(frame, { fields, problem, helpUrl: null }, frame.words.apiKey)}
<div class="actions"><button class="button primary" data-busy="${plain(words.consent.leaving(connector.name))}"><span>${inline(words.consent.start(connector.name))}</span>${icon(opensWindow ? 'window' : 'forward')}</button>
${alternativeLinks(frame, connector, alternatives)}
${notExpected(frame)}
</div></form>
</div>
${opensWindow ? waiting(frame, connector, model.waitingAs) : null}`,
    foot: null,
  })
}

/** Hidden until the window has been opened; the script shows the part that applies. */
function waiting(
  { words }: KnownFrame,
  connector: ConnectorDisplay,
  as: ConsentModel['waitingAs'],
): SafeHtml {
  const { title, lead, stillTitle, stillLead, blockedTitle, blockedLead, again, here } = words.waiting
  return html`<div class="waiting"${hiddenIf(as === undefined)}>
<div role="status"><div class="soon"${hiddenIf(as !== undefined && as !== 'soon')}>${heading(title)}<p class="lead">${inline(lead(connector.name))}</p></div>
<div class="late"${hiddenIf(as !== 'late')}>${heading(stillTitle)}<p class="lead">${inline(stillLead(connector.name))}</p></div>
<div class="blocked"${hiddenIf(as !== 'blocked')}>${heading(blockedTitle)}<p class="lead">${inline(blockedLead(connector.name))}</p></div></div>
<div class="actions"><button class="button" type="button" data-do="again"><span>${inline(again)}</span></button>
<button class="button quiet" type="button" data-do="here"><span>${inline(here)}</span></button></div>
</div>`
}

const hiddenIf = (hidden: boolean): SafeHtml | null => (hidden ? html` hidden` : null)

const inAppNote = ({ words }: KnownFrame, connector: ConnectorDisplay): SafeHtml =>
  html`<div class="note info">${icon('browser')}<div>${inline(words.consent.insideApp(connector.name))} <button class="link" type="button" data-do="copy" data-done="${plain(words.consent.copied)}" hidden>${inline(words.consent.copy)}</button></div></div>`
