/** A text as the patterns read it: compatibility forms folded, invisible characters gone, every digit and dash an ASCII one. */
export type Folded = {
  text: string
  given: string
  /** Where in the given text each unit comes from; null where nothing was folded. */
  origin: Int32Array | null
}

/** Neither ASCII nor one of Europe's Latin letters, which all stay as they are. */
const MAY_FOLD = /[^\0-\x7f\xc0-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e]/g
const INVISIBLE = /^(?:\p{Cf}|\p{Default_Ignorable_Code_Point})$/u
const DASH = /^[\p{Pd}\u2212]$/u
const DIGIT = /^\p{Nd}$/u

/** Marks that are drawn over another character, such as a stroke or a key cap. On a digit they are decoration. */
const isMark = (code: number): boolean =>
  (code >= 0x300 && code <= 0x36f) ||
  (code >= 0x1ab0 && code <= 0x1aff) ||
  (code >= 0x1dc0 && code <= 0x1dff) ||
  (code >= 0x20d0 && code <= 0x20ff) ||
  (code >= 0xfe20 && code <= 0xfe2f)

/** A few ligatures are whole phrases; nothing that is looked for hides in them, and a text of them would grow. */
const LONGEST_FOLD = 3

/** What characters of the basic plane become, as far as they were met. */
const folds = new Map<number, string>()
const UNKNOWN = 0
const STAYS = 1
const FOLDS = 2
const known = new Uint8Array(0x10000)

export const fold = (given: string): Folded => {
  MAY_FOLD.lastIndex = 0
  while (MAY_FOLD.test(given)) {
    const at = MAY_FOLD.lastIndex - 1
    if (judge(given.charCodeAt(at)) === FOLDS) return foldFrom(given, at)
  }
  return { text: given, given, origin: null }
}

/** The first half of a pair always folds: what the pair becomes is looked up when it is known. */
const judge = (code: number): number => {
  const judged = known[code] ?? UNKNOWN
  if (judged !== UNKNOWN) return judged
  const folded = foldCharacter(String.fromCharCode(code))
  folds.set(code, folded)
  const verdict = isHighHalf(code) || isMark(code) || folded !== String.fromCharCode(code) ? FOLDS : STAYS
  known[code] = verdict
  return verdict
}

const foldCharacter = (character: string): string => {
  if (INVISIBLE.test(character)) return ''
  if (DASH.test(character)) return '-'
  const folded = character.normalize('NFKC')
  if (folded.length > LONGEST_FOLD) return character
  return DIGIT.test(folded) ? asciiDigit(folded) : folded
}

/** Decimal digits stand in runs of ten, the zero first. */
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) as number
  let value = 0
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value++
  return String(value)
}

const isAsciiDigit = (code: number): boolean => code >= 48 && code <= 57
const isHighHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** What pairs become, as far as they were met. More than this many are no text. */
const pairs = new Map<number, string>()
const MOST_PAIRS = 10_000

const foldPair = (given: string, at: number): string => {
  const key = (given.charCodeAt(at) << 16) | given.charCodeAt(at + 1)
  const met = pairs.get(key)
  if (met !== undefined) return met
  const folded = foldCharacter(given.slice(at, at + 2))
  if (pairs.size < MOST_PAIRS) pairs.set(key, folded)
  return folded
}

const foldFrom = (given: string, first: number): Folded => {
  let units = new Uint16Array(given.length + 64)
  let origin = new Int32Array(given.length + 64)
  let length = 0
  const put = (code: number, from: number): void => {
    if (length === units.length) {
      units = larger(units, Uint16Array)
      origin = larger(origin, Int32Array)
    }
    units[length] = code
    origin[length++] = from
  }
  for (let at = 0; at < given.length; at++) {
    const code = given.charCodeAt(at)
    if (at < first || code <= 0x7f || judge(code) === STAYS) {
      put(code, at)
      continue
    }
    if (isMark(code) && length > 0 && isAsciiDigit(units[length - 1] as number)) continue
    const pair = isHighHalf(code) && at + 1 < given.length
    const folded = pair ? foldPair(given, at) : (folds.get(code) ?? '')
    for (let n = 0; n < folded.length; n++) put(folded.charCodeAt(n), at)
    if (pair) at++
  }
  const text = Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
  return { text, given, origin: origin.subarray(0, length) }
}

const larger = <A extends Uint16Array | Int32Array>(from: A, make: new (size: number) => A): A => {
  const copy = new make(from.length * 2)
  copy.set(from)
  return copy
}

/** A place of the folded text as one of the given text. Of a span, whatever invisible stands inside it belongs to it. */
export const givenStart = ({ origin }: Folded, start: number): number =>
  origin ? (origin[start] as number) : start

export const givenEnd = ({ given, origin }: Folded, end: number): number => {
  if (!origin) return end
  const last = origin[end - 1] as number
  return last + (isHighHalf(given.charCodeAt(last)) ? 2 : 1)
}
