import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growthOfWork } from '../../../server/test/support/cpu-time.ts'
import { compileRules, scanText } from '../src/index.ts'
import { HOSTILE_PIECES, repeated } from './hostile-pieces.ts'
import { allRules, defaultRules } from './rule-sets.ts'

const SMALL = 20_000
const LARGE = SMALL * 4

/** Four times the text takes four times as long if the scan is linear, and sixteen times as long if it is quadratic. */
const MAX_GROWTH = 9

for (const [name, rules] of Object.entries({ default: defaultRules, all: allRules }))
  for (const piece of HOSTILE_PIECES)
    test(`scan time is linear for repeated ${JSON.stringify(piece)} (${name} rules)`, () => {
      const texts = { small: repeated(piece, SMALL), large: repeated(piece, LARGE) }
      assert.ok(growthOfWork(text => scanText(text, rules), texts) < MAX_GROWTH)
    })

test('scan time is linear for a custom rule among placeholders', () => {
  const rules = compileRules({ entities: {}, custom: [{ label: 'TICKET', pattern: 'TCK-[0-9]' }] })
  const piece = '[REDACTED:TICKET]TCK-1 '
  const texts = { small: repeated(piece, SMALL * 4), large: repeated(piece, LARGE * 4) }
  assert.equal(scanText(texts.small, rules).length, Math.ceil((SMALL * 4) / piece.length))
  assert.ok(growthOfWork(text => scanText(text, rules), texts) < MAX_GROWTH)
})
