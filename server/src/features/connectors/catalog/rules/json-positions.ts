import type { Step } from './connector-problem.ts'

/** The offset of each value in a JSON text, to report the position of a problem. */
export type JsonPositions = {
  /** The offset of the value at this path, or of its nearest ancestor. */
  offsetOf(path: Step[]): number
  /** Duplicate keys of an object, of which `JSON.parse` would silently keep the last. */
  duplicates: Step[][]
}
export type JsonSyntaxError = { offset: number; reason: string }

/** Locates values in an untrusted text. Only for error positions; `JSON.parse` decides what is valid. */
export const locateJson = (text: string): JsonPositions | JsonSyntaxError => {
  const reader = new JsonReader(text)
  try {
    reader.readAll()
  } catch (error) {
    if (error instanceof SyntaxFault) return { offset: error.offset, reason: error.message }
    throw error
  }
  return {
    duplicates: reader.duplicates.map(key => key.split(SEPARATOR).slice(1)),
    offsetOf: path => nearest(reader.offsets, path),
  }
}

export const lineAndColumn = (text: string, offset: number): { line: number; column: number } => {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1) as string).length + 1 }
}

/** A separator that no name in a connector file contains. */
const SEPARATOR = '\0'
const keyUnder = (key: string, step: Step): string => `${key}${SEPARATOR}${step}`
const keyOf = (path: Step[]): string => path.reduce<string>(keyUnder, '')

const nearest = (offsets: Map<string, number>, path: Step[]): number => {
  for (let length = path.length; length >= 0; length--) {
    const offset = offsets.get(keyOf(path.slice(0, length)))
    if (offset !== undefined) return offset
  }
  return 0
}

class SyntaxFault extends Error {
  readonly offset: number
  constructor(offset: number, reason: string) {
    super(reason)
    this.offset = offset
  }
}

const MAX_DEPTH = 64
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\.)*"/uy
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const SPACE = /[ \t\r\n]*/y

/** Parses the text once. The position of a member is that of its name. */
class JsonReader {
  readonly offsets = new Map<string, number>()
  readonly duplicates: string[] = []
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  readAll(): void {
    this.#skipSpace()
    this.#readValue('', 0, this.#at)
    if (this.#next() !== undefined) throw this.#fault('unexpected text after the end')
  }

  #readValue(key: string, depth: number, offset: number): void {
    if (depth > MAX_DEPTH) throw this.#fault('this is nested too deeply')
    this.offsets.set(key, offset)
    const first = this.#next()
    if (first === '{') this.#readMembers(key, depth + 1)
    else if (first === '[') this.#readItems(key, depth + 1)
    else if (first === '"') this.#readString()
    else if (this.#take(SCALAR) === null)
      throw this.#fault(first === undefined ? 'the text ends too early' : 'this is not valid JSON')
  }

  #readMembers(key: string, depth: number): void {
    const seen = new Set<string>()
    this.#at++
    if (this.#close('}')) return
    for (;;) {
      if (this.#next() === '}') throw this.#fault('there is an extra comma before this')
      if (this.#next() !== '"') throw this.#expected('a name in quotes')
      const offset = this.#at
      const name = this.#readString()
      if (seen.has(name)) this.duplicates.push(keyUnder(key, name))
      seen.add(name)
      if (!this.#close(':')) throw this.#expected('a colon')
      this.#readValue(keyUnder(key, name), depth, offset)
      if (this.#close('}')) return
      if (!this.#close(',')) throw this.#expected('a comma or a closing brace')
    }
  }

  #readItems(key: string, depth: number): void {
    this.#at++
    if (this.#close(']')) return
    for (let index = 0; ; index++) {
      if (this.#next() === ']') throw this.#fault('there is an extra comma before this')
      this.#readValue(keyUnder(key, index), depth, this.#at)
      if (this.#close(']')) return
      if (!this.#close(',')) throw this.#expected('a comma or a closing bracket')
    }
  }

  #readString(): string {
    const start = this.#at
    const token = this.#take(STRING)
    if (token === null)
      throw new SyntaxFault(
        start,
        'this string is not terminated, or contains a character that must be escaped',
      )
    if (!token.includes('\\')) return token.slice(1, -1)
    try {
      return JSON.parse(token) as string
    } catch {
      throw new SyntaxFault(start, 'this string contains a character that must be escaped')
    }
  }

  /** The next character that is not whitespace, or undefined at the end. */
  #next(): string | undefined {
    this.#skipSpace()
    return this.#text[this.#at]
  }

  #close(character: string): boolean {
    const here = this.#next() === character
    if (here) this.#at++
    return here
  }

  #skipSpace(): void {
    this.#take(SPACE)
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? null
    if (found !== null) this.#at += found.length
    return found
  }

  #fault(reason: string): SyntaxFault {
    return new SyntaxFault(this.#at, reason)
  }

  #expected(what: string): SyntaxFault {
    return this.#fault(this.#next() === undefined ? 'the text ends too early' : `expected ${what}`)
  }
}
