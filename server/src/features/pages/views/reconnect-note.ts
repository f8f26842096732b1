import { html, type SafeHtml } from '@remix-run/html-template'
import { icon } from './icons.ts'
import type { ConnectorDisplay, KnownFrame, ReconnectReason } from './model.ts'
import { time } from './time.ts'
import { inline, type Sentence } from './words/sentence.ts'

/** Why the page asks the user to connect an account again. */
export function reconnectNote(
  frame: KnownFrame,
  { name }: Pick<ConnectorDisplay, 'name'>,
  reason: ReconnectReason | null,
): SafeHtml | null {
  if (!reason) return null
  const words = frame.words.reconnectReason
  const text =
    reason.kind === 'endsOn' || reason.kind === 'newKeyBy'
      ? withDate(words[reason.kind](name, DATE), time(frame, reason.at, 'date'))
      : inline(words[reason.kind](name))
  return html`<p class="note warn">${icon('alert')}<span>${text}</span></p>`
}

/** Stands for the date in a sentence. No connector has this name. */
const DATE = '\u0000'

const withDate = ({ texts, names }: Sentence, date: SafeHtml): SafeHtml =>
  html`${texts.map((text, i) => [text, names[i] === undefined ? null : html`<bdi>${names[i] === DATE ? date : names[i]}</bdi>`])}`
