import { findCryptoAddress } from '../recognizers/crypto-address.ts'
import { findDate, findNamedDate } from '../recognizers/date-time.ts'
import { findEmailAddress } from '../recognizers/email-address.ts'
import { findIban } from '../recognizers/iban.ts'
import { findPerson, findPlaceName } from '../recognizers/names.ts'
import { findDottedMac, findIpv4, findIpv6, findMacAddress } from '../recognizers/network-address.ts'
import { findObscuredCard } from '../recognizers/obscured-card.ts'
import { findInternationalNumber, findNationalNumber } from '../recognizers/phone-number.ts'
import { findApiKey, findJwt, findPrivateKey, mayStartApiKey, resetJwtRun } from '../recognizers/secrets.ts'
import { findUrl, findWww } from '../recognizers/url.ts'
import { KIND_DIGITS, KIND_LETTERS, KIND_MIXED } from '../rules/shape.ts'
import { GIVEN_NAME_TOPIC, MONTH_TOPIC, PLACE_TOPIC, TITLE_TOPIC, VERSION_TOPIC } from '../rules/topics.ts'
import { isBase64Sign, MIN_BASE64_LENGTH } from '../text/base64-text.ts'
import { isAlphanumeric, isDigit } from '../text/characters.ts'
import { findWords, tokenize } from '../text/tokenize.ts'
import { contextDistance, type KeyContext, NO_CONTEXT, setContext } from './context.ts'
import { findShapes } from './find-shapes.ts'
import { type Findings, newFindings, type Scanner } from './scanner.ts'

/**
 * Splits the text into tokens in one pass, then runs at each token the patterns that may start there. Returns null if there
 * is nothing to examine, as in most texts. The context of the matches is valid until the next text is scanned.
 */
export const findCandidates = (
  scanner: Scanner,
  text: string,
  keyContext: KeyContext,
  includeBase64: boolean,
): Findings | null => {
  const { rules, tokens } = scanner
  scanner.checkTime()
  scanner.text = text
  const { matches, placeholders, base64 } = scanner.findings
  // Most texts have no findings, so the empty lists are reused.
  if (matches.length + placeholders.length + base64.length > 0) scanner.findings = newFindings()
  tokenize(tokens, text, mayStartPattern, scanner.skipPlaceholder)
  const { custom, enabled } = rules
  if (tokens.starterCount + tokens.markerCount === 0 && !enabled.words && custom.length === 0) return null
  findWords(tokens, text, rules.index)
  setContext(scanner.context, text, tokens.hits, keyContext)
  visitTokens(scanner, includeBase64)
  visitMarkers(scanner)
  if (enabled.words) visitWords(scanner)
  return scanner.findings
}

const E = 101
const W = 119
const DOT = 46
const DASH = 45
const COLON = 58
const AT = 64
const PLUS = 43
const EQUALS = 61

/** A word without a digit that may start a secret, a MAC address (`aa:bb:…`) or `www.`. */
const mayStartPattern = (units: Uint16Array, start: number, end: number): boolean =>
  mayStartApiKey(units, start) ||
  (end - start === 2 && (units[end] === COLON || units[end] === DASH)) ||
  (end - start === 3 && units[end] === DOT && ((units[start] as number) | 32) === W)

