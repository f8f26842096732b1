import { html, type SafeHtml } from '@remix-run/html-template'
import { type IconName, icon } from './icons.ts'
import { endingBar, heading, hiddenFields, page, tile } from './layout.ts'
import type { ConnectorDisplay, FormTarget, Frame } from './model.ts'
import { helpHref, ownPath, type VettedHref } from './vetted-href.ts'
import { inline, type Sentence } from './words/sentence.ts'

export type Tone = 'good' | 'bad' | 'warn' | 'calm'

type Ending = {
  picture: SafeHtml
  title: Sentence
  lead: Sentence[]
  /** What happened to the person's data. The reference is added to it on every page. */
  receipt: [term: Sentence, text: Sentence][]
  button: { href: VettedHref; text: Sentence; target?: '_top' } | { form: FormTarget; text: Sentence } | null
  /** A secondary action below the button, such as another connection. */
  more?: { form: FormTarget; text: Sentence } | null
  /** A link beside the button, such as back to the application. */
  beside?: { href: VettedHref; text: Sentence } | null
  /** The label of the close button, for pages without a link back to the application. */
  close: Sentence | null
  /** Shows the organization's support link, if it has one. */
  contact?: boolean
  foot?: Sentence
  refresh?: VettedHref
  /** The picture shows the organization's logo, so the bar does not repeat it. */
  logoShown?: boolean
}

/** The common layout of every final page. */
export function ending(frame: Frame, ended: Ending): SafeHtml {
  const { picture, title, lead, receipt, button, more, close, foot, refresh, logoShown = false } = ended
  const { words } = frame
  const beside = [
    ended.beside ?? null,
    ended.contact && frame.organization && frame.look.supportHref !== null
      ? { href: helpHref(frame.look.supportHref), text: words.contact(frame.organization.name) }
      : null,
  ].filter(entry => entry !== null)
  return page(frame, {
    title,
    bar: endingBar(frame, { logoShown }),
    main: html`<div class="ending">
${picture}
${heading(title)}
<p class="lead">${lead.map(sentence => [inline(sentence), words.language === 'ja' ? null : ' '])}</p>
<dl class="receipt">${receipt.map(([term, text]) => receiptRow(term, inline(text)))}
${receiptRow(words.reference, html`<code>${frame.requestId}</code> <span class="time">· ${clock(frame.time)}</span>`)}</dl>
</div>
<div class="actions">${button && mainButton(button)}${close && button === null ? closeButton(frame, close, 'primary') : null}${more ? formButton(more, '') : null}${beside.map(
      ({ href, text }) => html`<a class="button quiet" href="${href}"><span>${inline(text)}</span></a>`,
    )}${close && button !== null ? closeButton(frame, close, 'quiet') : null}</div>`,
    foot: foot === undefined ? null : html`<span>${inline(foot)}</span>`,
    ...(refresh !== undefined && { refresh }),
  })
}

const mainButton = (button: NonNullable<Ending['button']>): SafeHtml =>
  'href' in button
    ? html`<a class="button primary" href="${button.href}"${button.target ? html` target="_top" data-do="leave-frame"` : null}><span>${inline(button.text)}</span></a>`
    : formButton(button, 'primary')

const formButton = ({ form, text }: { form: FormTarget; text: Sentence }, look: string): SafeHtml =>
  html`<form method="post" action="${ownPath(form.action)}">${hiddenFields(form)}<button class="button ${look}"><span>${inline(text)}</span></button></form>`

/**
 * Only a script can close a window, and only some windows. The text is shown without a script, and again if the window
 * stays open.
 */
const closeButton = ({ words, embedded }: Frame, label: Sentence, look: string): SafeHtml =>
  html`<button class="button ${look}" type="button" data-do="close" hidden><span>${inline(label)}</span></button>${
    embedded ? null : html`<p class="closable" role="status">${inline(words.youMayClose)}</p>`
  }`

/** Shown in UTC until the script replaces it with local time. */
const clock = (time: Date): SafeHtml => {
  const utc = `${time.toISOString().slice(11, 16)} UTC`
  return html`<time datetime="${time.toISOString()}" title="${utc}">${utc}</time>`
}

const receiptRow = (term: Sentence, text: SafeHtml): SafeHtml =>
  html`<div><dt>${inline(term)}</dt><dd>${text}</dd></div>
`

/** The connector with a badge for the outcome, or the badge alone if there is no connector. */
export function badge(connector: ConnectorDisplay | null, tone: Tone, name: IconName): SafeHtml {
  const mark = html`<span class="seal ${tone}">${icon(name)}</span>`
  return html`<div class="picture" aria-hidden="true">${connector ? html`${tile(connector)}${mark}` : mark}</div>`
}
