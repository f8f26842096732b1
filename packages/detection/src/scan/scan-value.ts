import type { Rules } from '../rules/compile-rules.ts'
import { findWords, tokenize, type WordHit } from '../text/tokenize.ts'
import { type KeyContext, NO_KEY_CONTEXT } from './context.ts'
import type { Match, Place, ValueMatch } from './match.ts'
import { scanAcross } from './scan-across.ts'
import { scanOneText } from './scan-text.ts'
import { type Scanner, type ScanOptions, withScanner } from './scanner.ts'
import { type TextPiece, textPieceOf } from './text-piece.ts'

/** The maximum nesting depth of a value. The scan is recursive, and ordinary values are far less deep. */
export const MAX_DEPTH = 1000

/** Thrown by `scanValue` if a value is nested deeper than 1000 levels. */
export class ValueTooDeepError extends Error {
  override name = 'ValueTooDeepError'
  constructor() {
    super(`The value is nested deeper than ${MAX_DEPTH} levels and cannot be scanned.`)
  }
}

/** Shorter numbers match no entity, only custom rules. */
const MIN_NUMBER = 10_000

/**
 * Finds every entity in a JSON value that the rules ask for: in keys, strings and integers at any depth, and in strings
 * that neighboring content blocks split. The key of a value counts as context.
 *
 * @example
 * scanValue({ ssn: 123456780 }, compileRules({ entities: { US_SSN: {} } }))
 * // [{ entity: 'US_SSN', …, places: [{ path: ['ssn'], in: 'value', start: 0, end: 9 }] }]
 */
export const scanValue = (value: unknown, rules: Rules, options: ScanOptions = {}): ValueMatch[] =>
  withScanner(rules, options, scanner => scanWith(scanner, value))

const scanWith = (scanner: Scanner, value: unknown): ValueMatch[] => {
  const hasCustomRules = scanner.rules.custom.length > 0
  const matches: ValueMatch[] = []
  const path: (string | number)[] = []
  const wordsOfKey = createKeyReader(scanner)
  const addMatches = (found: readonly Match[], where: Place['in']): void => {
    for (const { entity, score, rule, context, start, end } of found)
      matches.push({ entity, score, rule, context, places: [{ path: path.slice(), in: where, start, end }] })
  }
  const visit = (node: unknown, keyContext: KeyContext): void => {
    if (typeof node === 'string') addMatches(scanOneText(scanner, node, keyContext), 'value')
    else if (typeof node === 'number') {
      if (Number.isInteger(node) && (node >= MIN_NUMBER || -node >= MIN_NUMBER || hasCustomRules))
        addMatches(scanOneText(scanner, String(node), keyContext), 'value')
    } else if (typeof node === 'object' && node !== null) {
      if (path.length >= MAX_DEPTH) throw new ValueTooDeepError()
      if (Array.isArray(node)) visitArray(node, keyContext)
      else visitObject(node as Record<string, unknown>, keyContext)
    }
  }
  const visitArray = (items: unknown[], keyContext: KeyContext): void => {
    for (let at = 0; at < items.length; at++) {
      path.push(at)
      visit(items[at], keyContext)
      path.pop()
    }
    // A spread would pass every match as an argument, and there may be a hundred thousand.
    for (const match of scanAcross(scanner, piecesOf(items, path))) matches.push(match)
  }
  const visitObject = (members: Record<string, unknown>, keyContext: KeyContext): void => {
    for (const key of Object.keys(members)) {
      path.push(key)
      const { hits, mayMatch } = wordsOfKey(key)
      if (mayMatch) addMatches(scanOneText(scanner, key, NO_KEY_CONTEXT), 'key')
      visit(
        members[key],
        hits.length > 0 || keyContext.own.length > 0 ? { own: hits, parent: keyContext.own } : NO_KEY_CONTEXT,
      )
      path.pop()
    }
  }
  visit(value, NO_KEY_CONTEXT)
  return matches
}

const piecesOf = (items: unknown[], path: readonly (string | number)[]): TextPiece[] =>
  items.flatMap((item, at): TextPiece[] => {
    const piece = textPieceOf(item)
    return piece ? [{ text: piece.text, path: [...path, at, ...piece.path] }] : []
  })

type KeyWords = {
  hits: readonly WordHit[]
  /** Only a key with a digit or a sign can contain an entity. */
  mayMatch: boolean
}
const PLAIN_KEY = /^[A-Za-z_]{1,24}$/
const MAX_KEYS = 1000

const neverStartsPattern = (): boolean => false
const nextPosition = (at: number): number => at + 1

/** Keys repeat within a value, so the words of each key are looked up once. */
const createKeyReader = ({ rules, keyTokens }: Scanner): ((key: string) => KeyWords) => {
  const { index, custom } = rules
  const known = new Map<string, KeyWords>()
  return key => {
    const cached = known.get(key)
    if (cached) return cached
    tokenize(keyTokens, key, neverStartsPattern, nextPosition)
    findWords(keyTokens, key, index)
    const words = { hits: keyTokens.hits, mayMatch: custom.length > 0 || !PLAIN_KEY.test(key) }
    if (known.size < MAX_KEYS) known.set(key, words)
    return words
  }
}
