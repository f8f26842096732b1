import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growthOfWork } from '../../test/support/cpu-time.ts'
import { findPatternFault } from './linear-pattern.ts'
import { lettersOf } from './pattern-syntax.ts'

const quick = [
  '^[a-z0-9]+(-[a-z0-9]+)*$',
  '^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$',
  '^((us3|us5)\\.)?example\\.com$|^example\\.eu$',
  '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==)?$',
  '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  '^https://(?<value>[a-z0-9-]+)\\.example\\.net$',
  '^(a|b)*$',
  '^\\p{L}+$',
  '^[^\\]]*\\]$',
  '',
]
const slow = [
  '(a+)+',
  '^(a|a)*$',
  '(x*)*',
  '(.*a){20}',
  '\\d+\\d+',
  '([a-z]+\\d*)+',
  '(\\s*,\\s*)+',
  '^.*.*=.*$',
  '(a|aa)+$',
  '(\\w+\\s?)*$',
]

for (const pattern of quick) test(`${pattern} is quick`, () => assert.equal(findPatternFault(pattern), null))
for (const pattern of slow) test(`${pattern} is slow`, () => assert.equal(findPatternFault(pattern), 'slow'))

test('linear pattern: an accepted pattern takes linear time on a text that almost matches', () => {
  const letters = ['a', '-', '0', 'a-', '/', '.']
  for (const pattern of quick) {
    const expression = new RegExp(pattern, 'u')
    const tryAll = (length: number) =>
      letters.forEach(letter => expression.test(`${letter.repeat(length)}\0`))
    assert.ok(growthOfWork(tryAll, { small: 20_000, large: 80_000 }) < 9, pattern)
  }
})

test('linear pattern: unsupported syntax is rejected', () => {
  assert.equal(findPatternFault('['), 'invalid')
  assert.equal(findPatternFault('(?=a)'), 'unsupported')
  assert.equal(findPatternFault('(?<!a)b'), 'unsupported')
  assert.equal(findPatternFault('(a)\\1'), 'unsupported')
  assert.equal(findPatternFault('a{150}b{150}'.repeat(3)), null)
  assert.equal(findPatternFault('(abcdefghij){16}'.repeat(4)), 'slow')
})

test('linear pattern: the letters are those of the group named value, if there is one', () => {
  assert.deepEqual([...(lettersOf('^https://(?<value>[ab-]+)\\.example$') ?? [])].toSorted(), ['-', 'a', 'b'])
  assert.ok(lettersOf('^[^:]+$')?.has('/'))
  assert.ok(!lettersOf('^[\\w.]+$')?.has('/'))
  assert.equal(lettersOf('['), null)
})
