import { html, type SafeHtml } from '@remix-run/html-template'
import { icon } from './icons.ts'
import { askingBar, forWhom, heading, organizationMark, page, tint } from './layout.ts'
import type { ConnectorFace, FormTarget, Frame, KnownFrame } from './model.ts'
import { initial, inline, plain } from './sentence.ts'
import { webHref } from './vetted-href.ts'

export type PickerModel = {
  connectors: (ConnectorFace & { connected: boolean })[]
  chooseHref: (slug: string) => string
  cancel: FormTarget
  /** What narrows the list: for those without a script the server does it. */
  narrowed: { query: string; category: string | null }
  narrowHref: (category: string | null) => string
  /** The parameters of the page's own address, for the search form. */
  view: Record<string, string>
}

/** A list that fits on a phone needs no search. */
const SEARCH_FROM = 7

export function pickerPage(frame: KnownFrame, model: PickerModel): SafeHtml {
  const { words } = frame
  const { connectors, cancel } = model
  const organization = frame.organization.name
  const any = connectors.length > 0
  const title = any ? words.picker.title : words.picker.noneTitle
  const searchable = connectors.length >= SEARCH_FROM
  return page(frame, {
    title,
    bar: askingBar(frame, cancel, organizationMark(frame, organization)),
    main: html`<div class="start">
${heading(title)}
<p class="lead">${inline(any ? words.picker.lead(organization) : words.picker.none(organization))}</p>
${forWhom(frame)}
</div>
${searchable ? search(frame, model) : null}
${any ? rows(frame, model) : null}`,
    foot: searchable
      ? html`<span class="keys" role="img" aria-label="${plain(words.picker.keys)}" title="${plain(words.picker.keys)}">↑↓↵</span>`
      : null,
  })
}

function search({ words }: Frame, { connectors, narrowed, narrowHref, view }: PickerModel): SafeHtml {
  const label = plain(words.picker.search(connectors.length))
  const present = new Set(connectors.map(({ category }) => category))
  const chip = (category: string | null, text: SafeHtml) =>
    html`<a href="${webHref(narrowHref(category))}" data-category="${category ?? ''}"${narrowed.category === category ? html` aria-current="true"` : null}>${text}</a>`
  return html`<form class="search" role="search" method="get" action="">${Object.entries(view).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${icon('search')}<input type="search" name="q" value="${narrowed.query}" placeholder="${label}" aria-label="${label}" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="search"></form>
${
  present.size < 2
    ? null
    : html`<div class="chips">${chip(null, inline(words.picker.all))}${Object.entries(words.picker.categories)
        .filter(([category]) => present.has(category as ConnectorFace['category']))
        .map(([category, sentence]) => chip(category, inline(sentence)))}</div>`
}`
}

function rows({ words }: Frame, model: PickerModel): SafeHtml {
  const { connectors, chooseHref, narrowed } = model
  const judged = connectors.map(connector => ({ connector, shown: matches(connector, narrowed) }))
  return html`<ul class="rows" aria-label="${plain(words.picker.apps)}">${judged.map(({ connector, shown }) =>
    row(words, connector, chooseHref(connector.slug), shown),
  )}</ul>
<p class="none" role="status"${judged.some(({ shown }) => shown) ? html` hidden` : null}>${inline(words.picker.noMatch)}</p>`
}

const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

function matches({ name, summary, category }: ConnectorFace, narrowed: PickerModel['narrowed']): boolean {
  if (narrowed.category !== null && narrowed.category !== category) return false
  return fold(`${name} ${summary}`).includes(fold(narrowed.query.trim()))
}

// There may be hundreds of these, so the row is as light as it can be: the list's class styles all of it.
function row(
  words: Frame['words'],
  connector: PickerModel['connectors'][number],
  href: string,
  shown: boolean,
): SafeHtml {
  const { name, letters, category, method, connected } = connector
  const summary =
    method === 'api_key' ? `${connector.summary} · ${plain(words.picker.needsKey)}` : connector.summary
  return html`<li data-category=${category}${shown ? null : html` hidden`}><a href="${webHref(href)}"><i aria-hidden=true class=${tint(connector)}>${letters ?? initial(name)}</i><bdi>${name}</bdi><small>${summary}</small>${connected ? html`<em>${inline(words.picker.connected)}</em>` : null}</a>`
}
