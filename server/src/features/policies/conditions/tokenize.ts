import type { ConditionIssue } from './policy.ts'

type At = { offset: number; length: number }

export type Token = At &
  (
    | { kind: 'name' | 'sign'; text: string }
    | { kind: 'literal'; value: string | number | bigint | boolean | null }
    | { kind: 'end' }
  )

/** An issue at a place of the expression. */
export class SyntaxIssue extends Error {
  readonly issue: ConditionIssue
  constructor(message: string, { offset, length }: At) {
    super(message)
    this.issue = { message, position: { offset, length } }
  }
}

const SPACE = /(?:[ \t\r\n\f]|\/\/[^\n]*)*/y
const NAME = /[A-Za-z_]\w*/y
const NUMBER = /0[xX][0-9A-Fa-f]+|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)|\d+/y
const SIGN = /&&|\|\||[=!<>]=|[-+*/%<>!?:.,()[\]{}]/y
const STRING = /"""(?:[^\\]|\\[^])*?"""|'''(?:[^\\]|\\[^])*?'''|"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'/y
const RAW_STRING = /[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\r\n]*"|'[^'\r\n]*')/y
const ESCAPE = /\\(?:[xX]([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-3][0-7]{2})|([^]))/g
const ESCAPES: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
}
const MAX_INT = 2n ** 63n
const CONSTANTS = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Throws `SyntaxIssue`. The last token has the kind `end`. */
export const tokenize = (source: string): Token[] => {
  const tokens: Token[] = []
  let offset = 0
  const take = (expected: RegExp): string | null => {
    expected.lastIndex = offset
    return expected.exec(source)?.[0] ?? null
  }
  const next = (): Token => {
    const raw = take(RAW_STRING)
    if (raw !== null)
      return { kind: 'literal', value: withoutQuotes(raw.slice(1)), offset, length: raw.length }
    const text = take(STRING)
    if (text !== null) return { kind: 'literal', value: unescape(text, offset), offset, length: text.length }
    const name = take(NAME)
    if (name !== null) {
      const length = name.length
      const constant = CONSTANTS.get(name)
      if (constant !== undefined) return { kind: 'literal', value: constant, offset, length }
      if (/^["']/.test(source.slice(offset + length)) && /^[bB][rR]?$/.test(name))
        throw new SyntaxIssue('Bytes are not supported.', { offset, length })
      return { kind: name === 'in' ? 'sign' : 'name', text: name, offset, length }
    }
    const number = take(NUMBER)
    if (number !== null) return numberToken(source, number, offset)
    const sign = take(SIGN)
    if (sign !== null) return { kind: 'sign', text: sign, offset, length: sign.length }
    const character = String.fromCodePoint(source.codePointAt(offset) as number)
    throw new SyntaxIssue(
      /["']/.test(character) ? 'The string is not closed.' : `Unexpected character: ${character}`,
      { offset, length: character.length },
    )
  }
  for (;;) {
    offset += take(SPACE)?.length ?? 0
    if (offset >= source.length) break
    const token = next()
    tokens.push(token)
    offset += token.length
  }
  tokens.push({ kind: 'end', offset: source.length, length: 0 })
  return tokens
}

const numberToken = (source: string, text: string, offset: number): Token => {
  const at = { offset, length: text.length }
  const following = source[offset + text.length] ?? ''
  if (/[uU]/.test(following)) throw new SyntaxIssue('Unsigned integers are not supported.', at)
  if (/\w/.test(following)) throw new SyntaxIssue('The number is not valid.', at)
  if (!/^0[xX]|^\d+$/.test(text)) return { kind: 'literal', value: Number(text), ...at }
  const value = BigInt(text)
  // The negative of the largest value is an integer, so it is checked when the sign is known.
  if (value > MAX_INT) throw new SyntaxIssue('The integer is too large.', at)
  return { kind: 'literal', value, ...at }
}

const withoutQuotes = (text: string): string => {
  const quotes = /^("""|''')/.test(text) ? 3 : 1
  return text.slice(quotes, -quotes)
}

const unescape = (text: string, offset: number): string =>
  withoutQuotes(text).replace(ESCAPE, (escape, x, u, U, octal, single) => {
    if (single !== undefined) {
      const character = ESCAPES[single as string]
      if (character !== undefined) return character
      throw new SyntaxIssue(`Unknown escape in a string: ${escape}`, { offset, length: text.length })
    }
    const code = octal ? Number.parseInt(octal, 8) : Number.parseInt(x ?? u ?? U, 16)
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      throw new SyntaxIssue(`Not a Unicode character: ${escape}`, { offset, length: text.length })
    return String.fromCodePoint(code)
  })
