import type { SiteKind } from '@carabiner/contract'
import { html, type SafeHtml } from '@remix-run/html-template'
import { initial } from '../../../core/initial.ts'
import { icon } from './icons.ts'
import { heading, hiddenFields, page, pair, requestBar, tint, userLine } from './layout.ts'
import type { ConnectorDisplay, FormTarget, KnownFrame } from './model.ts'
import { formHref } from './vetted-href.ts'
import { inline, plain } from './words/sentence.ts'

export type SiteModel = { value: string; title: string; detail: string | null }
export type ChooseSiteModel = {
  connector: ConnectorDisplay
  kind: SiteKind
  sites: SiteModel[]
  /** The submitted value is not in the list. */
  isUnlisted: boolean
  choose: FormTarget
  cancel: FormTarget
}

/** Shown after sign-in for an account with several sites. Each site is a button, so one click is enough. */
export function chooseSitePage(frame: KnownFrame, model: ChooseSiteModel): SafeHtml {
  const { words } = frame
  const { connector, kind, sites, isUnlisted, choose, cancel } = model
  const { title, lead, unlisted, sites: label } = words.chooseSite[kind]
  return page(frame, {
    title,
    bar: requestBar(frame, cancel, null),
    main: html`${pair(frame, connector, false)}
${heading(title)}
<p class="lead">${inline(lead(connector.name, frame.organization.name))}</p>
${userLine(frame)}
${isUnlisted ? html`<p class="note bad" role="alert">${icon('alert')}<span>${inline(unlisted)}</span></p>` : null}
<form class="list" method="post" action="${formHref(choose.action)}">${hiddenFields(choose)}
<ul class="rows" aria-label="${plain(label)}">${sites.map(row)}</ul>
</form>`,
    foot: null,
  })
}

const row = ({ value, title, detail }: SiteModel): SafeHtml =>
  html`<li><button name="site" value="${value}" data-busy=""><i aria-hidden=true class=${tint({ slug: value, tint: null })}>${initial(title)}</i><bdi>${title}</bdi>${detail === null ? null : html`<small><bdi>${withoutScheme(detail)}</bdi></small>`}</button></li>
`

const withoutScheme = (detail: string): string => detail.replace(/^https?:\/\//, '').replace(/\/$/, '')
