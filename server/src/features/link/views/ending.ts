import { html, type SafeHtml } from '@remix-run/html-template'
import { type IconName, icon } from './icons.ts'
import { endingBar, heading, page, tile } from './layout.ts'
import type { ConnectorFace, Frame } from './model.ts'
import { inline, type Sentence } from './sentence.ts'
import type { VettedHref } from './vetted-href.ts'
import { words } from './words.ts'

export type Tone = 'good' | 'bad' | 'warn' | 'calm'

type Ending = {
  picture: SafeHtml
  title: Sentence
  lead: Sentence[]
  /** What became of the person's data. The reference is added here, so that no ending goes without. */
  receipt: [term: Sentence, text: Sentence][]
  button: { href: VettedHref; text: Sentence } | null
  foot: Sentence | null
  refresh?: VettedHref
}

/** The one shape of every page after which there is nothing more to do here. */
export function ending(
  frame: Frame,
  { picture, title, lead, receipt, button, foot, refresh }: Ending,
): SafeHtml {
  return page(frame, {
    title,
    bar: endingBar(frame),
    main: html`<div class="ending">
${picture}
${heading(title)}
<p class="lead">${lead.map(sentence => [inline(sentence), ' '])}</p>
<dl class="receipt">${receipt.map(([term, text]) => receiptRow(term, inline(text)))}
${receiptRow(words.reference, html`<code>${frame.requestId}</code> <span class="time">· ${frame.time}</span>`)}</dl>
</div>
${button && html`<div class="actions"><a class="button primary" href="${button.href}"><span>${inline(button.text)}</span></a></div>`}`,
    foot: foot && html`<span>${inline(foot)}</span>`,
    ...(refresh !== undefined && { refresh }),
  })
}

const receiptRow = (term: Sentence, text: SafeHtml): SafeHtml =>
  html`<div><dt>${inline(term)}</dt><dd>${text}</dd></div>
`

/** The connector with the outcome pinned to it or, where no connector is known, the outcome alone. */
export function seal(connector: ConnectorFace | null, tone: Tone, name: IconName): SafeHtml {
  const mark = html`<span class="seal ${tone}">${icon(name)}</span>`
  return html`<div class="picture" aria-hidden="true">${connector ? html`${tile(connector)}${mark}` : mark}</div>`
}
