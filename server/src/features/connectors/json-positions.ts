import type { Step } from './connector-problem.ts'

/** Where each value of a JSON text begins, so that a mistake can be shown in an editor. */
export type JsonPositions = {
  /** The offset of the value at these steps, or of the nearest one around it. */
  offsetOf(path: Step[]): number
  /** Keys that stand twice in one object: `JSON.parse` would keep the last and say nothing. */
  duplicates: Step[][]
}
export type JsonSyntaxError = { offset: number; reason: string }

const MAX_DEPTH = 64

class SyntaxFault extends Error {
  readonly offset: number
  constructor(offset: number, reason: string) {
    super(reason)
    this.offset = offset
  }
}

/** Reads a text that may be anything. It is used only to explain; what is valid is decided by `JSON.parse`. */
export const locateJson = (text: string): JsonPositions | JsonSyntaxError => {
  try {
    return readPositions(text)
  } catch (error) {
    if (error instanceof SyntaxFault) return { offset: error.offset, reason: error.message }
    throw error
  }
}

export const lineAndColumn = (text: string, offset: number): { line: number; column: number } => {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1) as string).length + 1 }
}

/** Steps are told apart by a character that no name in a connector file holds. */
const keyUnder = (key: string, step: Step): string => `${key}\0${step}`
const keyOf = (path: Step[]): string => path.reduce<string>(keyUnder, '')

const readPositions = (text: string): JsonPositions => {
  const offsets = new Map<string, number>()
  const duplicates: string[] = []
  let at = 0

  const fail = (reason: string, offset = at): never => {
    throw new SyntaxFault(offset, reason)
  }
  const expected = (what: string): string =>
    at >= text.length ? 'the text ends too early' : `${what} belongs here`
  const skipSpace = (): void => {
    while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at++
  }
  const take = (character: string, reason: string): void => {
    skipSpace()
    if (text[at] !== character) fail(expected(reason))
    at++
  }
  const readToken = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? null
    if (found !== null) at += found.length
    return found
  }
  const readString = (): string => {
    const start = at
    const token = readToken(STRING)
    if (token === null) return fail('this text has no end, or a character in it that must be escaped', start)
    if (!token.includes('\\')) return token.slice(1, -1)
    try {
      return JSON.parse(token) as string
    } catch {
      return fail('this text has a character in it that must be escaped', start)
    }
  }
  const readMembers = (key: string, depth: number): void => {
    const seen = new Set<string>()
    at++
    skipSpace()
    if (text[at] === '}') return void at++
    for (;;) {
      skipSpace()
      const offset = at
      if (text[at] !== '"')
        fail(text[at] === '}' ? 'there is a comma too many before this' : expected('a name in quotes'))
      const name = readString()
      if (seen.has(name)) duplicates.push(keyUnder(key, name))
      seen.add(name)
      take(':', 'a colon')
      readValue(keyUnder(key, name), depth, offset)
      skipSpace()
      if (text[at] === '}') return void at++
      take(',', 'a comma or a closing brace')
    }
  }
  const readItems = (key: string, depth: number): void => {
    at++
    skipSpace()
    if (text[at] === ']') return void at++
    for (let index = 0; ; index++) {
      skipSpace()
      if (text[at] === ']') fail('there is a comma too many before this')
      readValue(keyUnder(key, index), depth, at)
      skipSpace()
      if (text[at] === ']') return void at++
      take(',', 'a comma or a closing bracket')
    }
  }
  const readValue = (key: string, depth: number, offset: number): void => {
    if (depth > MAX_DEPTH) fail('this is nested too deeply')
    offsets.set(key, offset)
    skipSpace()
    if (text[at] === '{') return readMembers(key, depth + 1)
    if (text[at] === '[') return readItems(key, depth + 1)
    if (text[at] === '"') return void readString()
    if (readToken(SCALAR) === null) fail(at >= text.length ? 'the text ends too early' : 'this is not JSON')
  }

  skipSpace()
  readValue('', 0, at)
  skipSpace()
  if (at < text.length) fail('something follows after the end')
  return {
    duplicates: duplicates.map(key => key.split('\0').slice(1)),
    offsetOf: path => nearest(offsets, path),
  }
}

const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\.)*"/uy
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

const nearest = (offsets: Map<string, number>, path: Step[]): number => {
  for (let length = path.length; length >= 0; length--) {
    const offset = offsets.get(keyOf(path.slice(0, length)))
    if (offset !== undefined) return offset
  }
  return 0
}
