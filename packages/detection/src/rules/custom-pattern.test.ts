import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scanText } from '../scan/scan-text.ts'
import { compileRules } from './compile-rules.ts'
import { type CustomPatternFault, checkCustomPattern } from './custom-pattern.ts'

const GOOD = [
  'EMP-\\d{6}',
  '\\bPRJ-[A-Z]{2,5}-\\d+\\b',
  '[A-Z]{3}\\d{3,8}',
  'acme_[a-z0-9]+',
  'projekt (?:adler|falke)',
]
const BAD: [pattern: string, fault: CustomPatternFault][] = [
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

for (const pattern of GOOD)
  test(`${pattern} may search`, () => assert.equal(checkCustomPattern({ pattern }), null))
for (const [pattern, fault] of BAD)
  test(`${pattern.slice(0, 30)} is refused: ${fault}`, () =>
    assert.equal(checkCustomPattern({ pattern }), fault))

test('letters that differ in case count as the same where case is ignored', () => {
  assert.equal(checkCustomPattern({ pattern: 'A[a-z]*' }), null)
  assert.equal(checkCustomPattern({ pattern: 'A[a-z]*', ignoreCase: true }), 'slow')
})

test('a pattern that may search is quick on texts made to be slow', () => {
  for (const pattern of GOOD) {
    const rules = compileRules({ entities: {}, custom: [{ label: 'OWN', pattern }] })
    for (const part of ['EMP-', 'PRJ-AA-1', 'A', 'AAA1', 'acme_', 'projekt ', '1', '-']) {
      const text = part.repeat(Math.ceil(200_000 / part.length))
      const started = process.threadCpuUsage().user
      scanText(text, rules)
      assert.ok(process.threadCpuUsage().user - started < 500_000, `${pattern} on ${part}`)
    }
  }
})

test('a custom match has its label, and a rule that was refused cannot be compiled', () => {
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
