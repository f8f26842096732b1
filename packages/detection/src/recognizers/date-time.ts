import type { AddMatch } from '../scan/match.ts'
import { codeAt, isDigit } from '../text/characters.ts'

const CLOCK = '(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:[.,]\\d{1,9})?)?(?: ?[ap]\\.?m\\b\\.?)?'
const ZONE = '(?:Z|[+-][01]\\d:?[0-5]\\d)?'
const YEAR_FIRST = new RegExp(
  `(?:19|20)\\d\\d([-/.])(?:0[1-9]|1[0-2])\\1(?:0[1-9]|[12]\\d|3[01])(?:[T ]${CLOCK}${ZONE})?(?![\\d-])`,
  'iy',
)
const YEAR_LAST = new RegExp(
  `(?:0?[1-9]|[12]\\d|3[01])([-/.])(?:0?[1-9]|[12]\\d|3[01])\\1(?:19|20)\\d\\d(?:,? ${CLOCK}${ZONE})?(?![\\d-])`,
  'iy',
)
const TIME = new RegExp(`${CLOCK}${ZONE}(?![\\d:])`, 'iy')

/** Names of months in the languages of the context words. */
export const MONTHS =
  'january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia'

/** Finds a numeric date or time that starts at the token. */
export const findDate = (text: string, start: number, addMatch: AddMatch): void => {
  const before = codeAt(text, start - 1)
  if ((before === 45 || before === 46 || before === 47 || before === 58) && isDigit(codeAt(text, start - 2)))
    return
  for (const [pattern, rule, score] of [
    [YEAR_FIRST, 'iso-date', 0.8],
    [YEAR_LAST, 'date', 0.7],
    [TIME, 'time', 0.4],
  ] as const) {
    pattern.lastIndex = start
    if (!pattern.test(text)) continue
    const end = pattern.lastIndex
    const baseScore = rule === 'time' && end - start > 6 ? 0.55 : score
    addMatch({ entity: 'DATE_TIME', rule, start, end, baseScore, contextScore: Math.min(1, baseScore + 0.2) })
    return
  }
}

const AFTER = /\.? (?:de )?(?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:(?:19|20)\d\d\b|\d{1,2}(?:st|nd|rd|th)?\b)/y
const BEFORE = /\b\d{1,2}(?:\.|st|nd|rd|th)? (?:de |of )?$/

/** Finds a date around the name of a month, which is from `at` to `end`. */
export const findNamedDate = (text: string, at: number, end: number, addMatch: AddMatch): void => {
  AFTER.lastIndex = end
  const last = AFTER.test(text) ? AFTER.lastIndex : end
  const head = BEFORE.exec(text.slice(Math.max(0, at - 10), at))
  if (!head && last === end) return
  addMatch({
    entity: 'DATE_TIME',
    rule: 'named-date',
    start: at - (head?.[0].length ?? 0),
    end: last,
    baseScore: 0.7,
    contextScore: 0.9,
  })
}
