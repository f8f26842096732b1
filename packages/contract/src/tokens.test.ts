import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyTokenPattern,
  TOKEN_BODY_LENGTH,
  TOKEN_CHECKSUM_LENGTH,
  TOKEN_ROUTING_LENGTH,
  tokenPrefixes,
} from './tokens.ts'

const example = (prefix: string) =>
  prefix + 'a'.repeat(TOKEN_ROUTING_LENGTH + TOKEN_BODY_LENGTH + TOKEN_CHECKSUM_LENGTH)

test('token body: encodes at least 256 bits', () => {
  assert.ok(62n ** BigInt(TOKEN_BODY_LENGTH) >= 2n ** 256n)
})

test('token checksum: can encode every CRC32', () => {
  assert.ok(62n ** BigInt(TOKEN_CHECKSUM_LENGTH) >= 2n ** 32n)
})

test('tokenPrefixes: no prefix is a prefix of another', () => {
  const prefixes = Object.values(tokenPrefixes)
  assert.equal(new Set(prefixes).size, prefixes.length)
  for (const prefix of prefixes)
    assert.deepEqual(
      prefixes.filter(other => other.startsWith(prefix)),
      [prefix],
    )
})

test('anyTokenPattern: matches every kind of secret at any position', () => {
  for (const [kind, prefix] of Object.entries(tokenPrefixes)) {
    const text = `before "${example(prefix)}", after ${example(prefix)}.tail`
    assert.equal(text.replace(anyTokenPattern, 'X'), 'before "X", after X.tail', kind)
  }
})

test('anyTokenPattern: matches neither a bare prefix nor a hint', () => {
  const text = Object.values(tokenPrefixes)
    .flatMap(prefix => [prefix, `${prefix}…ab12`])
    .join(' ')
  assert.equal(text.replace(anyTokenPattern, 'X'), text)
})
