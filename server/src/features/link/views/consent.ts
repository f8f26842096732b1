import { html, type SafeHtml } from '@remix-run/html-template'
import { fieldProblem, inputs } from './fields.ts'
import { icon } from './icons.ts'
import {
  askingBar,
  backLink,
  forWhom,
  heading,
  hiddenFields,
  notExpected,
  note,
  page,
  pair,
} from './layout.ts'
import type { ConnectorFace, FormTarget, KeyField, KeyProblem, KnownFrame, Permission } from './model.ts'
import { inline, plain } from './sentence.ts'
import { formHref, webHref } from './vetted-href.ts'

export type ConsentModel = {
  connector: ConnectorFace
  permissions: Permission[]
  /** Asked before the person leaves, where each customer of the third party has an address of its own. */
  fields: KeyField[]
  problem: KeyProblem | null
  /** Where it can be linked with a key, too. */
  keyHref: string | null
  alreadyConnectedAs: string | null
  start: FormTarget
  cancel: FormTarget
  backHref: string | null
  /** In a frame: the third party opens in a window, and the page waits for it. */
  opensWindow: boolean
  /** The browser is one inside another app. */
  insideApp: boolean
}

export function consentPage(frame: KnownFrame, model: ConsentModel): SafeHtml {
  const { words } = frame
  const { connector, permissions, alreadyConnectedAs, start, cancel, backHref, opensWindow, insideApp } =
    model
  const { fields, problem, keyHref } = model
  const organization = frame.organization.name
  const title = words.consent.title(connector.name, organization)
  return page(frame, {
    title,
    bar: askingBar(frame, cancel, backLink(frame, backHref)),
    main: html`${pair(organization, connector, false)}
<div class="ask">
${heading(title)}
<p class="lead">${inline(words.asks(organization, connector.name))}</p>
${forWhom(frame)}
${permissions.length > 0 ? permissionList(frame, permissions) : null}
${alreadyConnectedAs === null ? null : note('info', 'replace', words.consent.replaces(alreadyConnectedAs))}
${insideApp ? inAppNote(frame, connector) : null}
${note('trust', 'lock', words.consent.trust(connector.name, organization))}
<form method="post" action="${formHref(start.action)}" data-do="leave">${hiddenFields(start)}
${fieldProblem(frame, connector, problem)}
${inputs(frame, { fields, problem, helpUrl: null })}
<div class="actions"><button class="button primary" data-busy="${plain(words.consent.leaving(connector.name))}"><span>${inline(words.consent.start(connector.name))}</span>${icon(opensWindow ? 'window' : 'forward')}</button>
${keyHref === null ? null : html`<a class="instead" href="${webHref(keyHref)}">${inline(words.apiKey.useKey)}</a>`}
${notExpected(frame)}
</div></form>
</div>
${opensWindow ? waiting(frame, connector) : null}`,
    foot: null,
  })
}

/** Hidden until the window has been opened; the page's script shows it, and swaps the words when it takes long. */
function waiting({ words }: KnownFrame, connector: ConnectorFace): SafeHtml {
  const { title, lead, stillTitle, stillLead, again, here } = words.waiting
  return html`<div class="waiting" hidden>
<div role="status"><div class="soon">${heading(title)}<p class="lead">${inline(lead(connector.name))}</p></div>
<div class="late" hidden>${heading(stillTitle)}<p class="lead">${inline(stillLead(connector.name))}</p></div></div>
<div class="actions"><button class="button" type="button" data-do="again"><span>${inline(again)}</span></button>
<button class="button quiet" type="button" data-do="here"><span>${inline(here)}</span></button></div>
</div>`
}

const inAppNote = ({ words }: KnownFrame, connector: ConnectorFace): SafeHtml =>
  html`<div class="note info">${icon('browser')}<div>${inline(words.consent.insideApp(connector.name))} <button class="link" type="button" data-do="copy" data-done="${plain(words.consent.copied)}" hidden>${inline(words.consent.copy)}</button></div></div>`

function permissionList({ words }: KnownFrame, permissions: Permission[]): SafeHtml {
  return html`<section class="permissions"><h2>${inline(words.consent.permissions)}</h2>
<ul>${permissions.map(permission)}</ul></section>`
}

const permission = ({ title, detail }: Permission): SafeHtml =>
  html`<li>${icon('check')}<span><bdi>${title}</bdi>${detail === null ? null : html`<small><bdi>${detail}</bdi></small>`}</span>
`
