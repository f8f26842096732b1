import { isBase64Sign, SHORTEST_BASE64 } from './base64-text.ts'
import { isAlphanumeric, isDigit } from './characters.ts'
import {
  GIVEN_NAME_TOPIC,
  MONTH_TOPIC,
  PLACE_TOPIC,
  type Rules,
  TITLE_TOPIC,
  VERSION_TOPIC,
} from './compile-rules.ts'
import { type Ambient, beginContext, distanceTo, FAR } from './context.ts'
import { findCryptoAddress } from './crypto-address.ts'
import { findDate, findNamedDate } from './date-time.ts'
import { findEmailAddress } from './email-address.ts'
import { findShapes } from './find-shapes.ts'
import { findIban } from './iban.ts'
import type { Candidate, Offer } from './match.ts'
import { findPerson, findPlace } from './names.ts'
import { findDottedMac, findIpv4, findIpv6, findMacAddress } from './network-address.ts'
import { findObscuredCard } from './obscured-card.ts'
import { findInternational, findNational } from './phone-number.ts'
import { placeholderEnd } from './placeholder.ts'
import { findApiKey, findPrivateKey, jwtFinder, maybeSecret } from './secrets.ts'
import { KIND_DIGITS, KIND_LETTERS, KIND_MIXED } from './shape.ts'
import { findWords, newTokens, tokenize } from './tokenize.ts'
import { findUrl, findWww } from './url.ts'

export type Found = {
  matches: Candidate[]
  placeholders: [start: number, end: number][]
  /** Runs that may be base64. */
  base64: [start: number, end: number][]
}

/** The one text that is scanned at a time, by which rules, and what was found in it; scanning never waits. */
const tokens = newTokens()
const jwt = jwtFinder()
const nothing = (): Found => ({ matches: [], placeholders: [], base64: [] })
let text = ''
let rules: Rules
let found = nothing()

/**
 * One pass that cuts the text into tokens, and one over the tokens, each of which begins the patterns that it may begin. Words around
 * what was found may be asked for until the next text is scanned. Null where there is nothing to look at, as in most texts.
 */
export const findCandidates = (given: string, by: Rules, ambient: Ambient, base64: boolean): Found | null => {
  text = given
  rules = by
  // In most texts nothing is found, and what holds nothing serves again.
  if (found.matches.length + found.placeholders.length + found.base64.length > 0) found = nothing()
  tokenize(tokens, text, mayBegin, skipPlaceholder)
  const { custom, asks } = rules
  if (tokens.tellingCount + tokens.markCount === 0 && !asks.words && custom.length === 0) return null
  findWords(tokens, text, rules.index)
  beginContext(text, tokens.hits, ambient)
  visitTokens(base64)
  visitMarks()
  visitWords()
  return found
}

const skipPlaceholder = (at: number): number => {
  const end = placeholderEnd(text, at, rules.labels)
  if (end > at) found.placeholders.push([at, end])
  return Math.max(end, at + 1)
}

const offer: Offer = ({ entity, rule, start, end, alone, together }) => {
  const threshold = rules.threshold.get(entity)
  if (threshold === undefined || together < threshold) return false
  const distance = distanceTo(topicOf(rules, entity), start, end, alone)
  if (alone < threshold && distance === FAR) return false
  found.matches.push({ entity, rule, start, end, alone, together, distance })
  return true
}

export const topicOf = ({ topics }: Rules, entity: string): number => topics.get(entity) as number

const E = 101
const W = 119
const DOT = 46
const DASH = 45
const COLON = 58

/** Whether a word like «version» stands before it. */
const isVersion = (start: number): boolean => distanceTo(VERSION_TOPIC, start, start, 0) < FAR

/** A word that may begin a secret, the address of a device (`aa:bb:…`) or of a page. */
const mayBegin = (units: Uint16Array, start: number, end: number): boolean =>
  maybeSecret(units, start) ||
  (end - start === 2 && (units[end] === COLON || units[end] === DASH)) ||
  (end - start === 3 && units[end] === DOT && ((units[start] as number) | 32) === W)

