import { isBase64Sign, SHORTEST_BASE64 } from './base64-text.ts'
import { codeAt, isAlphanumeric, isDigit } from './characters.ts'
import {
  GIVEN_NAME_TOPIC,
  MONTH_TOPIC,
  PLACE_TOPIC,
  type Rules,
  TITLE_TOPIC,
  VERSION_TOPIC,
} from './compile-rules.ts'
import { type Ambient, type Context, contextOf, FAR, NO_AMBIENT } from './context.ts'
import { findCryptoAddress } from './crypto-address.ts'
import { findDate, findNamedDate } from './date-time.ts'
import { findEmailAddress } from './email-address.ts'
import { findShapes } from './find-shapes.ts'
import { findIban } from './iban.ts'
import type { Candidate, Offer, Sighting } from './match.ts'
import { findPerson, findPlace } from './names.ts'
import { findDottedMac, findIpv4, findIpv6, findMacAddress } from './network-address.ts'
import { findInternational, findNational } from './phone-number.ts'
import { placeholderEnd } from './placeholder.ts'
import { findApiKey, findPrivateKey, jwtFinder, maybeSecret } from './secrets.ts'
import { KIND_DIGITS, KIND_LETTERS, KIND_MIXED } from './shape.ts'
import { newTokens, tokenize } from './tokenize.ts'
import { findUrl, findWww } from './url.ts'

export type Found = {
  matches: Candidate[]
  /** Asks for words around a span; good until the next text is scanned. */
  near: Context
  placeholders: [start: number, end: number][]
  /** Runs that may be base64. */
  base64: [start: number, end: number][]
}

/** The one text that is scanned at a time; scanning never waits. */
const tokens = newTokens()
const jwt = jwtFinder()
/** A text larger than this leaves no scratch space behind. */
const KEPT_TOKENS = 1 << 17
const KEPT_UNITS = 1 << 19

/** One pass that cuts the text into tokens, and one over the tokens, each of which begins the patterns that it may begin. */
export const findCandidates = (text: string, rules: Rules, ambient: Ambient, base64: boolean): Found => {
  const found: Found = { matches: [], near: contextOf('', [], NO_AMBIENT), placeholders: [], base64: [] }
  tokenize(
    tokens,
    text,
    rules.index,
    at => {
      const end = placeholderEnd(text, at, rules.labels)
      if (end > at) found.placeholders.push([at, end])
      return Math.max(end, at + 1)
    },
    !rules.asks.words && rules.custom.length === 0,
  )
  if (!tokens.telling && !rules.asks.words) return found
  const near = contextOf(text, tokens.hits, ambient)
  found.near = near
  const reaches = (candidate: Sighting): boolean => {
    const threshold = rules.threshold.get(candidate.entity)
    if (threshold === undefined || candidate.together < threshold) return false
    return candidate.alone >= threshold || near.distance(topicOf(rules, candidate.entity), candidate) < FAR
  }
  const offer: Offer = candidate => {
    if (!reaches(candidate)) return false
    found.matches.push({ ...candidate, distance: near.distance(topicOf(rules, candidate.entity), candidate) })
    return true
  }
  visitTokens(text, rules, { offer, reaches }, found, base64)
  visitMarks(text, rules, offer)
  visitWords(text, rules, offer)
  if (tokens.start.length > KEPT_TOKENS || tokens.units.length > KEPT_UNITS)
    Object.assign(tokens, newTokens(), { hits: [] })
  return found
}

export const topicOf = (rules: Rules, entity: string): number => rules.topics.get(entity) as number

const E = 101
const W = 119

