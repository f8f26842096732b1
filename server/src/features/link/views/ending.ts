import { html, type SafeHtml } from '@remix-run/html-template'
import { type IconName, icon } from './icons.ts'
import { endingBar, heading, hiddenFields, page, tile } from './layout.ts'
import type { ConnectorFace, FormTarget, Frame } from './model.ts'
import { inline, type Sentence } from './sentence.ts'
import { helpHref, ownPath, type VettedHref } from './vetted-href.ts'

export type Tone = 'good' | 'bad' | 'warn' | 'calm'

type Ending = {
  picture: SafeHtml
  title: Sentence
  lead: Sentence[]
  /** What became of the person's data. The reference is added here, so that no ending goes without. */
  receipt: [term: Sentence, text: Sentence][]
  button: { href: VettedHref; text: Sentence; target?: '_top' } | { form: FormTarget; text: Sentence } | null
  /** A way on beside the button, such as back to the application. */
  beside?: { href: VettedHref; text: Sentence } | null
  /** Offers the organization's own help, where it named a place for it. */
  contact?: boolean
  foot: Sentence | null
  refresh?: VettedHref
}

/** The one shape of every page after which there is nothing more to do here. */
export function ending(frame: Frame, ended: Ending): SafeHtml {
  const { picture, title, lead, receipt, button, foot, refresh } = ended
  const { words } = frame
  const beside = [
    ended.beside ?? null,
    ended.contact && frame.organization && frame.look.supportHref !== null
      ? { href: helpHref(frame.look.supportHref), text: words.contact(frame.organization.name) }
      : null,
  ].filter(entry => entry !== null)
  return page(frame, {
    title,
    bar: endingBar(frame),
    main: html`<div class="ending">
${picture}
${heading(title)}
<p class="lead">${lead.map(sentence => [inline(sentence), words.language === 'ja' ? null : ' '])}</p>
<dl class="receipt">${receipt.map(([term, text]) => receiptRow(term, inline(text)))}
${receiptRow(words.reference, html`<code>${frame.requestId}</code> <span class="time">· ${frame.time}</span>`)}</dl>
</div>
${
  button === null && beside.length === 0
    ? null
    : html`<div class="actions">${button && mainButton(button)}${beside.map(
        ({ href, text }) => html`<a class="button quiet" href="${href}"><span>${inline(text)}</span></a>`,
      )}</div>`
}`,
    foot: foot && html`<span>${inline(foot)}</span>`,
    ...(refresh !== undefined && { refresh }),
  })
}

const mainButton = (button: NonNullable<Ending['button']>): SafeHtml =>
  'href' in button
    ? html`<a class="button primary" href="${button.href}"${button.target ? html` target="_top" data-do="leave-frame"` : null}><span>${inline(button.text)}</span></a>`
    : html`<form method="post" action="${ownPath(button.form.action)}">${hiddenFields(button.form)}<button class="button primary"><span>${inline(button.text)}</span></button></form>`

const receiptRow = (term: Sentence, text: SafeHtml): SafeHtml =>
  html`<div><dt>${inline(term)}</dt><dd>${text}</dd></div>
`

/** The connector with the outcome pinned to it or, where no connector is known, the outcome alone. */
export function seal(connector: ConnectorFace | null, tone: Tone, name: IconName): SafeHtml {
  const mark = html`<span class="seal ${tone}">${icon(name)}</span>`
  return html`<div class="picture" aria-hidden="true">${connector ? html`${tile(connector)}${mark}` : mark}</div>`
}
