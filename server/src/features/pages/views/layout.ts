import { html, type SafeHtml } from '@remix-run/html-template'
import { initial } from '../../../core/initial.ts'
import { tintOfName } from '../../connectors/connector-tile.ts'
import { formTexts } from './form-texts.ts'
import { glyph, type IconName, icon } from './icons.ts'
import type { AlternativeMethod, ConnectorDisplay, FormTarget, Frame, KnownFrame } from './model.ts'
import { SCRIPT } from './script.ts'
import { brandStyle, PAPER, STYLESHEET } from './stylesheet.ts'
import { ownPath, type VettedHref, webHref } from './vetted-href.ts'
import { inline, plain, type Sentence } from './words/sentence.ts'

/** The ID of the page's cancel form, which the close button and the "not expected" button submit. */
const CANCEL_FORM = 'cancel'

type Page = {
  title: Sentence
  bar: SafeHtml | null
  main: SafeHtml
  foot: SafeHtml | null
  /** Redirects the browser automatically. */
  refresh?: VettedHref
  /** Places the bar after the content in the tab order; it is still displayed above it. */
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
${themeColor(look.theme)}
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

const themeColor = (theme: Frame['look']['theme']): SafeHtml =>
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

/** Works without a script: a disclosure with a link for each language. */
const languageMenu = (words: Frame['words'], languages: Frame['languages']): SafeHtml =>
  html`<details class="languages"><summary aria-label="${plain(words.chooseLanguage)}: ${words.languageName}">${words.languageName}</summary><ul>${languages.map(
    ({ language, name, href }) =>
      html`<li><a href="${ownPath(href)}" lang="${language}" hreflang="${language}"${language === words.language ? html` aria-current="true"` : null}>${name}</a>`,
  )}</ul></details>`

/** The bar of a page that requests something: a back link if there is one, and a cancel button. */
export function requestBar(frame: Frame, cancel: FormTarget, start: SafeHtml | null): SafeHtml {
  return html`<header>${start}${testMark(frame)}<form class="out" id="${CANCEL_FORM}" method="post" action="${ownPath(cancel.action)}">${hiddenFields(cancel)}<button class="square" aria-label="${plain(frame.words.cancel)}">${icon('close')}</button></form></header>`
}

/** The bar of a final page: the organization and, if embedded, a close button. */
export function endingBar(frame: Frame, { logoShown = false } = {}): SafeHtml | null {
  const mark = frame.organization && !(logoShown && hasLogo(frame))
  if (!mark && !frame.testMode && !frame.embedded) return null
  return html`<header>${mark ? organizationMark(frame, frame.organization?.name ?? '') : null}${testMark(frame)}${frame.embedded ? html`<button class="square out" type="button" data-do="close" aria-label="${plain(frame.words.close)}">${icon('close')}</button>` : null}</header>`
}

/** The bar of a page below another one: a link back to it, and the organization. */
export const subpageBar = (frame: KnownFrame, back: string): SafeHtml =>
  html`<header class="sub">${backLink(frame, back)}${organizationMark(frame, frame.organization.name)}${testMark(frame)}</header>`

export const organizationMark = (frame: Frame, name: string): SafeHtml =>
  hasLogo(frame)
    ? html`<p class="organization">${logo(frame, name)}</p>`
    : html`<p class="organization"><span class="tile own" aria-hidden="true">${initial(name)}</span><bdi>${name}</bdi></p>`

const hasLogo = ({ look }: Frame): boolean => look.logo.light !== null || look.logo.dark !== null

/** Both logos are in the page and the stylesheet shows the one for the theme, because a script would run too late. */
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

/** A picture of the organization's tile and the connector's tile, joined by the carabiner symbol. */
export function pair(frame: KnownFrame, connector: ConnectorDisplay, joined: boolean): SafeHtml {
  const { name } = frame.organization
  const own = hasLogo(frame)
    ? html`<span class="tile brand">${logo(frame, '')}</span>`
    : html`<span class="tile own">${initial(name)}</span>`
  const middle = joined ? html`<span class="seal good">${icon('check')}</span>` : glyph('open')
  return html`<div class="pair${joined ? ' joined' : ''}" aria-hidden="true">${own}<span class="join">${middle}</span>${tile(connector)}</div>`
}

export const tile = (connector: ConnectorDisplay): SafeHtml =>
  connector.logo !== null
    ? html`<span class="tile art" aria-hidden="true"><img src="${ownPath(connector.logo)}" alt=""></span>`
    : html`<span class="tile ${tint(connector)}${connector.letters && ' two'}" aria-hidden="true">${connector.letters ?? initial(connector.name)}</span>`

/** A class, because the content security policy forbids style attributes. */
export const tint = ({ slug, tint: own }: Pick<ConnectorDisplay, 'slug' | 'tint'>): string =>
  `t${own ?? tintOfName(slug)}`

const MAX_HEADING_LENGTH = 60

/** Names are never truncated, so long headings use a smaller font. */
export const heading = (sentence: Sentence): SafeHtml =>
  html`<h1${plain(sentence).length > MAX_HEADING_LENGTH ? html` class="long"` : null}>${inline(sentence)}</h1>`

export const userLine = (frame: Frame): SafeHtml | null =>
  frame.user &&
  html`<p class="whom"><span class="avatar" aria-hidden="true">${initial(frame.user.name)}</span><span>${inline(frame.words.forWhom(frame.user.name))}</span></p>`

export const note = (kind: 'info' | 'trust' | 'warn', name: IconName, sentence: Sentence): SafeHtml =>
  html`<p class="note ${kind}">${icon(name)}<span>${inline(sentence)}</span></p>`

export const hiddenFields = ({ fields }: FormTarget): SafeHtml[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** Submits the cancel form with the reason that the person did not expect the request. */
export const notExpected = (frame: Frame): SafeHtml =>
  html`<button class="button quiet" form="${CANCEL_FORM}" name="unexpected" value="1"><span>${inline(frame.words.notExpected(frame.user?.isName ? frame.user.name : null))}</span></button>`

export const referenceFoot = (frame: Frame): SafeHtml =>
  html`<code title="${plain(frame.words.reference)}">${frame.requestId}</code>`

/** Links to alternative methods to connect the same product. */
export const alternativeLinks = (
  frame: Frame,
  connector: ConnectorDisplay,
  alternatives: AlternativeMethod[],
): SafeHtml[] =>
  alternatives.map(
    alternative =>
      html`<a class="instead" href="${webHref(alternative.href)}">${inline(alternativeText(frame.words, connector.name, alternative))}</a>`,
  )

const alternativeText = (
  words: Frame['words'],
  product: string,
  alternative: AlternativeMethod,
): Sentence => {
  switch (alternative.by) {
    case 'key':
    case 'credentials':
      return formTexts(words, alternative.by).use
    case 'sign_in':
      return words.apiKey.useSignIn(product)
    case 'server':
      return words.consent.otherWay(product)
    case 'connector':
      return words.consent.otherConnector(alternative.connector)
  }
}
