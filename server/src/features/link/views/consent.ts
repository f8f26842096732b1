import { html, type SafeHtml } from '@remix-run/html-template'
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
  referenceFoot,
} from './layout.ts'
import type { ConnectorFace, FormTarget, KnownFrame, Permission } from './model.ts'
import { inline } from './sentence.ts'
import { ownPath } from './vetted-href.ts'
import { words } from './words.ts'

export type ConsentModel = {
  connector: ConnectorFace
  permissions: Permission[]
  alreadyConnectedAs: string | null
  start: FormTarget
  cancel: FormTarget
  backHref: string | null
}

export function consentPage(frame: KnownFrame, model: ConsentModel): SafeHtml {
  const { connector, permissions, alreadyConnectedAs, start, cancel, backHref } = model
  const organization = frame.organization.name
  const title = words.consent.title(connector.name, organization)
  return page(frame, {
    title,
    bar: askingBar(frame, cancel, backHref === null ? null : backLink(ownPath(backHref))),
    main: html`${pair(organization, connector, false)}
${heading(title)}
<p class="lead">${inline(words.asks(organization, connector.name))}</p>
${forWhom(frame)}
${permissions.length > 0 ? permissionList(permissions) : null}
${alreadyConnectedAs === null ? null : note('info', 'replace', words.consent.replaces(alreadyConnectedAs))}
${note('trust', 'lock', words.consent.trust(connector.name, organization))}
<div class="actions">
<form method="post" action="${ownPath(start.action)}">${hiddenFields(start)}<button class="button primary"><span>${inline(words.consent.start(connector.name))}</span>${icon('forward')}</button></form>
${notExpected(frame)}
</div>`,
    foot: referenceFoot(frame),
  })
}

function permissionList(permissions: Permission[]): SafeHtml {
  return html`<section class="permissions"><h2>${inline(words.consent.permissions)}</h2>
<ul>${permissions.map(permission)}</ul></section>`
}

const permission = ({ title, detail }: Permission): SafeHtml =>
  html`<li>${icon('check')}<span>${title}${detail === null ? null : html`<small>${detail}</small>`}</span>
`
