import { hash } from 'node:crypto'
import type { AddMatch } from '../scan/match.ts'
import { codeAt, isHex } from '../text/characters.ts'

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BASE58_VALUES = new Int8Array(128).fill(-1)
for (const [value, character] of Array.from(BASE58).entries()) BASE58_VALUES[character.charCodeAt(0)] = value
/** Version bytes of Bitcoin and its test network: pay to public key hash, pay to script hash. */
const VERSIONS = new Set([0x00, 0x05, 0x6f, 0xc4])
const BYTES = 25

/** A checksum takes microseconds. After this many in one text, addresses are accepted without it. */
const MAX_HASHED = 2000

/** Finds an address that is exactly one token. `hashed` counts the verified addresses of the text. */
export const findCryptoAddress = (
  text: string,
  start: number,
  end: number,
  hashed: { count: number },
  addMatch: AddMatch,
): void => {
  const length = end - start
  const first = codeAt(text, start)
  const add = (rule: string, baseScore: number): void => {
    addMatch({ entity: 'CRYPTO', rule, start, end, baseScore, contextScore: Math.min(1, baseScore + 0.3) })
  }
  if (first === 48 && length === 42 && isEthereum(text, start)) add('ethereum', 0.6)
  else if (length >= 14 && length <= 90 && isSegwit(text.slice(start, end))) add('bech32', 0.95)
  else if (length >= 25 && length <= 35 && '13mn2'.includes(text[start] as string)) {
    const bytes = decodeBase58(text, start, end)
    if (!bytes || !VERSIONS.has(bytes[0] as number)) return
    if (hashed.count++ >= MAX_HASHED) add('base58-unverified', 0.5)
    else if (hasChecksum(bytes)) add('base58check', 0.95)
  }
}

const isEthereum = (text: string, start: number): boolean => {
  if ((codeAt(text, start + 1) | 32) !== 120) return false
  for (let at = start + 2; at < start + 42; at++) if (!isHex(codeAt(text, at))) return false
  return true
}

const decodeBase58 = (text: string, start: number, end: number): Uint8Array | null => {
  const bytes = new Uint8Array(BYTES)
  for (let at = start; at < end; at++) {
    let carry = BASE58_VALUES[codeAt(text, at)] ?? -1
    if (carry < 0) return null
    for (let n = BYTES - 1; n >= 0; n--) {
      carry += (bytes[n] as number) * 58
      bytes[n] = carry & 0xff
      carry >>= 8
    }
    if (carry > 0) return null
  }
  return bytes
}

const hasChecksum = (bytes: Uint8Array): boolean => {
  const once = hash('sha256', bytes.subarray(0, 21), 'buffer')
  const twice = hash('sha256', once, 'buffer')
  return twice.subarray(0, 4).equals(bytes.subarray(21))
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const BECH32_VALUES = new Int8Array(128).fill(-1)
for (const [value, character] of Array.from(BECH32).entries()) BECH32_VALUES[character.charCodeAt(0)] = value
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const SEGWIT = /^(?:bc1|tb1|bcrt1|ltc1)[02-9ac-hj-np-z]{11,86}$/
/** BIP 173 for version 0, BIP 350 for later versions. */
const BECH32_FINAL = 1
const BECH32M_FINAL = 0x2bc830a3

const isSegwit = (token: string): boolean => {
  const first = token.charCodeAt(0) | 32
  if (first !== 98 && first !== 116 && first !== 108) return false
  const address = token === token.toUpperCase() ? token.toLowerCase() : token
  if (!SEGWIT.test(address)) return false
  const split = address.lastIndexOf('1')
  let sum = 1
  const feed = (value: number): void => {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    for (let bit = 0; bit < 5; bit++) if ((top >> bit) & 1) sum ^= GENERATOR[bit] as number
  }
  for (let at = 0; at < split; at++) feed(address.charCodeAt(at) >> 5)
  feed(0)
  for (let at = 0; at < split; at++) feed(address.charCodeAt(at) & 31)
  for (let at = split + 1; at < address.length; at++) feed(BECH32_VALUES[address.charCodeAt(at)] as number)
  return sum === (address[split + 1] === 'q' ? BECH32_FINAL : BECH32M_FINAL)
}
