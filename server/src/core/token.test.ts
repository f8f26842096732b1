import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type TokenKind, tokenPrefixes } from '@carabiner/contract'
import { hashToken, issueToken, parseToken, randomBase62, routingCode, tokenHint } from './token.ts'
import { newUuid } from './uuid.ts'

const ORGANIZATION = '0190a5c1-7b1e-7f00-8000-00000000c0de'
const kinds = Object.keys(tokenPrefixes) as TokenKind[]
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.split('')

test('token: consists of a prefix, a routing code, 43 random characters and a checksum of six', () => {
  for (const kind of kinds) {
    const token = issueToken(kind, ORGANIZATION)
    const start = tokenPrefixes[kind] + routingCode(ORGANIZATION)
    assert.match(token, new RegExp(`^${start}[0-9A-Za-z]{49}$`))
    assert.equal(parseToken(kind, token), token)
  }
})

test('token: is unique', () => {
  assert.equal(new Set(Array.from({ length: 5000 }, () => issueToken('linkToken', ORGANIZATION))).size, 5000)
})

test('token: every character of the alphabet is equally likely', () => {
  const counts = new Map<string, number>()
  const drawn = 124_000
  for (const character of randomBase62(drawn)) counts.set(character, (counts.get(character) ?? 0) + 1)
  assert.deepEqual([...counts.keys()].toSorted(), ALPHABET.toSorted())
  // Expected 2000 each, standard deviation 44: a deviation of 440 does not occur by chance, and a modulo bias (+21 %) exceeds it.
  for (const [character, count] of counts) assert.ok(Math.abs(count - 2000) < 440, `${character}: ${count}`)
})

test('token: bytes that would bias the alphabet are rejected', () => {
  const bytes = [248, 249, 255, 0, 61, 62, 247]
  let next = 0
  const random = (size: number) => Uint8Array.from({ length: size }, () => bytes[next++ % bytes.length] ?? 0)
  assert.equal(randomBase62(4, random), '0z0z')
})

test('token: the checksum detects every change of a single character', () => {
  const token = issueToken('authorizationCode', ORGANIZATION)
  for (let at = 0; at < token.length; at++) {
    for (const character of [...ALPHABET, '_', '-', ' ', 'é', '']) {
      if (character === token[at]) continue
      const changed = token.slice(0, at) + character + token.slice(at + 1)
      assert.equal(parseToken('authorizationCode', changed), null, `${at}: ${character}`)
    }
  }
})

test('token: the checksum detects every transposition of two characters', () => {
  const token = issueToken('productionKey', ORGANIZATION)
  for (let a = 0; a < token.length; a++) {
    for (let b = a + 1; b < token.length; b++) {
      const letters = token.split('')
      ;[letters[a], letters[b]] = [letters[b] as string, letters[a] as string]
      const swapped = letters.join('')
      if (swapped !== token) assert.equal(parseToken('productionKey', swapped), null, `${a} and ${b}`)
    }
  }
})

test('token: wrong lengths and surrounding whitespace are rejected', () => {
  const token = issueToken('magicLink', ORGANIZATION)
  for (const text of [
    '',
    token.slice(1),
    token.slice(0, -1),
    `${token}0`,
    ` ${token}`,
    `${token}\n`,
    token + token,
  ])
    assert.equal(parseToken('magicLink', text), null, JSON.stringify(text))
})

test('token: a token of one kind is not valid as another', () => {
  for (const kind of kinds)
    for (const other of kinds)
      if (other !== kind)
        assert.equal(parseToken(other, issueToken(kind, ORGANIZATION)), null, `${kind} as ${other}`)
})

test('token: the checksum detects an exchanged prefix', () => {
  const live = issueToken('productionKey', ORGANIZATION)
  assert.equal(parseToken('testKey', live.replace('cb_sk_live_', 'cb_sk_test_')), null)
})

test('token: the stored hash is the SHA-256 of the whole token', () => {
  const token = issueToken('testKey', ORGANIZATION)
  assert.deepEqual(hashToken(token), createHash('sha256').update(token).digest())
})

test('token: the hint contains the prefix and the last four characters', () => {
  const token = issueToken('testKey', ORGANIZATION)
  assert.equal(tokenHint(token, 'testKey'), `cb_sk_test_…${token.slice(-4)}`)
})

test('routing code: has four characters, and is the same for every spelling of an ID', () => {
  assert.equal(routingCode(ORGANIZATION), '0CqM')
  assert.equal(routingCode(ORGANIZATION.toUpperCase()), routingCode(ORGANIZATION))
  const codes = new Set(Array.from({ length: 1000 }, () => routingCode(newUuid())))
  for (const code of codes) assert.match(code, /^[0-9A-Za-z]{4}$/)
  assert.ok(codes.size > 990, `${codes.size} codes of 1000 organizations`)
})
