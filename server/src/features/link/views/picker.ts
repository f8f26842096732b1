import { html, type SafeHtml } from '@remix-run/html-template'
import { askingBar, forWhom, heading, organizationMark, page, referenceFoot, tint } from './layout.ts'
import type { ConnectorFace, FormTarget, KnownFrame } from './model.ts'
import { initial, inline, plain } from './sentence.ts'
import { webHref } from './vetted-href.ts'
import { words } from './words.ts'

export type PickerModel = {
  connectors: (ConnectorFace & { connected: boolean })[]
  chooseHref: (slug: string) => string
  cancel: FormTarget
}

export function pickerPage(frame: KnownFrame, { connectors, chooseHref, cancel }: PickerModel): SafeHtml {
  const organization = frame.organization.name
  const title = connectors.length > 0 ? words.picker.title : words.picker.noneTitle
  return page(frame, {
    title,
    bar: askingBar(frame, cancel, organizationMark(organization)),
    main: html`<div class="start">
${heading(title)}
<p class="lead">${inline(connectors.length > 0 ? words.picker.lead(organization) : words.picker.none(organization))}</p>
${forWhom(frame)}
</div>
${connectors.length > 0 ? html`<ul class="rows" aria-label="${plain(words.picker.apps)}">${connectors.map(connector => row(connector, chooseHref(connector.slug)))}</ul>` : null}`,
    foot: referenceFoot(frame),
  })
}

// There may be hundreds of these, so the row is as light as it can be: the list's class styles all of it.
function row(connector: PickerModel['connectors'][number], href: string): SafeHtml {
  const summary = connector.method === 'api_key' ? keySummary(connector.summary) : connector.summary
  return html`<li><a href="${webHref(href)}"><i aria-hidden=true class=${tint(connector.slug)}>${initial(connector.name)}</i><bdi>${connector.name}</bdi><small>${summary}</small>${connector.connected ? html`<em>${inline(words.picker.connected)}</em>` : null}</a>`
}

const keySummary = (summary: string): string =>
  [summary, plain(words.picker.needsKey)].filter(part => part !== '').join(' · ')
