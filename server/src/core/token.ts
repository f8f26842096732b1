import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import {
  TOKEN_BODY_LENGTH,
  TOKEN_CHECKSUM_LENGTH,
  TOKEN_ROUTING_LENGTH,
  type TokenKind,
  tokenPrefixes,
} from '@carabiner/contract'
import { randomBytes } from './random-bytes.ts'
import { isUuid } from './uuid.ts'

declare const tokenBrand: unique symbol
/** A string with the format and checksum of one of our secrets. Only this module creates one. */
export type Token<K extends TokenKind = TokenKind> = string & { readonly [tokenBrand]: K }

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Larger bytes are rejected, because they would make the first characters of the alphabet more likely. */
const UNBIASED_LIMIT = 256 - (256 % 62)

export type Random = (size: number) => Uint8Array

export const randomBase62 = (length: number, random: Random = randomBytes): string => {
  let text = ''
  while (text.length < length) {
    for (const byte of random(length + 8)) {
      if (byte < UNBIASED_LIMIT && text.length < length) text += ALPHABET[byte % 62]
    }
  }
  return text
}

/** The last digits of a number in base62. */
const lastDigits = (value: number, count: number): string => {
  let rest = value
  let digits = ''
  for (let i = 0; i < count; i++) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

const checksum = (text: string): string => lastDigits(crc32(text), TOKEN_CHECKSUM_LENGTH)

/**
 * Starts every secret and handle of an organization, so that a load balancer can choose the installation without a lookup. It follows
 * from the ID, whose last bits are random, and is unique within an installation (decision 25).
 */
export const routingCode = (organizationId: string): string =>
  lastDigits(Number.parseInt(organizationId.slice(-8), 16), TOKEN_ROUTING_LENGTH)

/** Names an organization in URLs: its routing code, followed by its ID. */
export const organizationHandle = (organizationId: string): string =>
  routingCode(organizationId) + organizationId

/** The organization of a handle; null if it is malformed. */
export const readOrganizationHandle = (handle: string): string | null => {
  const id = handle.slice(TOKEN_ROUTING_LENGTH)
  return isUuid(id) && organizationHandle(id) === handle ? id : null
}

export const issueToken = <K extends TokenKind>(
  kind: K,
  organizationId: string,
  random: Random = randomBytes,
): Token<K> => {
  const text = tokenPrefixes[kind] + routingCode(organizationId) + randomBase62(TOKEN_BODY_LENGTH, random)
  return (text + checksum(text)) as Token<K>
}

/** Validates the format and checksum of a secret, so that a typo needs no database lookup. */
export const parseToken = <K extends TokenKind>(kind: K, text: string): Token<K> | null => {
  const prefix = tokenPrefixes[kind]
  const body = text.slice(0, -TOKEN_CHECKSUM_LENGTH)
  const length = prefix.length + TOKEN_ROUTING_LENGTH + TOKEN_BODY_LENGTH + TOKEN_CHECKSUM_LENGTH
  if (text.length !== length) return null
  if (!text.startsWith(prefix) || !/^[0-9A-Za-z]+$/.test(text.slice(prefix.length))) return null
  return checksum(body) === text.slice(-TOKEN_CHECKSUM_LENGTH) ? (text as Token<K>) : null
}

/** The routing code of a secret. */
export const routingCodeOf = (token: Token): string => {
  const start = token.lastIndexOf('_') + 1
  return token.slice(start, start + TOKEN_ROUTING_LENGTH)
}

/** The hash that the database stores. 256 random bits need no slow hash. */
export const hashToken = (token: Token): Buffer => hash('sha256', token, 'buffer')

/** The same secret with the prefix of another kind. */
export const respellToken = <K extends TokenKind>(token: Token, from: TokenKind, to: K): Token<K> => {
  const text = tokenPrefixes[to] + token.slice(tokenPrefixes[from].length, -TOKEN_CHECKSUM_LENGTH)
  return (text + checksum(text)) as Token<K>
}

export const tokenHint = (token: Token, kind: TokenKind): string =>
  `${tokenPrefixes[kind]}…${token.slice(-4)}`
