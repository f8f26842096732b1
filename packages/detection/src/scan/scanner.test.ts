import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRules } from '../../test/rule-sets.ts'
import { compileRules } from '../rules/compile-rules.ts'
import { scanText } from './scan-text.ts'
import { scanValue } from './scan-value.ts'

const TEXT = 'SSN 123456780, mail jane@example.com'

/** Throws at the nth call. */
const throwAt = (n: number) => {
  let calls = 0
  return { checkTime: () => void (++calls === n && assert.fail('too slow')), count: () => calls }
}

test('checkTime is called before every text, and its error ends the scan', () => {
  const limit = throwAt(3)
  const texts = Array.from({ length: 100 }, () => 'text')
  assert.throws(() => scanValue(texts, defaultRules, limit), /too slow/)
  assert.equal(limit.count(), 3)
})

test('checkTime is called before every custom rule', () => {
  const custom = Array.from({ length: 10 }, (_, n) => ({ label: `RULE_${n}`, pattern: `x${n}` }))
  const limit = throwAt(5)
  assert.throws(() => scanText('text', compileRules({ entities: {}, custom }), limit), /too slow/)
  assert.equal(limit.count(), 5)
})

test('an aborted scan leaves no state behind', () => {
  const expected = scanText(TEXT, defaultRules)
  assert.equal(expected.length, 2)
  for (let n = 1; n <= 4; n++) {
    assert.throws(() => scanValue([TEXT, TEXT, TEXT, TEXT], defaultRules, throwAt(n)), /too slow/)
    assert.deepEqual(scanText(TEXT, defaultRules), expected)
  }
})

test('nested scans do not share working memory', () => {
  const expected = scanValue({ ssn: 123456780, note: TEXT }, defaultRules)
  const checkTime = () => void scanText('passport 123456781 of joe@example.org', defaultRules)
  assert.deepEqual(scanValue({ ssn: 123456780, note: TEXT }, defaultRules, { checkTime }), expected)
})

test('compileRules: rejects more custom rules than there are topics', () => {
  const custom = Array.from({ length: 313 }, (_, n) => ({ label: `RULE_${n}`, pattern: `x${n}` }))
  assert.throws(() => compileRules({ entities: {}, custom }, { checkPattern: () => null }), /At most 312/)
})
