import { type Folded, fold } from './fold.ts'

/** A text with its escapes decoded, and where in the given text each unit comes from. */
export type Unescaped = { text: string; origin: Int32Array }

/** Percent-encoding, HTML entities, and the escapes of JSON and JavaScript strings. */
const ESCAPE =
  /(?:%[0-9a-f]{2})+|&#(?:\d{1,7}|x[0-9a-f]{1,6});?|&[a-z]{2,16};|\\(?:u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}|["'\\/])/gi

/** The named entities of printable ASCII characters, and of those that are not shown. */
const ENTITIES = new Map<string, string>(
  [
    String.raw`amp & lt < gt > quot " apos ' sol / bsol \ plus + equals = lowbar _ period . comma , colon : semi ; excl ! num #`,
    'dollar $ percnt % lpar ( rpar ) ast * commat @ lsqb [ rsqb ] lbrack [ rbrack ] hat ^ grave ` lcub { rcub } lbrace {',
    'rbrace } verbar | vert | quest ? hyphen - dash -',
  ].flatMap(line =>
    Array.from(line.matchAll(/(\S+) (\S)/g), ([, name = '', character = '']) => [name, character] as const),
  ),
)
for (const name of ['shy', 'zwj', 'zwnj', 'zerowidthspace']) ENTITIES.set(name, '')
ENTITIES.set('nbsp', ' ')

/** Escapes within escapes: percent-encoded twice, or an entity in a JSON text in a JSON text. */
const MAX_DEPTH = 4

/**
 * The text with one more layer of escapes decoded each time, compatibility forms folded and invisible characters removed, for as
 * long as anything changes. The given text is not among the results.
 */
export const unescapings = function* (given: string): Generator<Unescaped> {
  let current: Unescaped | null = null
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const before: string = current?.text ?? given
    const decoded = decodeEscapes(before)
    const folded: Folded = fold(decoded?.text ?? before)
    if (!decoded && !folded.origin) return
    const origin = compose(decoded?.origin ?? null, folded)
    const earlier: Int32Array | null = current?.origin ?? null
    current = { text: folded.text, origin: earlier ? origin.map(at => earlier[at] as number) : origin }
    yield current
  }
}

const compose = (first: Int32Array | null, { text, origin }: Folded): Int32Array => {
  if (!origin) return first ?? Int32Array.from(text, (_, at) => at)
  return first ? origin.map(at => first[at] as number) : origin
}

/** Null where there is nothing to decode. */
const decodeEscapes = (text: string): Unescaped | null => {
  if (!/[%&\\]/.test(text)) return null
  let result = ''
  let copied = 0
  const origin: number[] = []
  const copyTo = (end: number): void => {
    for (let at = copied; at < end; at++) origin.push(at)
    result += text.slice(copied, end)
  }
  for (const { 0: escape, index } of text.matchAll(ESCAPE)) {
    const decoded = escape.startsWith('%') ? decodePercent(escape) : decodeOne(escape)
    if (decoded === null) continue
    copyTo(index)
    result += decoded.text
    for (let n = 0; n < decoded.text.length; n++) origin.push(index + (decoded.offsets?.[n] ?? 0))
    copied = index + escape.length
  }
  if (copied === 0) return null
  copyTo(text.length)
  return { text: result, origin: Int32Array.from(origin) }
}

type Decoded = { text: string; offsets?: number[] }

/** Bytes of ASCII one by one, so that each knows its place; others as the UTF-8 that they are together. */
const decodePercent = (run: string): Decoded => {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex')
  let text = ''
  const offsets: number[] = []
  for (let at = 0; at < bytes.length; ) {
    let end = at + 1
    if ((bytes[at] as number) >= 0x80) while (end < bytes.length && (bytes[end] as number) >= 0x80) end++
    const part = bytes.subarray(at, end).toString('utf8')
    for (let n = 0; n < part.length; n++) offsets.push(at * 3)
    text += part
    at = end
  }
  return { text, offsets }
}

const decodeOne = (escape: string): Decoded | null => {
  if (escape.startsWith('&#')) return fromCode(escape.slice(2).replace(';', '').replace(/^x/i, '0x'))
  if (escape.startsWith('&')) {
    const text = ENTITIES.get(escape.slice(1, -1).toLowerCase())
    return text === undefined ? null : { text }
  }
  const digits = /^\\[ux]\{?([0-9a-f]+)/i.exec(escape)?.[1]
  return digits === undefined ? { text: escape.slice(1) } : fromCode(`0x${digits}`)
}

const fromCode = (digits: string): Decoded | null => {
  const code = Number(digits)
  return code <= 0x10ffff ? { text: String.fromCodePoint(code) } : null
}
