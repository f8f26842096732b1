/**
 * A text in the form that patterns read: compatibility forms normalized (NFKC), invisible characters removed, every
 * decimal digit and dash replaced by the ASCII one.
 */
export type FoldedText = {
  text: string
  source: string
  /** The position in the source of each code unit; null if nothing changed. */
  origin: Int32Array | null
}

/** Characters other than ASCII and the Latin letters of Europe, none of which change. */
const MAY_FOLD = /[^\0-\x7f\xc0-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e]/g
const INVISIBLE = /^(?:\p{Cf}|\p{Default_Ignorable_Code_Point})$/u
const DASH = /^[\p{Pd}\u2212]$/u
const DIGIT = /^\p{Nd}$/u

/** Combining marks, such as a stroke or a key cap. On a digit they are decoration. */
const isCombiningMark = (code: number): boolean =>
  (code >= 0x300 && code <= 0x36f) ||
  (code >= 0x1ab0 && code <= 0x1aff) ||
  (code >= 0x1dc0 && code <= 0x1dff) ||
  (code >= 0x20d0 && code <= 0x20ff) ||
  (code >= 0xfe20 && code <= 0xfe2f)

/** A few ligatures expand to whole phrases. They contain no entity, and a text made of them would grow many times. */
const MAX_FOLDED_LENGTH = 3

/** Memoized results for characters of the basic plane: the state of each character, and its folded form. */
const foldedCharacters = new Map<number, string>()
const UNKNOWN = 0
const UNCHANGED = 1
const FOLDED = 2
const foldStates = new Uint8Array(0x10000)

/** Folds a text. Matches in the result are mapped back with `sourceStart` and `sourceEnd`. */
export const foldText = (source: string): FoldedText => {
  MAY_FOLD.lastIndex = 0
  while (MAY_FOLD.test(source)) {
    const at = MAY_FOLD.lastIndex - 1
    if (foldState(source.charCodeAt(at)) === FOLDED) return foldFrom(source, at)
  }
  return { text: source, source, origin: null }
}

/** A high surrogate always counts as folded, because the result depends on the pair. */
const foldState = (code: number): number => {
  const known = foldStates[code] ?? UNKNOWN
  if (known !== UNKNOWN) return known
  const folded = foldCharacter(String.fromCharCode(code))
  foldedCharacters.set(code, folded)
  const state =
    isHighSurrogate(code) || isCombiningMark(code) || folded !== String.fromCharCode(code)
      ? FOLDED
      : UNCHANGED
  foldStates[code] = state
  return state
}

const foldCharacter = (character: string): string => {
  if (INVISIBLE.test(character)) return ''
  if (DASH.test(character)) return '-'
  const folded = character.normalize('NFKC')
  if (folded.length > MAX_FOLDED_LENGTH) return character
  return DIGIT.test(folded) ? asciiDigit(folded) : folded
}

/** Unicode encodes decimal digits in runs of ten that start with zero. */
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) as number
  let value = 0
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value++
  return String(value)
}

const isAsciiDigit = (code: number): boolean => code >= 48 && code <= 57
const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Memoized results for surrogate pairs. Ordinary texts use far fewer different pairs than the limit. */
const foldedPairs = new Map<number, string>()
const MAX_PAIRS = 10_000

const foldPair = (source: string, at: number): string => {
  const key = (source.charCodeAt(at) << 16) | source.charCodeAt(at + 1)
  const known = foldedPairs.get(key)
  if (known !== undefined) return known
  const folded = foldCharacter(source.slice(at, at + 2))
  if (foldedPairs.size < MAX_PAIRS) foldedPairs.set(key, folded)
  return folded
}

const foldFrom = (source: string, first: number): FoldedText => {
  let units = new Uint16Array(source.length + 64)
  let origin = new Int32Array(source.length + 64)
  let length = 0
  const append = (code: number, from: number): void => {
    if (length === units.length) {
      units = enlarge(units, Uint16Array)
      origin = enlarge(origin, Int32Array)
    }
    units[length] = code
    origin[length++] = from
  }
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at)
    if (at < first || code <= 0x7f || foldState(code) === UNCHANGED) {
      append(code, at)
      continue
    }
    if (isCombiningMark(code) && length > 0 && isAsciiDigit(units[length - 1] as number)) continue
    const isPair = isHighSurrogate(code) && at + 1 < source.length
    const folded = isPair ? foldPair(source, at) : (foldedCharacters.get(code) ?? '')
    for (let n = 0; n < folded.length; n++) append(folded.charCodeAt(n), at)
    if (isPair) at++
  }
  const text = Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
  return { text, source, origin: origin.subarray(0, length) }
}

const enlarge = <A extends Uint16Array | Int32Array>(from: A, make: new (size: number) => A): A => {
  const copy = new make(from.length * 2)
  copy.set(from)
  return copy
}

/** Maps the start of a span back to the source. Invisible characters inside the span belong to it. */
export const sourceStart = ({ origin }: FoldedText, start: number): number =>
  origin ? (origin[start] as number) : start

/** Maps the exclusive end of a span back to the source. */
export const sourceEnd = ({ source, origin }: FoldedText, end: number): number => {
  if (!origin) return end
  const last = origin[end - 1] as number
  return last + (isHighSurrogate(source.charCodeAt(last)) ? 2 : 1)
}
