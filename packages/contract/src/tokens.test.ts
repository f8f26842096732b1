import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyTokenPattern, TOKEN_BODY_LENGTH, TOKEN_CHECKSUM_LENGTH, tokenPrefixes } from './tokens.ts'

const example = (prefix: string) => prefix + 'a'.repeat(TOKEN_BODY_LENGTH + TOKEN_CHECKSUM_LENGTH)

test('the body of a token holds at least 256 bits', () => {
  assert.ok(62n ** BigInt(TOKEN_BODY_LENGTH) >= 2n ** 256n)
})

test('the checksum has room for every CRC32', () => {
  assert.ok(62n ** BigInt(TOKEN_CHECKSUM_LENGTH) >= 2n ** 32n)
})

test('no prefix is the beginning of another one', () => {
  const prefixes = Object.values(tokenPrefixes)
  assert.equal(new Set(prefixes).size, prefixes.length)
  for (const one of prefixes)
    assert.deepEqual(
      prefixes.filter(other => other.startsWith(one)),
      [one],
    )
})

test('the redaction pattern finds every kind of secret, wherever it stands', () => {
  for (const [kind, prefix] of Object.entries(tokenPrefixes)) {
    const text = `before "${example(prefix)}", after ${example(prefix)}.tail`
    assert.equal(text.replace(anyTokenPattern, 'X'), 'before "X", after X.tail', kind)
  }
})

test('the redaction pattern leaves the prefix alone, and the hint that is shown to people', () => {
  const text = Object.values(tokenPrefixes)
    .flatMap(prefix => [prefix, `${prefix}…ab12`])
    .join(' ')
  assert.equal(text.replace(anyTokenPattern, 'X'), text)
})
