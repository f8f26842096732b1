import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growthOfWork } from '../../../server/test/support/cpu-time.ts'
import { compileRules, scanText } from '../src/index.ts'
import { HOSTILE_PIECES, repeated } from './hostile-pieces.ts'
import { allRules, defaultRules } from './rule-sets.ts'

const SMALL = 20_000
const LARGE = SMALL * 4

/** Four times the text takes four times as long in a linear scan, and sixteen times as long in a quadratic one. */
const MAX_GROWTH = 9

for (const [name, rules] of Object.entries({ default: defaultRules, all: allRules }))
  for (const piece of HOSTILE_PIECES)
    test(`a text of nothing but ${JSON.stringify(piece)} takes time in proportion to its length (${name} rules)`, () => {
      const texts = { small: repeated(piece, SMALL), large: repeated(piece, LARGE) }
      assert.ok(growthOfWork(text => scanText(text, rules), texts) < MAX_GROWTH)
    })

test('a customer’s rule among placeholders takes time in proportion to the text', () => {
  const rules = compileRules({ entities: {}, custom: [{ label: 'TICKET', pattern: 'TCK-[0-9]' }] })
  const piece = '[REDACTED:TICKET]TCK-1 '
  const texts = { small: repeated(piece, SMALL * 4), large: repeated(piece, LARGE * 4) }
  assert.equal(scanText(texts.small, rules).length, Math.ceil((SMALL * 4) / piece.length))
  assert.ok(growthOfWork(text => scanText(text, rules), texts) < MAX_GROWTH)
})
