import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growthOfWork } from '../../../../server/test/support/cpu-time.ts'
import { checkPattern, checkSearchPattern } from './linear-pattern.ts'
import { lettersOf } from './pattern-syntax.ts'

const linear = [
  '^[a-z0-9]+(-[a-z0-9]+)*$',
  '^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$',
  '^((us3|us5)\\.)?example\\.com$|^example\\.eu$',
  '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==)?$',
  '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  '^https://(?<value>[a-z0-9-]+)\\.example\\.net$',
  '^(a|b)*$',
  '^\\p{L}+$',
  '^[^\\]]*\\]$',
  '^(asc|desc)$',
  '^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$',
  '^[^@]+@example\\.com$',
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
  '^(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)$',
  `^${'[ab]?[bc]?'.repeat(6)}x$`,
  `^${'a?'.repeat(12)}${'a'.repeat(12)}$`,
]

for (const pattern of linear) test(`accepts ${pattern}`, () => assert.equal(checkPattern(pattern), null))
for (const pattern of slow)
  test(`rejects ${pattern} as slow`, () => assert.equal(checkPattern(pattern), 'slow'))

test('accepted patterns take linear time on texts that almost match', () => {
  const characters = ['a', '-', '0', 'a-', '/', '.']
  for (const pattern of linear) {
    const expression = new RegExp(pattern, 'u')
    const testAll = (length: number) =>
      characters.forEach(character => expression.test(`${character.repeat(length)}\0`))
    assert.ok(growthOfWork(testAll, { small: 20_000, large: 80_000 }) < 9, pattern)
  }
})

test('a pattern without an anchor is searched from every character', () => {
  for (const pattern of ['a+b', '.*=.*', '^a|b+$', '[A-Za-z0-9]{20,40}', 'x*y'])
    assert.equal(checkSearchPattern(pattern, 'u'), 'slow', pattern)
  for (const pattern of ['\\bEMP-\\d{6}\\b', '[a-z]{3,12}@corp', '\\d{3}-\\d{2}-\\d{4}', '', '^a$|^b$'])
    assert.equal(checkSearchPattern(pattern, 'u'), null, pattern)
})

test('rejects invalid, unsupported and too large patterns', () => {
  assert.equal(checkPattern('['), 'invalid')
  assert.equal(checkPattern('(?=a)'), 'unsupported')
  assert.equal(checkPattern('(?<!a)b'), 'unsupported')
  assert.equal(checkPattern('(a)\\1'), 'unsupported')
  assert.equal(checkPattern('a{150}b{150}'.repeat(3)), null)
  assert.equal(checkPattern('(abcdefghij){16}'.repeat(4)), 'slow')
})

test('lettersOf returns the characters of the group named value, if there is one', () => {
  assert.deepEqual([...(lettersOf('^https://(?<value>[ab-]+)\\.example$') ?? [])].toSorted(), ['-', 'a', 'b'])
  assert.ok(lettersOf('^[^:]+$')?.has('/'))
  assert.ok(!lettersOf('^[\\w.]+$')?.has('/'))
  assert.equal(lettersOf('['), null)
})