const visitTokens = (
  text: string,
  rules: Rules,
  { offer, reaches }: { offer: Offer; reaches: Offer },
  found: Found,
  base64: boolean,
): void => {
  const { phone, iban, crypto, ip, mac, date, url, key, webToken } = rules.asks
  const hashed = { count: 0 }
  const isVersion = (start: number): boolean =>
    found.near.distance(VERSION_TOPIC, { start, end: start, alone: 0 }) < FAR
  jwt.reset()
  let secretEnd = 0
  let wwwEnd = 0
  let run = 0
  for (let n = 0; n < tokens.count; n++) {
    const start = tokens.start[n] as number
    const end = tokens.end[n] as number
    const kind = tokens.kind[n] as number
    const length = end - start
    if (base64) {
      if (n === 0 || !continues(text, tokens.end[n - 1] as number, start)) run = start
      if (end - run >= SHORTEST_BASE64) noteRun(text, found, run, end)
    }
    if (start < secretEnd) continue
    if (key && maybeSecret(text, start)) secretEnd = findApiKey(text, start, offer)
    const first = codeAt(text, start)
    if (first === E && webToken && text.startsWith('eyJ', start))
      secretEnd = Math.max(secretEnd, jwt.find(text, start, offer))
    if (start < secretEnd) continue
    if (mac && length === 2 && (codeAt(text, end) === 58 || codeAt(text, end) === 45))
      findMacAddress(text, start, offer)
    if (
      url &&
      start >= wwwEnd &&
      length === 3 &&
      (first | 32) === W &&
      kind === KIND_LETTERS &&
      /www/i.test(text.slice(start, end))
    )
      wwwEnd = findWww(text, start, offer)
    if (kind === KIND_LETTERS) {
      if (length <= 6 && leadsToDigits(n)) findShapes(text, tokens, n, rules.trie, offer, reaches)
      continue
    }
    findShapes(text, tokens, n, rules.trie, offer, reaches)
    if (kind === KIND_DIGITS) {
      if (length <= 3 && ip && codeAt(text, end) === 46) findIpv4(text, start, isVersion, offer)
      if (phone && length <= 15) findNational(text, start, offer)
      if (date && length <= 4) findDate(text, start, offer)
    } else if (kind === KIND_MIXED) {
      if (iban && length >= 4 && first > 57) findIban(text, start, offer)
      if (crypto && length >= 14) findCryptoAddress(text, start, end, hashed, offer)
      if (mac && length === 4) findDottedMac(text, start, offer)
      if (date && length <= 4 && isDigit(first)) findDate(text, start, offer)
    }
  }
}

/** Letters begin a number only where digits follow them, or, in an Italian code, follow the next letters. */
const leadsToDigits = (n: number): boolean =>
  n + 2 <= tokens.count &&
  (((tokens.kind[n + 1] as number) & KIND_DIGITS) !== 0 || tokens.kind[n + 2] === KIND_MIXED)

const MOST_SIGNS = 3
const continues = (text: string, from: number, to: number): boolean => {
  if (to - from > MOST_SIGNS) return false
  for (let at = from; at < to; at++) if (!isBase64Sign(codeAt(text, at))) return false
  return true
}

/** Unless the run goes on behind a sign. Padding belongs to it. */
const noteRun = (text: string, found: Found, start: number, end: number): void => {
  let last = end
  while (last - end < MOST_SIGNS && isBase64Sign(codeAt(text, last))) last++
  if (isAlphanumeric(codeAt(text, last))) return
  while (last - end < MOST_SIGNS + 2 && codeAt(text, last) === 61) last++
  found.base64.push([start, last])
}

const visitMarks = (text: string, rules: Rules, offer: Offer): void => {
  const { email, url, ip, phone, armour } = rules.asks
  let urlEnd = 0
  let ipEnd = 0
  let keyEnd = 0
  for (let n = 0; n < tokens.markCount; n++) {
    const at = tokens.marks[n] as number
    const code = codeAt(text, at)
    if (code === 64) {
      if (email) findEmailAddress(text, at, offer)
    } else if (code === 58) {
      if (url && at >= urlEnd) urlEnd = findUrl(text, at, offer)
      if (ip && at >= ipEnd) ipEnd = findIpv6(text, at, offer)
    } else if (code === 43) {
      if (phone) findInternational(text, at, offer)
    } else if (armour && at >= keyEnd) keyEnd = findPrivateKey(text, at, offer)
  }
}

const visitWords = (text: string, rules: Rules, offer: Offer): void => {
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
