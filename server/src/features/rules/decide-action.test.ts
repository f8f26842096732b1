import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RuleAction, SecurityRulesWrite } from '@carabiner/contract'
import { compileRuleSet } from './compile-rule-set.ts'
import { decide, SCAN_CPU_MS, ScanTimeoutError } from './decide-action.ts'
import { effectiveSettings } from './security-settings.ts'

const compile = (organization: SecurityRulesWrite, toolPack: SecurityRulesWrite | null = null) =>
  compileRuleSet(effectiveSettings({ organization, toolPack }))
const outbound = (actions: Record<string, RuleAction>, more: SecurityRulesWrite = {}) =>
  compile({
    entities: Object.fromEntries(
      Object.entries(actions).map(([entity, outbound_action]) => [entity, { outbound_action }]),
    ),
    ...more,
  })
const BOTH = 'jane@example.com from 10.11.12.13'

test('decide: one blocked match blocks the value, and all matches are reported', () => {
  const decision = decide(outbound({ EMAIL_ADDRESS: 'block', IP_ADDRESS: 'redact' }), 'outbound', [BOTH])
  assert.equal(decision.action, 'block')
  assert.ok(!('value' in decision))
  assert.deepEqual(
    decision.matches.map(({ entity, action }) => [entity, action]),
    [
      ['EMAIL_ADDRESS', 'block'],
      ['IP_ADDRESS', 'redact'],
    ],
  )
})

test('decide: of overlapping matches the stronger action is kept, also of a custom rule', () => {
  for (const [custom, entity, shown] of [
    ['redact', 'log', '[REDACTED:MAILBOX] from 10.11.12.13'],
    ['log', 'redact', '[REDACTED:EMAIL_ADDRESS] from 10.11.12.13'],
  ] as const) {
    const rules = outbound(
      { EMAIL_ADDRESS: entity },
      { custom_rules: [{ label: 'MAILBOX', pattern: 'jane@example\\.com', outbound_action: custom }] },
    )
    const decision = decide(rules, 'outbound', BOTH)
    assert.equal(decision.action === 'pass' && decision.value, shown)
  }
})

test('decide: counts matches by entity and pattern without the matched value', () => {
  const rules = outbound({ EMAIL_ADDRESS: 'log' })
  const { matches } = decide(rules, 'outbound', { a: BOTH, b: ['joe@example.com', 'sue@example.com'] })
  assert.equal(matches.length, 1)
  const [{ count, score, ...rest } = { count: 0, score: 0 }] = matches
  assert.equal(count, 3)
  assert.ok(score >= 0.5 && score <= 1)
  assert.deepEqual(Object.keys(rest).toSorted(), ['action', 'direction', 'entity', 'rule'])
  assert.ok(!JSON.stringify(matches).includes('example'))
})

test('decide: a dry run reports the same matches and changes nothing', () => {
  const value = { to: BOTH }
  const actions = { EMAIL_ADDRESS: 'block' } as const
  const dry = decide(outbound(actions, { dry_run: true }), 'outbound', value)
  assert.equal(dry.action === 'pass' && dry.value, value)
  assert.deepEqual(dry.matches, decide(outbound(actions), 'outbound', value).matches)
})

test('decide: does not read a value in a direction without rules', () => {
  const unreadable = new Proxy({}, { ownKeys: () => assert.fail('it was read') })
  const rules = compile({
    entities: Object.fromEntries(
      ['PRIVATE_KEY', 'CARABINER_TOKEN', 'API_KEY', 'JWT'].map(name => [
        name,
        { inbound_action: 'none' as const },
      ]),
    ),
  })
  assert.equal(rules.inbound, null)
  assert.equal(decide(rules, 'inbound', unreadable).action, 'pass')
})

test('decide: stops between two texts when the CPU time limit is exceeded', () => {
  const rules = outbound({ EMAIL_ADDRESS: 'log' })
  let read = 0
  const clock = () => (read++ < 5 ? 0 : SCAN_CPU_MS + 1)
  const texts = Array.from({ length: 100 }, () => 'text')
  assert.throws(() => decide(rules, 'outbound', texts, clock), ScanTimeoutError)
  assert.ok(read < 10, `stopped after ${read} reads of the clock`)
  assert.equal(decide(rules, 'outbound', texts, () => 0).action, 'pass')
})

test('decide: ignores placeholders of a rule for the other direction', () => {
  const rules = compile({
    custom_rules: [
      { label: 'STAFF_9999', pattern: 'EMP-\\d{4}', outbound_action: 'redact', inbound_action: 'none' },
      { label: 'DIGITS', pattern: '\\d{4}', outbound_action: 'none', inbound_action: 'redact' },
    ],
  })
  const decision = decide(rules, 'inbound', '[REDACTED:STAFF_9999] 1234')
  assert.equal(decision.action === 'pass' && decision.value, '[REDACTED:STAFF_9999] [REDACTED:DIGITS]')
})
