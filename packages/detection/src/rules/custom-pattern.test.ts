import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growthOfWork } from '../../../../server/test/support/cpu-time.ts'
import { scanText } from '../scan/scan-text.ts'
import { compileRules } from './compile-rules.ts'
import { type CustomPatternFault, checkCustomPattern } from './custom-pattern.ts'

/** Four times the text takes sixteen times as long if a search is quadratic. */
const MAX_GROWTH = 9

const ACCEPTED = [
  'EMP-\\d{6}',
  '\\bPRJ-[A-Z]{2,5}-\\d+\\b',
  '[A-Z]{3}\\d{3,8}',
  'acme_[a-z0-9]+',
  'projekt (?:adler|falke)',
]
const REJECTED: [pattern: string, fault: CustomPatternFault][] = [
  ['(a+)+b', 'slow'],
  ['\\d+x', 'slow'],
  ['.*secret', 'slow'],
  ['(?:a?){16}a{16}', 'slow'],
  ['[a-z]{1,16}[a-z]{1,16}x', 'slow'],
  ['(?=a)b', 'unsupported'],
  ['(a)\\1', 'unsupported'],
  ['(', 'invalid'],
  ['a?', 'matches_nothing'],
  ['a'.repeat(201), 'too_long'],
]

for (const pattern of ACCEPTED)
  test(`accepts ${pattern}`, () => assert.equal(checkCustomPattern({ pattern }), null))
for (const [pattern, fault] of REJECTED)
  test(`rejects ${pattern.slice(0, 30)}: ${fault}`, () =>
    assert.equal(checkCustomPattern({ pattern }), fault))

test('ignoreCase: letters of both cases count as the same', () => {
  assert.equal(checkCustomPattern({ pattern: 'A[a-z]*' }), null)
  assert.equal(checkCustomPattern({ pattern: 'A[a-z]*', ignoreCase: true }), 'slow')
})

test('accepted patterns take linear time on texts that almost match', () => {
  const parts = ['EMP-', 'PRJ-AA-1', 'A', 'AAA1', 'acme_', 'projekt ', '1', '-']
  for (const pattern of ACCEPTED) {
    const rules = compileRules({ entities: {}, custom: [{ label: 'OWN', pattern }] })
    const scanAll = (length: number) => {
      for (const part of parts) scanText(part.repeat(Math.ceil(length / part.length)), rules)
    }
    assert.ok(growthOfWork(scanAll, { small: 20_000, large: 80_000 }) < MAX_GROWTH, pattern)
  }
})

test('compileRules: a custom match has its label; rejected patterns and labels throw', () => {
  const rules = compileRules({
    entities: {},
    custom: [{ label: 'EMPLOYEE', pattern: 'emp-\\d{6}', ignoreCase: true, words: ['staff'] }],
  })
  assert.deepEqual(scanText('staff EMP-123456 [REDACTED:EMPLOYEE]', rules), [
    { entity: 'EMPLOYEE', start: 6, end: 16, score: 1, rule: 'custom', context: ['staff'] },
  ])
  assert.throws(
    () => compileRules({ entities: {}, custom: [{ label: 'X', pattern: '(a+)+' }] }),
    /upper bound/,
  )
  assert.throws(
    () => compileRules({ entities: {}, custom: [{ label: 'not a label', pattern: 'abc' }] }),
    /label/,
  )
})
