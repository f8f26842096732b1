import type { Rules } from './compile-rules.ts'
import { type Ambient, NO_AMBIENT } from './context.ts'
import type { Match, Place, ValueMatch } from './match.ts'
import { type Piece, scanAcross, textOf } from './scan-across.ts'
import { scanWithin } from './scan-text.ts'
import { findWords, type Hit, newTokens, tokenize } from './tokenize.ts'

/** A value nested deeper is refused: nobody means it, and the walk needs room for each level. */
export const DEEPEST = 1000

export class ValueTooDeep extends Error {
  constructor() {
    super(`The value is nested deeper than ${DEEPEST} levels and cannot be scanned.`)
  }
}

/** No number that is looked for has fewer than five digits, unless a customer's own rule asks for it. */
const SMALLEST = 10_000

/** Everything that the rules look for in a JSON value: in keys, texts and whole numbers, and in texts that a result splits. */
export const scanValue = (value: unknown, rules: Rules): ValueMatch[] => {
  const matches: ValueMatch[] = []
  const path: (string | number)[] = []
  const words = keyWords(rules)
  const note = (found: readonly Match[], where: Place['in']): void => {
    for (const { entity, score, rule, context, start, end } of found)
      matches.push({ entity, score, rule, context, places: [{ path: path.slice(), in: where, start, end }] })
  }
  const visit = (node: unknown, ambient: Ambient): void => {
    if (typeof node === 'string') note(scanWithin(node, rules, ambient), 'value')
    else if (typeof node === 'number') {
      if (Number.isInteger(node) && (node >= SMALLEST || -node >= SMALLEST || rules.custom.length > 0))
        note(scanWithin(String(node), rules, ambient), 'value')
    } else if (typeof node === 'object' && node !== null) {
      if (path.length >= DEEPEST) throw new ValueTooDeep()
      if (Array.isArray(node)) visitArray(node, ambient)
      else visitObject(node as Record<string, unknown>, ambient)
    }
  }
  const visitArray = (items: unknown[], ambient: Ambient): void => {
    for (let at = 0; at < items.length; at++) {
      path.push(at)
      visit(items[at], ambient)
      path.pop()
    }
    // One by one: of a hundred thousand, none fits as an argument of its own.
    for (const match of scanAcross(piecesOf(items, path), rules)) matches.push(match)
  }
  const visitObject = (members: Record<string, unknown>, ambient: Ambient): void => {
    for (const key of Object.keys(members)) {
      path.push(key)
      const known = words(key)
      if (known.mayMatch) note(scanWithin(key, rules, NO_AMBIENT), 'key')
      visit(
        members[key],
        known.hits.length > 0 || ambient.own.length > 0
          ? { own: known.hits, parent: ambient.own }
          : NO_AMBIENT,
      )
      path.pop()
    }
  }
  visit(value, NO_AMBIENT)
  return matches
}

const piecesOf = (items: unknown[], path: readonly (string | number)[]): Piece[] =>
  items.flatMap((item, at): Piece[] => {
    const text = textOf(item)
    return text ? [{ text: text.text, path: [...path, at, ...text.path] }] : []
  })

type KeyWords = {
  hits: readonly Hit[] /** Only a key with a digit or a sign can hold something. */
  mayMatch: boolean
}
const PLAIN_KEY = /^[A-Za-z_]{1,24}$/
const MOST_KEYS = 1000

/** The one key that is read at a time. */
const tokens = newTokens()
const never = (): boolean => false
const next = (at: number): number => at + 1

/** Keys repeat: what their words say is found once. */
const keyWords = ({ index, custom }: Rules): ((key: string) => KeyWords) => {
  const known = new Map<string, KeyWords>()
  return key => {
    const seen = known.get(key)
    if (seen) return seen
    tokenize(tokens, key, never, next)
    findWords(tokens, key, index)
    const words = { hits: tokens.hits, mayMatch: custom.length > 0 || !PLAIN_KEY.test(key) }
    if (known.size < MOST_KEYS) known.set(key, words)
    return words
  }
}
