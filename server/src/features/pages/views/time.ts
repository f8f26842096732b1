import { html, type SafeHtml } from '@remix-run/html-template'
import { HOUR } from '../../../core/duration.ts'
import type { Frame } from './model.ts'
import type { Sentence } from './words/sentence.ts'

/** `date`: the day only; `moment`: day and time; `clock`: the time of a moment that is near. */
type TimeForm = 'date' | 'moment' | 'clock'

const OPTIONS: Record<TimeForm, Intl.DateTimeFormatOptions> = {
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  moment: { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  clock: { hour: '2-digit', minute: '2-digit' },
}

/** Shown in UTC until the script replaces it with local time. */
export const time = ({ words }: Pick<Frame, 'words'>, at: Date, form: TimeForm): SafeHtml => {
  const text = at.toLocaleString(words.language, { ...OPTIONS[form], timeZone: 'UTC' })
  const utc = form === 'date' ? text : `${text} UTC`
  return html`<time datetime="${at.toISOString()}" title="${utc}"${form === 'clock' ? null : html` data-form="${form}"`}>${utc}</time>`
}

/** A time within half a day needs no date. */
export const nearTime = (frame: Frame, at: Date): SafeHtml =>
  time(frame, at, at.getTime() - frame.time.getTime() > 12 * HOUR ? 'moment' : 'clock')

/** A sentence with an element in the place of its name. */
export const around = ({ texts }: Sentence, element: SafeHtml): SafeHtml =>
  html`${texts.map((text, i) => [text, i < texts.length - 1 ? html`<bdi>${element}</bdi>` : null])}`