const visitTokens = (base64: boolean): void => {
  const { card, phone, iban, crypto, ip, mac, date, url, key, webToken } = rules.asks
  const { units, start: starts, end: ends, kind: kinds, run, telling, tellingCount } = tokens
  const hashed = { count: 0 }
  jwt.reset()
  let secretEnd = 0
  let wwwEnd = 0
  for (let told = 0; told < tellingCount; told++) {
    const n = telling[told] as number
    const start = starts[n] as number
    const end = ends[n] as number
    const kind = kinds[n] as number
    const length = end - start
    if (base64 && end - (run[n] as number) >= SHORTEST_BASE64) noteRun(run[n] as number, end)
    if (kind !== KIND_LETTERS) visitLetters(n, secretEnd)
    if (start < secretEnd) continue
    if (key && maybeSecret(units, start)) secretEnd = findApiKey(text, start, offer)
    const first = units[start] as number
    if (first === E && webToken && text.startsWith('eyJ', start))
      secretEnd = Math.max(secretEnd, jwt.find(text, start, offer))
    if (start < secretEnd) continue
    const next = units[end]
    if (mac && length === 2 && (next === COLON || next === DASH)) findMacAddress(text, start, offer)
    if (kind === KIND_LETTERS) {
      if (url && start >= wwwEnd && length === 3 && next === DOT && /www/i.test(text.slice(start, end)))
        wwwEnd = findWww(text, start, offer)
      continue
    }
    findShapes(text, tokens, n, rules.trie, offer)
    if (card) findObscuredCard(text, tokens, n, offer)
    if (kind === KIND_DIGITS) {
      if (length <= 3 && ip && next === DOT) findIpv4(text, start, isVersion, offer)
      if (phone && length <= 15) findNational(text, units, start, offer)
      if (date && length <= 4) findDate(text, start, offer)
    } else {
      if (iban && length >= 4 && first > 57) findIban(text, start, offer)
      if (crypto && length >= 14) findCryptoAddress(text, start, end, hashed, offer)
      if (mac && length === 4) findDottedMac(text, start, offer)
      if (date && length <= 4 && isDigit(first)) findDate(text, start, offer)
    }
  }
}

const LONGEST_LETTERS = 6

/** Letters begin a number only where digits follow them, or, in an Italian code, follow the next letters. */
const visitLetters = (n: number, from: number): void => {
  const { start, end, kind } = tokens
  for (let before = n - 1; before >= 0 && kind[before] === KIND_LETTERS; before--) {
    const begin = start[before] as number
    if (begin >= from && (end[before] as number) - begin <= LONGEST_LETTERS)
      findShapes(text, tokens, before, rules.trie, offer)
    if (before < n - 1 || kind[n] !== KIND_MIXED) return
  }
}

const MOST_SIGNS = 3
/** Unless the run goes on behind a sign. Padding belongs to it. */
const noteRun = (start: number, end: number): void => {
  const { units } = tokens
  let last = end
  while (last - end < MOST_SIGNS && isBase64Sign(units[last] as number)) last++
  if (isAlphanumeric(units[last] as number)) return
  while (last - end < MOST_SIGNS + 2 && units[last] === PADDING) last++
  found.base64.push([start, last])
}
const PADDING = 61

const visitMarks = (): void => {
  const { email, url, ip, phone, armour } = rules.asks
  let urlEnd = 0
  let ipEnd = 0
  let keyEnd = 0
  for (let n = 0; n < tokens.markCount; n++) {
    const at = tokens.marks[n] as number
    const code = tokens.units[at]
    if (code === 64) {
      if (email) findEmailAddress(text, at, offer)
    } else if (code === 58) {
      if (url && at >= urlEnd) urlEnd = findUrl(text, at, offer)
      if (ip && at >= ipEnd) ipEnd = findIpv6(text, at, offer)
    } else if (code === 43) {
      if (phone) findInternational(text, tokens.units, at, offer)
    } else if (armour && at >= keyEnd) keyEnd = findPrivateKey(text, at, offer)
  }
}

const visitWords = (): void => {
  if (!rules.asks.words) return
  let personEnd = 0
  for (const { at, end, word } of tokens.hits) {
    if (word.topics.includes(MONTH_TOPIC)) findNamedDate(text, at, end, offer)
    if (word.topics.includes(PLACE_TOPIC)) findPlace(text, at, end, offer)
    if (at < personEnd) continue
    if (word.topics.includes(TITLE_TOPIC)) personEnd = findPerson(text, at, end, 'title', offer)
    else if (word.topics.includes(GIVEN_NAME_TOPIC)) personEnd = findPerson(text, at, end, 'given', offer)
  }
}
