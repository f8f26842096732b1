import { TOKEN_BODY_LENGTH, TOKEN_CHECKSUM_LENGTH, tokenPrefixes } from '@carabiner/contract'
import { codeAt, isAlphanumeric, isBase64Url, isDigit, isHex } from './characters.ts'
import type { Offer } from './match.ts'
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
  belongs: (code: number) => boolean
  least: number
}
const OWN_LENGTH = TOKEN_BODY_LENGTH + TOKEN_CHECKSUM_LENGTH
const PREFIXES: Prefix[] = [
  ...Object.values(tokenPrefixes).map(prefix => ({
    entity: 'CARABINER_TOKEN',
    rule: 'carabiner-token',
    prefix,
    belongs: isAlphanumeric,
    least: OWN_LENGTH,
  })),
  ...SECRET_PREFIXES.map(([rule, prefix, alphabet, least]) => ({
    entity: 'API_KEY',
    rule,
    prefix,
    belongs: ALPHABETS[alphabet],
    least,
  })),
]

const twoLetters = (text: string, at: number): number => (codeAt(text, at) << 8) | codeAt(text, at + 1)
/** Nearly every token of a text is told apart by its first two characters. */
const starts = new Uint8Array(1 << 16)
const byStart = new Map<number, Prefix[]>()
for (const prefix of PREFIXES) {
  const key = twoLetters(prefix.prefix, 0)
  starts[key] = 1
  byStart.set(key, [...(byStart.get(key) ?? []), prefix])
}

export const maybeSecret = (units: Uint16Array, at: number): boolean =>
  starts[(((units[at] as number) << 8) | (units[at + 1] as number)) & 0xffff] === 1

/** Answers where the secret ends, or `start` where there is none. */
export const findApiKey = (text: string, start: number, offer: Offer): number => {
  for (const { entity, rule, prefix, belongs, least } of byStart.get(twoLetters(text, start)) ?? []) {
    if (!text.startsWith(prefix, start)) continue
    let end = start + prefix.length
    while (end < text.length && belongs(codeAt(text, end))) end++
    while (codeAt(text, end - 1) === 46) end--
    if (end - start - prefix.length < least || isOneLetter(text, start + prefix.length, end)) continue
    offer({ entity, rule, start, end, alone: 0.95, together: 1 })
    return end
  }
  return start
}

/** `ghp_xxxxxxxx…` in a manual is no secret. */
const isOneLetter = (text: string, start: number, end: number): boolean => {
  for (let at = start + 1; at < end; at++) if (codeAt(text, at) !== codeAt(text, start)) return false
  return true
}

const SHORTEST_HEADER = 12
const SHORTEST_PAYLOAD = 8
const DOT = 46

/** Three or five runs of base64url with dots between them, the first beginning as `{"` does. */
export const jwtFinder = () => {
  /** The run that was read last: a text of nothing but `-eyJ` is read once. */
  let runStart = 0
  let runEnd = 0
  const endOfRun = (text: string, from: number): number => {
    if (from >= runStart && from < runEnd) return runEnd
    runStart = from
    runEnd = from
    while (runEnd < text.length && isBase64Url(codeAt(text, runEnd))) runEnd++
    return runEnd
  }
  return {
    reset: (): void => {
      runStart = 0
      runEnd = 0
    },
    /** Answers where it ends, or `start` where there is none. */
    find: (text: string, start: number, offer: Offer): number => {
      const header = endOfRun(text, start)
      if (header - start < SHORTEST_HEADER || codeAt(text, header) !== DOT) return start
      const payload = endOfRun(text, header + 1)
      if (payload - header <= SHORTEST_PAYLOAD || codeAt(text, payload) !== DOT) return start
      let end = endOfRun(text, payload + 1)
      // An encrypted one has two more parts.
      for (let more = 0; more < 2 && codeAt(text, end) === DOT; more++) {
        const next = endOfRun(text, end + 1)
        if (next === end + 1) break
        end = next
      }
      offer({ entity: 'JWT', rule: 'jwt', start, end, alone: 0.95, together: 1 })
      return end
    },
  }
}

const LONGEST_KEY = 16_384
const KIND = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y

/** From its first line to its last, or as far as it goes where it was cut off. */
export const findPrivateKey = (text: string, start: number, offer: Offer): number => {
  KIND.lastIndex = start
  if (!KIND.test(text)) return start
  const head = KIND.lastIndex
  const body = text.slice(head, head + LONGEST_KEY)
  const foot = /-----END [A-Z0-9 ]{1,48}-----/.exec(body)
  const end = foot
    ? head + foot.index + foot[0].length
    : head + (/[^A-Za-z0-9+/=\s\\:,.-]/.exec(body)?.index ?? body.length)
  offer({ entity: 'PRIVATE_KEY', rule: 'private-key', start, end, alone: 1, together: 1 })
  return end
}
