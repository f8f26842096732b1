import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createIsolatedPool } from '../../platform/isolation/isolated-pool.ts'
import { compileRuleSet } from './compile-rule-set.ts'
import { decide } from './decide-action.ts'
import { openGate, type RecordedViolation } from './gate.ts'
import { decideIsolated, isLarge } from './isolated-decide.ts'
import { effectiveSettings } from './security-settings.ts'

const CARD = '4111 1111 1111 1111'
const custom = Array.from({ length: 20 }, (_, n) => ({
  label: `CODE_${n}`,
  pattern: `[a-z]{1,8}[0-9]{1,8}x${n}`,
  inbound_action: 'redact' as const,
  outbound_action: 'redact' as const,
}))
const settingsOf = (custom_rules: typeof custom) =>
  effectiveSettings({
    organization: {
      entities: { CREDIT_CARD: { outbound_action: 'redact', inbound_action: 'block' } },
      custom_rules,
    },
    toolPack: null,
  })

describe('scanning in a worker', () => {
  const pool = createIsolatedPool({ entry: new URL('../../isolated.ts', import.meta.url) })
  after(() => pool.close())
  const rules = compileRuleSet(settingsOf(custom))

  it('returns the same decision as an inline scan and keeps unmatched parts identical', async () => {
    const plain = { note: 'nothing here', none: null }
    const value = { pages: [plain, { text: `pay with ${CARD}` }, 'abc123x7'] }
    const decision = await decideIsolated(pool, 'a', rules, 'outbound', value)
    assert.deepEqual(decision, decide(rules, 'outbound', value))
    assert.ok(decision.action === 'pass' && decision.matches.length > 0)
    assert.equal((decision.value as typeof value).pages[0], plain)
    const clean = { text: 'nothing' }
    const passed = await decideIsolated(pool, 'a', rules, 'outbound', clean)
    assert.ok(passed.action === 'pass' && passed.value === clean)
    assert.equal((await decideIsolated(pool, 'a', rules, 'inbound', value)).action, 'block')
  })

  it('isLarge: depends on size, number of values and custom rules', () => {
    const few = compileRuleSet(settingsOf([]))
    const text = 'x'.repeat(20_000)
    assert.equal(isLarge(few, text), false)
    assert.equal(isLarge(rules, text), true)
    assert.equal(isLarge(few, { text: 'x'.repeat(100_000) }), true)
    assert.equal(
      isLarge(
        few,
        Array.from({ length: 10_000 }, () => 1),
      ),
      true,
    )
  })

  it('throws if the value could not be scanned', async () => {
    const violations: RecordedViolation[] = []
    const faults: unknown[] = []
    const isolated = { run: () => Promise.reject(new Error('busy')), close: async () => undefined }
    const gate = openGate(rules, {
      isolated,
      organizationId: 'a',
      onFault: error => faults.push(error),
      violations,
    })
    await assert.rejects(gate.passAny('outbound', 'x'.repeat(500_000)), { code: 'security_rule_blocked' })
    assert.equal(faults.length, 1)
    assert.equal(await gate.passAny('outbound', 'short'), 'short')
  })
})
