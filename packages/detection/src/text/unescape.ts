import { type FoldedText, foldText } from './fold.ts'

/** A text with its escapes decoded, and the position in the source of each code unit. */
export type DecodedText = { text: string; origin: Int32Array }

/** HTML's named character references for printable ASCII and for invisible characters. */
const NAMED_CHARACTERS = new Map<string, string>(
  [
    String.raw`amp & lt < gt > quot " apos ' sol / bsol \ plus + equals = lowbar _ period . comma , colon : semi ; excl ! num #`,
    'dollar $ percnt % lpar ( rpar ) ast * commat @ lsqb [ rsqb ] lbrack [ rbrack ] hat ^ grave ` lcub { rcub } lbrace {',
    'rbrace } verbar | vert | quest ? hyphen - dash -',
  ].flatMap(line =>
    Array.from(line.matchAll(/(\S+) (\S)/g), ([, name = '', character = '']) => [name, character] as const),
  ),
)
for (const name of ['shy', 'zwj', 'zwnj', 'zerowidthspace']) NAMED_CHARACTERS.set(name, '')
NAMED_CHARACTERS.set('nbsp', ' ')

/** Nested escapes, such as doubly percent-encoded text or an HTML entity in JSON within JSON. */
const MAX_DEPTH = 4

/**
 * Yields the text with one more layer of escapes decoded and folded each time, until nothing changes or the maximum depth
 * is reached. Decodes percent-encoding, HTML entities and the escapes of JSON. The source itself is not yielded.
 */
export const decodeEscapes = function* (source: string): Generator<DecodedText> {
  let current = null as DecodedText | null
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const before: string = current?.text ?? source
    const decoded = decodeLayer(before)
    const folded: FoldedText = foldText(decoded?.text ?? before)
    if (!decoded && !folded.origin) return
    const origin = compose(decoded?.origin ?? null, folded)
    const earlier: Int32Array | null = current?.origin ?? null
    current = { text: folded.text, origin: earlier ? origin.map(at => earlier[at] as number) : origin }
    yield current
  }
}

const compose = (first: Int32Array | null, { text, origin }: FoldedText): Int32Array => {
  if (!origin) return first ?? Int32Array.from(text, (_, at) => at)
  return first ? origin.map(at => first[at] as number) : origin
}

const PERCENT = 37
const AMPERSAND = 38
const BACKSLASH = 92

/** Returns null if there is nothing to decode. A decoded character is never longer than its escape. */
const decodeLayer = (text: string): DecodedText | null => {
  if (!/[%&\\]/.test(text)) return null
  const units = new Uint16Array(text.length)
  const origin = new Int32Array(text.length)
  let length = 0
  let isChanged = false
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const escape =
      code === PERCENT || code === AMPERSAND || code === BACKSLASH ? escapeAt(text, at, code) : null
    isChanged ||= escape !== null
    const decoded = escape ? escape.text : text[at]
    for (let n = 0; n < (decoded as string).length; n++) {
      units[length] = (decoded as string).charCodeAt(n)
      origin[length++] = at
    }
    at += escape ? escape.length : 1
  }
  if (!isChanged) return null
  const result = Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
  return { text: result, origin: origin.subarray(0, length) }
}

/** The character of an escape, and the length of the escape in code units. */
type Escape = { text: string; length: number }

const escapeAt = (text: string, at: number, code: number): Escape | null => {
  if (code === PERCENT) return percentAt(text, at)
  return code === AMPERSAND ? entityAt(text, at) : backslashAt(text, at)
}

/** Decodes a single ASCII byte, so that positions stay exact, or a whole UTF-8 sequence. */
const percentAt = (text: string, at: number): Escape | null => {
  const byte = byteAt(text, at)
  if (byte === null) return null
  if (byte < 0x80) return { text: ASCII[byte] as string, length: 3 }
  const bytes = [byte]
  for (let next = byteAt(text, at + 3); next !== null && next >= 0x80 && bytes.length < MAX_UTF8_BYTES; )
    next = byteAt(text, at + 3 * bytes.push(next))
  return { text: Buffer.from(bytes).toString('utf8'), length: bytes.length * 3 }
}

const MAX_UTF8_BYTES = 4
const ASCII = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code))

const byteAt = (text: string, at: number): number | null => {
  if (text.charCodeAt(at) !== PERCENT) return null
  const [high, low] = [hexAt(text, at + 1), hexAt(text, at + 2)]
  return high < 0 || low < 0 ? null : high * 16 + low
}

const hexAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

const NUMERIC_ENTITY = /&#(?:(\d{1,7})|[xX]([0-9a-fA-F]{1,6}));?/y
const NAMED_ENTITY = /&([a-zA-Z]{2,16});/y

const entityAt = (text: string, at: number): Escape | null => {
  NUMERIC_ENTITY.lastIndex = at
  const numeric = NUMERIC_ENTITY.exec(text)
  if (numeric) {
    const [{ length }, decimal, hex] = numeric
    return escapeOf(decimal === undefined ? Number(`0x${hex}`) : Number(decimal), length)
  }
  NAMED_ENTITY.lastIndex = at
  const [whole = '', name = ''] = NAMED_ENTITY.exec(text) ?? []
  const character = NAMED_CHARACTERS.get(name.toLowerCase())
  return character === undefined ? null : { text: character, length: whole.length }
}

const ESCAPED_CODE = /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2}))/y

const backslashAt = (text: string, at: number): Escape | null => {
  const next = text[at + 1] ?? ''
  if (next !== '' && `"'\\/`.includes(next)) return { text: next, length: 2 }
  ESCAPED_CODE.lastIndex = at
  const coded = ESCAPED_CODE.exec(text)
  return coded && escapeOf(Number(`0x${coded[1] ?? coded[2] ?? coded[3]}`), coded[0].length)
}

const escapeOf = (code: number, length: number): Escape | null =>
  code <= 0x10ffff ? { text: String.fromCodePoint(code), length } : null
