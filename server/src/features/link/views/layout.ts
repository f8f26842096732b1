import { html, type SafeHtml } from '@remix-run/html-template'
import { glyph, type IconName, icon } from './icons.ts'
import type { ConnectorFace, FormTarget, Frame, KnownFrame, OtherWay } from './model.ts'
import { SCRIPT } from './script.ts'
import { brandStyle, PAPER, STYLESHEET } from './stylesheet.ts'
import { ownPath, type VettedHref, webHref } from './vetted-href.ts'
import { initial, inline, plain, type Sentence } from './words/sentence.ts'

/** The id of the one cancel form of a page: the close button and the quiet button both submit it. */
const CANCEL_FORM = 'cancel'

type Page = {
  title: Sentence
  bar: SafeHtml | null
  main: SafeHtml
  foot: SafeHtml | null
  /** Where the browser goes by itself. */
  refresh?: VettedHref
  /** The bar follows the content for the keyboard, and is still shown above it. */
  barLast?: boolean
}

export function page(frame: Frame, { title, bar, main, foot, refresh, barLast = false }: Page): SafeHtml {
  const { words, look } = frame
  return html`<!doctype html>
<html lang="${words.language}" dir="${words.direction}"${look.theme === null ? null : html` data-theme="${look.theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">
<title>${plain(title)}</title>
<meta name="robots" content="noindex">
<meta name="color-scheme" content="${look.theme ?? 'light dark'}">
${themeColour(look.theme)}
${refresh === undefined ? null : html`<meta http-equiv="refresh" content="0;url=${refresh}">`}
<style>${html.raw`${STYLESHEET}`}</style>
<style>${html.raw`${brandStyle(look)}`}</style>
</head>
<body${Object.entries(frame.data).map(([name, value]) => html` data-${name}="${value}"`)}>
<div class="card${frame.testMode ? ' test' : ''}">
${barLast ? null : bar}
<p class="note info offline" role="status" hidden>${icon('alert')}<span>${inline(words.offline)}</span></p>
<main>${main}</main>
${barLast ? bar : null}
<footer>${look.coBranding ? html`<span class="maker">${glyph('closed')}Carabiner</span>` : null}${foot}${footLinks(frame)}</footer>
</div>
<script>${html.raw`${SCRIPT}`}</script>
</body>
</html>
`
}

const themeColour = (theme: Frame['look']['theme']): SafeHtml =>
  theme === null
    ? html`<meta name="theme-color" content="${PAPER.light}"><meta name="theme-color" content="${PAPER.dark}" media="(prefers-color-scheme:dark)">`
    : html`<meta name="theme-color" content="${PAPER[theme]}">`

function footLinks({ words, look, languages }: Frame): SafeHtml | null {
  const link = (href: string | null, sentence: Sentence) =>
    href === null
      ? null
      : html`<a href="${webHref(href)}" target="_blank" rel="noopener noreferrer">${inline(sentence)}</a>`
  const links = [link(look.privacyHref, words.privacy), link(look.termsHref, words.terms)].filter(
    part => part !== null,
  )
  if (links.length === 0 && languages.length === 0) return null
  return html`<nav>${links}${languages.length === 0 ? null : languageMenu(words, languages)}</nav>`
}

/** Without a script: a disclosure with a link for each language. */
const languageMenu = (words: Frame['words'], languages: Frame['languages']): SafeHtml =>
  html`<details class="languages"><summary aria-label="${plain(words.chooseLanguage)}: ${words.languageName}">${words.languageName}</summary><ul>${languages.map(
    ({ language, name, href }) =>
      html`<li><a href="${ownPath(href)}" lang="${language}" hreflang="${language}"${language === words.language ? html` aria-current="true"` : null}>${name}</a>`,
  )}</ul></details>`

/** The bar of a page that asks: back where there is a way back, and a way out. */
export function askingBar(frame: Frame, cancel: FormTarget, start: SafeHtml | null): SafeHtml {
  return html`<header>${start}${testMark(frame)}<form class="out" id="${CANCEL_FORM}" method="post" action="${ownPath(cancel.action)}">${hiddenFields(cancel)}<button class="square" aria-label="${plain(frame.words.cancel)}">${icon('close')}</button></form></header>`
}

/** The bar of an ending: whose page it is and, inside an application, a way out of its frame. */
export function endingBar(frame: Frame, { logoShown = false } = {}): SafeHtml | null {
  const mark = frame.organization && !(logoShown && hasLogo(frame))
  if (!mark && !frame.testMode && !frame.embedded) return null
  return html`<header>${mark ? organizationMark(frame, frame.organization?.name ?? '') : null}${testMark(frame)}${frame.embedded ? html`<button class="square out" type="button" data-do="close" aria-label="${plain(frame.words.close)}">${icon('close')}</button>` : null}</header>`
}

export const organizationMark = (frame: Frame, name: string): SafeHtml =>
  hasLogo(frame)
    ? html`<p class="organization">${logo(frame, name)}</p>`
    : html`<p class="organization"><span class="tile own" aria-hidden="true">${initial(name)}</span><bdi>${name}</bdi></p>`

const hasLogo = ({ look }: Frame): boolean => look.logo.light !== null || look.logo.dark !== null

/** Both are in the page, and the stylesheet shows the one for the theme: a script would be too late. */
function logo({ look }: Frame, name: string): SafeHtml {
  const { light, dark } = look.logo
  const image = (path: string, theme: string) =>
    html`<img class="logo ${theme}" src="${ownPath(path)}" alt="${name}">`
  if (light === null || dark === null || light === dark) return image(light ?? dark ?? '', 'both')
  return html`${image(light, 'light')}${image(dark, 'dark')}`
}

export const backLink = ({ words }: Frame, href: string | null): SafeHtml | null =>
  href === null
    ? null
    : html`<a class="square" href="${ownPath(href)}" aria-label="${plain(words.back)}">${icon('back')}</a>`

const testMark = (frame: Frame): SafeHtml | null =>
  frame.testMode ? html`<strong class="mark">${inline(frame.words.testMode)}</strong>` : null

/** Who asks and what for, as a picture: two tiles and the carabiner that is to hold them together. */
export function pair(frame: KnownFrame, connector: ConnectorFace, joined: boolean): SafeHtml {
  const { name } = frame.organization
  const own = hasLogo(frame)
    ? html`<span class="tile brand">${logo(frame, '')}</span>`
    : html`<span class="tile own">${initial(name)}</span>`
  const middle = joined ? html`<span class="seal good">${icon('check')}</span>` : glyph('open')
  return html`<div class="pair${joined ? ' joined' : ''}" aria-hidden="true">${own}<span class="join">${middle}</span>${tile(connector)}</div>`
}

export const tile = (connector: ConnectorFace): SafeHtml =>
  connector.logo !== null
    ? html`<span class="tile art" aria-hidden="true"><img src="${ownPath(connector.logo)}" alt=""></span>`
    : html`<span class="tile ${tint(connector)}${connector.letters && ' two'}" aria-hidden="true">${connector.letters ?? initial(connector.name)}</span>`

const TINTS = 8

/** A connector keeps its colour everywhere, and a class carries it because the policy allows no style attributes. */
export function tint({ slug, tint: own }: Pick<ConnectorFace, 'slug' | 'tint'>): string {
  if (own !== null) return own
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
  html`<p class="whom"><span class="avatar" aria-hidden="true">${initial(frame.user.name)}</span><span>${inline(frame.words.forWhom(frame.user.name))}</span></p>`

export const note = (kind: 'info' | 'trust', name: IconName, sentence: Sentence): SafeHtml =>
  html`<p class="note ${kind}">${icon(name)}<span>${inline(sentence)}</span></p>`

export const hiddenFields = ({ fields }: FormTarget): SafeHtml[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** The quiet way out. It submits the cancel form of the bar and says why. */
export const notExpected = (frame: Frame): SafeHtml =>
  html`<button class="button quiet" form="${CANCEL_FORM}" name="unexpected" value="1"><span>${inline(frame.words.notExpected(frame.user?.isName ? frame.user.name : null))}</span></button>`

export const referenceFoot = (frame: Frame): SafeHtml =>
  html`<code title="${plain(frame.words.reference)}">${frame.requestId}</code>`

/** Links to the other ways to connect the same product. */
export const otherWays = (frame: Frame, face: ConnectorFace, ways: OtherWay[]): SafeHtml[] =>
  ways.map(
    way =>
      html`<a class="instead" href="${webHref(way.href)}">${inline(wayText(frame.words, face.name, way))}</a>`,
  )

const wayText = ({ apiKey, consent }: Frame['words'], product: string, way: OtherWay): Sentence => {
  switch (way.by) {
    case 'key':
      return apiKey.useKey
    case 'sign_in':
      return apiKey.useSignIn(product)
    case 'server':
      return consent.otherWay(product)
    case 'connector':
      return consent.otherConnector(way.connector)
  }
}
