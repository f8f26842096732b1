import { html, type SafeHtml } from '@remix-run/html-template'
import { glyph, type IconName, icon } from './icons.ts'
import type { ConnectorFace, FormTarget, Frame } from './model.ts'
import { initial, inline, plain, type Sentence } from './sentence.ts'
import { PAPER, STYLESHEET } from './stylesheet.ts'
import { ownPath, type VettedHref } from './vetted-href.ts'
import { words } from './words.ts'

/** The id of the one cancel form of a page: the close button and the quiet button both submit it. */
const CANCEL_FORM = 'cancel'

type Page = {
  title: Sentence
  bar: SafeHtml | null
  main: SafeHtml
  foot: SafeHtml | null
  /** Where the browser goes by itself. */
  refresh?: VettedHref
}

export function page(frame: Frame, { title, bar, main, foot, refresh }: Page): SafeHtml {
  return html`<!doctype html>
<html lang="${words.language}" dir="${words.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">
<title>${plain(title)}</title>
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${PAPER.light}">
<meta name="theme-color" content="${PAPER.dark}" media="(prefers-color-scheme:dark)">
${refresh === undefined ? null : html`<meta http-equiv="refresh" content="0;url=${refresh}">`}
<style>${html.raw`${STYLESHEET}`}</style>
</head>
<body>
<div class="card${frame.testMode ? ' test' : ''}">
${bar}
<main>${main}</main>
<footer><span class="maker">${glyph('closed')}Carabiner</span>${foot}</footer>
</div>
</body>
</html>
`
}

/** The bar of a page that asks: back where there is a way back, and a way out. */
export function askingBar(frame: Frame, cancel: FormTarget, start: SafeHtml | null): SafeHtml {
  return html`<header>${start}${testMark(frame)}<form class="out" id="${CANCEL_FORM}" method="post" action="${ownPath(cancel.action)}">${hiddenFields(cancel)}<button class="square" aria-label="${plain(words.cancel)}">${icon('close')}</button></form></header>`
}

/** The bar of an ending: whose page it is, and nothing to press. */
export function endingBar(frame: Frame): SafeHtml | null {
  if (!frame.organization && !frame.testMode) return null
  return html`<header>${frame.organization && organizationMark(frame.organization.name)}${testMark(frame)}</header>`
}

export const organizationMark = (name: string): SafeHtml =>
  html`<p class="organization"><span class="tile own" aria-hidden="true">${initial(name)}</span><bdi>${name}</bdi></p>`

export const backLink = (href: VettedHref): SafeHtml =>
  html`<a class="square" href="${href}" aria-label="${plain(words.back)}">${icon('back')}</a>`

const testMark = (frame: Frame): SafeHtml | null =>
  frame.testMode ? html`<strong class="mark">${inline(words.testMode)}</strong>` : null

/** Who asks and what for, as a picture: two tiles and the carabiner that is to hold them together. */
export function pair(organization: string, connector: ConnectorFace, joined: boolean): SafeHtml {
  const middle = joined ? html`<span class="seal good">${icon('check')}</span>` : glyph('open')
  return html`<div class="pair${joined ? ' joined' : ''}" aria-hidden="true"><span class="tile own">${initial(organization)}</span><span class="join">${middle}</span>${tile(connector)}</div>`
}

export const tile = (connector: ConnectorFace): SafeHtml =>
  html`<span class="tile ${tint(connector.slug)}" aria-hidden="true">${initial(connector.name)}</span>`

const TINTS = 8

/** A connector keeps its colour everywhere, and a class carries it because the policy allows no style attributes. */
export function tint(slug: string): string {
  let sum = 0
  for (const character of slug) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973
  return `t${sum % TINTS}`
}

const LONG_HEADING = 60

/** Names may be long and are never cut, so a heading full of them is set smaller. */
export const heading = (sentence: Sentence): SafeHtml =>
  html`<h1${plain(sentence).length > LONG_HEADING ? html` class="long"` : null}>${inline(sentence)}</h1>`

export const forWhom = (frame: Frame): SafeHtml | null =>
  frame.user &&
  html`<p class="whom"><span class="avatar" aria-hidden="true">${initial(frame.user.name)}</span><span>${inline(words.forWhom(frame.user.name))}</span></p>`

export const note = (kind: 'info' | 'trust', name: IconName, sentence: Sentence): SafeHtml =>
  html`<p class="note ${kind}">${icon(name)}<span>${inline(sentence)}</span></p>`

export const hiddenFields = ({ fields }: FormTarget): SafeHtml[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** The quiet way out. It submits the cancel form of the bar and says why. */
export const notExpected = (frame: Frame): SafeHtml =>
  html`<button class="button quiet" form="${CANCEL_FORM}" name="unexpected" value="1"><span>${inline(words.notExpected(frame.user?.name ?? null))}</span></button>`

export const referenceFoot = (frame: Frame): SafeHtml =>
  html`<span>${inline(words.reference)} <code>${frame.requestId}</code></span>`
