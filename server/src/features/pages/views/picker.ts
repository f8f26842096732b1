import { html, type SafeHtml } from '@remix-run/html-template'
import { initial } from '../../../core/initial.ts'
import { marked, plainText } from './connector-text.ts'
import { formTexts } from './form-texts.ts'
import { icon } from './icons.ts'
import { heading, organizationMark, page, requestBar, tint, userLine } from './layout.ts'
import type { ConnectorDisplay, FormTarget, Frame, KnownFrame } from './model.ts'
import { rankOf } from './search-rank.ts'
import { helpHref, ownPath, webHref } from './vetted-href.ts'
import { inline, plain } from './words/sentence.ts'

export type PickerModel = {
  connectors: (ConnectorDisplay & { keywords: string[]; connected: boolean })[]
  chooseHref: (slug: string) => string
  cancel: FormTarget
  /** The current filter, which the server applies for browsers without scripts. */
  filter: { query: string; category: string | null }
  filterHref: (category: string | null) => string
  /** The parameters of the page's own address, for the search form. */
  view: Record<string, string>
}

/** Shorter lists fit on a phone screen and need no search. */
const MIN_SEARCHABLE = 7

export function pickerPage(frame: KnownFrame, model: PickerModel): SafeHtml {
  const { words } = frame
  const { connectors, cancel } = model
  const organization = frame.organization.name
  const any = connectors.length > 0
  const title = any ? words.picker.title : words.picker.noneTitle
  const searchable = connectors.length >= MIN_SEARCHABLE
  return page(frame, {
    title,
    bar: requestBar(frame, cancel, organizationMark(frame, organization)),
    main: html`<div class="start">
${heading(title)}
<p class="lead">${inline(any ? words.picker.lead(organization) : words.picker.none(organization))}</p>
${userLine(frame)}
</div>
${searchable ? search(frame, model) : null}
${any ? rows(frame, model) : null}`,
    // The search box comes first in the tab order.
    barLast: searchable,
    foot: searchable
      ? html`<span class="keys" role="img" aria-label="${plain(words.picker.keys)}" title="${plain(words.picker.keys)}">↑↓↵</span>`
      : null,
  })
}

function search({ words, embedded, preview }: Frame, model: PickerModel): SafeHtml {
  const { connectors, filter, filterHref, view } = model
  const label = plain(words.picker.search(connectors.length))
  const present = new Set(connectors.flatMap(({ categories }) => categories))
  const chip = (category: string | null, text: SafeHtml) =>
    html`<a href="${webHref(filterHref(category))}" data-category="${category ?? ''}"${filter.category === category ? html` aria-current="true"` : null}>${text}</a>`
  return html`<form class="search" role="search" method="get" action="">${Object.entries(view).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${icon('search')}<input type="search" name="q" value="${filter.query}" placeholder="${label}" aria-label="${label}" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="search"${embedded || preview ? null : html` autofocus`}></form>
${
  present.size < 2
    ? null
    : html`<div class="chips">${chip(null, inline(words.picker.all))}${Object.entries(words.picker.categories)
        .filter(([category]) => present.has(category as ConnectorDisplay['categories'][number]))
        .map(([category, sentence]) => chip(category, inline(sentence)))}</div>`
}`
}

function rows(frame: KnownFrame, { connectors, chooseHref, filter }: PickerModel): SafeHtml {
  const { words } = frame
  const ranked = connectors
    .map(connector => ({ connector, rank: rankIn(filter, connector) }))
    .toSorted((a, b) => Number(a.rank < 0) - Number(b.rank < 0) || a.rank - b.rank)
  const none = ranked.every(({ rank }) => rank < 0)
  return html`<div class="list"><ul class="rows" aria-label="${plain(words.picker.apps)}">${ranked.map(
    ({ connector, rank }) => row(words, connector, chooseHref(connector.slug), rank >= 0),
  )}</ul>
<p class="none" role="status"${none ? null : html` hidden`}>${inline(words.picker.noMatch(filter.query))}</p>
${missing(frame)}</div>`
}

/** The list shows only configured apps, so it names whom to ask for others. */
function missing({ words, look, organization }: KnownFrame): SafeHtml {
  const ask = inline(words.picker.missingLead(organization.name))
  return html`<p class="missing">${inline(words.picker.missing)} ${look.supportHref === null ? ask : html`<a href="${helpHref(look.supportHref)}">${ask}</a>`}</p>`
}

function rankIn(
  { query, category }: PickerModel['filter'],
  { name, keywords, summary, categories }: PickerModel['connectors'][number],
): number {
  if (category !== null && !categories.some(own => own === category)) return -1
  return rankOf(query, { name, keywords, text: plainText(summary) })
}

// The list may have hundreds of rows, so each has minimal markup and is styled by the list's class.
function row(
  words: Frame['words'],
  connector: PickerModel['connectors'][number],
  href: string,
  shown: boolean,
): SafeHtml {
  const { name, letters, logo, categories, keywords, linkedBy, connected } = connector
  // Lazy loading fetches logos only when they are scrolled into view.
  const tile =
    logo === null
      ? html`<i aria-hidden=true class=${tint(connector)}>${letters ?? initial(name)}</i>`
      : html`<i aria-hidden=true class=art><img src="${ownPath(logo)}" alt="" loading=lazy></i>`
  const needs = linkedBy === 'sign_in' ? null : ` · ${plain(formTexts(words, linkedBy).needs)}`
  return html`<li data-category="${categories.join(' ')}"${keywords.length > 0 ? html` data-keywords="${keywords.join(',')}"` : null}${shown ? null : html` hidden`}><a href="${webHref(href)}">${tile}<bdi>${name}</bdi><small>${marked(connector.summary)}${needs}</small>${connected ? html`<em>${inline(words.picker.connected)}</em>` : null}</a>`
}