const visitTokens = (scanner: Scanner, includeBase64: boolean): void => {
  const { text, tokens, context, addMatch, jwtRun, phoneGroups } = scanner
  const { card, phone, iban, crypto, ip, mac, date, url, apiKey, jwt } = scanner.rules.enabled
  const { units, start: starts, end: ends, kind: kinds, base64Start, starters, starterCount } = tokens
  /** True if a word like "version" is near. */
  const isVersion = (at: number): boolean => contextDistance(context, VERSION_TOPIC, at, at, 0) < NO_CONTEXT
  const hashed = { count: 0 }
  resetJwtRun(jwtRun)
  let secretEnd = 0
  let wwwEnd = 0
  for (let starter = 0; starter < starterCount; starter++) {
    const n = starters[starter] as number
    const start = starts[n] as number
    const end = ends[n] as number
    const kind = kinds[n] as number
    const length = end - start
    if (includeBase64 && end - (base64Start[n] as number) >= MIN_BASE64_LENGTH)
      addBase64Run(scanner, base64Start[n] as number, end)
    if (kind !== KIND_LETTERS) visitPrecedingLetters(scanner, n, secretEnd)
    if (start < secretEnd) continue
    if (apiKey && mayStartApiKey(units, start)) secretEnd = findApiKey(text, start, addMatch)
    const first = units[start] as number
    if (first === E && jwt && text.startsWith('eyJ', start))
      secretEnd = Math.max(secretEnd, findJwt(jwtRun, text, start, addMatch))
    if (start < secretEnd) continue
    const next = units[end]
    if (mac && length === 2 && (next === COLON || next === DASH)) findMacAddress(text, start, addMatch)
    if (kind === KIND_LETTERS) {
      if (url && start >= wwwEnd && length === 3 && next === DOT && /www/i.test(text.slice(start, end)))
        wwwEnd = findWww(text, start, addMatch)
      continue
    }
    findShapes(scanner, n)
    if (card) findObscuredCard(text, tokens, n, addMatch)
    if (kind === KIND_DIGITS) {
      if (length <= 3 && ip && next === DOT) findIpv4(text, start, isVersion, addMatch)
      if (phone && length <= 15) findNationalNumber(phoneGroups, text, units, start, addMatch)
      if (date && length <= 4) findDate(text, start, addMatch)
    } else {
      if (iban && length >= 4 && first > 57) findIban(text, start, addMatch)
      if (crypto && length >= 14) findCryptoAddress(text, start, end, hashed, addMatch)
      if (mac && length === 4) findDottedMac(text, start, addMatch)
      if (date && length <= 4 && isDigit(first)) findDate(text, start, addMatch)
    }
  }
}

const MAX_LETTERS = 6

/** Tries the shapes that start with letters: right before a token with digits, or one token earlier in an Italian code. */
const visitPrecedingLetters = (scanner: Scanner, n: number, from: number): void => {
  const { start, end, kind } = scanner.tokens
  for (let before = n - 1; before >= 0 && kind[before] === KIND_LETTERS; before--) {
    const begin = start[before] as number
    if (begin >= from && (end[before] as number) - begin <= MAX_LETTERS) findShapes(scanner, before)
    if (before < n - 1 || kind[n] !== KIND_MIXED) return
  }
}

const MAX_SIGNS = 3

/** Adds a run that may be base64, including its padding, unless the run continues after the token. */
const addBase64Run = ({ tokens: { units }, findings }: Scanner, start: number, end: number): void => {
  let last = end
  while (last - end < MAX_SIGNS && isBase64Sign(units[last] as number)) last++
  if (isAlphanumeric(units[last] as number)) return
  while (last - end < MAX_SIGNS + 2 && units[last] === EQUALS) last++
  findings.base64.push([start, last])
}

const visitMarkers = ({ text, rules, tokens, phoneGroups, addMatch }: Scanner): void => {
  const { email, url, ip, phone, privateKey } = rules.enabled
  let urlEnd = 0
  let ipEnd = 0
  let keyEnd = 0
  for (let n = 0; n < tokens.markerCount; n++) {
    const at = tokens.markers[n] as number
    const code = tokens.units[at]
    if (code === AT) {
      if (email) findEmailAddress(text, at, addMatch)
    } else if (code === COLON) {
      if (url && at >= urlEnd) urlEnd = findUrl(text, at, addMatch)
      if (ip && at >= ipEnd) ipEnd = findIpv6(text, at, addMatch)
    } else if (code === PLUS) {
      if (phone) findInternationalNumber(phoneGroups, text, tokens.units, at, addMatch)
    } else if (privateKey && at >= keyEnd) keyEnd = findPrivateKey(text, at, addMatch)
  }
}

const visitWords = ({ text, tokens, addMatch }: Scanner): void => {
  let personEnd = 0
  for (const { at, end, word } of tokens.hits) {
    if (word.topics.includes(MONTH_TOPIC)) findNamedDate(text, at, end, addMatch)
    if (word.topics.includes(PLACE_TOPIC)) findPlaceName(text, at, end, addMatch)
    if (at < personEnd) continue
    if (word.topics.includes(TITLE_TOPIC)) personEnd = findPerson(text, at, end, 'title', addMatch)
    else if (word.topics.includes(GIVEN_NAME_TOPIC)) personEnd = findPerson(text, at, end, 'given', addMatch)
  }
}
