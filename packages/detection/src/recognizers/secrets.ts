import {
  TOKEN_BODY_LENGTH,
  TOKEN_CHECKSUM_LENGTH,
  TOKEN_ROUTING_LENGTH,
  tokenPrefixes,
} from '@carabiner/contract/tokens'
import type { AddMatch } from '../scan/match.ts'
import { codeAt, isAlphanumeric, isBase64Url, isDigit, isHex } from '../text/characters.ts'
import { type Alphabet, SECRET_PREFIXES } from './secret-prefixes.ts'

const ALPHABETS: Record<Alphabet, (code: number) => boolean> = {
  alphanumeric: isAlphanumeric,
  capitals: code => isDigit(code) || (code >= 65 && code <= 90),
  hex: isHex,
  url: isBase64Url,
  dotted: code => isBase64Url(code) || code === 46,
}

type Prefix = {
  entity: string
  rule: string
  prefix: string
  isInAlphabet: (code: number) => boolean
  minLength: number
}
const CARABINER_TOKEN_LENGTH = TOKEN_ROUTING_LENGTH + TOKEN_BODY_LENGTH + TOKEN_CHECKSUM_LENGTH
const PREFIXES: Prefix[] = [
  ...Object.values(tokenPrefixes).map(prefix => ({
    entity: 'CARABINER_TOKEN',
    rule: 'carabiner-token',
    prefix,
    isInAlphabet: isAlphanumeric,
    minLength: CARABINER_TOKEN_LENGTH,
  })),
  ...SECRET_PREFIXES.map(([rule, prefix, alphabet, minLength]) => ({
    entity: 'API_KEY',
    rule,
    prefix,
    isInAlphabet: ALPHABETS[alphabet],
    minLength,
  })),
]

/** Prefixes by their first two characters, which reject nearly every token. */
const twoCharacters = (text: string, at: number): number => (codeAt(text, at) << 8) | codeAt(text, at + 1)
const isPrefixStart = new Uint8Array(1 << 16)
const prefixesByStart = new Map<number, Prefix[]>()
for (const prefix of PREFIXES) {
  const key = twoCharacters(prefix.prefix, 0)
  isPrefixStart[key] = 1
  prefixesByStart.set(key, [...(prefixesByStart.get(key) ?? []), prefix])
}

export const mayStartApiKey = (units: Uint16Array, at: number): boolean =>
  isPrefixStart[(((units[at] as number) << 8) | (units[at + 1] as number)) & 0xffff] === 1

/** Finds a key with a known prefix. Returns its end, or `start` if there is none. */
export const findApiKey = (text: string, start: number, addMatch: AddMatch): number => {
  const prefixes = prefixesByStart.get(twoCharacters(text, start)) ?? []
  for (const { entity, rule, prefix, isInAlphabet, minLength } of prefixes) {
    if (!text.startsWith(prefix, start)) continue
    let end = start + prefix.length
    while (end < text.length && isInAlphabet(codeAt(text, end))) end++
    while (codeAt(text, end - 1) === DOT) end--
    if (end - start - prefix.length < minLength || isOneCharacter(text, start + prefix.length, end)) continue
    addMatch({ entity, rule, start, end, baseScore: 0.95, contextScore: 1 })
    return end
  }
  return start
}

/** True for examples in documentation, such as `ghp_xxxxxxxx…`. */
const isOneCharacter = (text: string, start: number, end: number): boolean => {
  for (let at = start + 1; at < end; at++) if (codeAt(text, at) !== codeAt(text, start)) return false
  return true
}

const MIN_HEADER_LENGTH = 12
const MIN_PAYLOAD_LENGTH = 8
const DOT = 46

/** The base64url run that was read last. It makes a text of `-eyJ-eyJ…` linear, where every token starts in the same run. */
export type JwtRun = { start: number; end: number }

export const newJwtRun = (): JwtRun => ({ start: 0, end: 0 })
export const resetJwtRun = (run: JwtRun): void => {
  run.start = 0
  run.end = 0
}

const endOfRun = (run: JwtRun, text: string, from: number): number => {
  if (from >= run.start && from < run.end) return run.end
  let end = from
  while (end < text.length && isBase64Url(codeAt(text, end))) end++
  run.start = from
  run.end = end
  return end
}

/** Finds three or five base64url runs with dots in between. Returns the end, or `start` if there is none. */
export const findJwt = (run: JwtRun, text: string, start: number, addMatch: AddMatch): number => {
  const header = endOfRun(run, text, start)
  if (header - start < MIN_HEADER_LENGTH || codeAt(text, header) !== DOT) return start
  const payload = endOfRun(run, text, header + 1)
  if (payload - header <= MIN_PAYLOAD_LENGTH || codeAt(text, payload) !== DOT) return start
  let end = endOfRun(run, text, payload + 1)
  // An encrypted token (JWE) has two more parts.
  for (let more = 0; more < 2 && codeAt(text, end) === DOT; more++) {
    const next = endOfRun(run, text, end + 1)
    if (next === end + 1) break
    end = next
  }
  addMatch({ entity: 'JWT', rule: 'jwt', start, end, baseScore: 0.95, contextScore: 1 })
  return end
}

const MAX_KEY_LENGTH = 16_384
const PEM_HEADER = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y

/** Finds a private key from its header to its footer, or to the end of its body if it is truncated. */
export const findPrivateKey = (text: string, start: number, addMatch: AddMatch): number => {
  PEM_HEADER.lastIndex = start
  if (!PEM_HEADER.test(text)) return start
  const bodyStart = PEM_HEADER.lastIndex
  const body = text.slice(bodyStart, bodyStart + MAX_KEY_LENGTH)
  const footer = /-----END [A-Z0-9 ]{1,48}-----/.exec(body)
  const end = footer
    ? bodyStart + footer.index + footer[0].length
    : bodyStart + (/[^A-Za-z0-9+/=\s\\:,.-]/.exec(body)?.index ?? body.length)
  addMatch({ entity: 'PRIVATE_KEY', rule: 'private-key', start, end, baseScore: 1, contextScore: 1 })
  return end
}
