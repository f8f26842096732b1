import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RuleAction, SecurityRulesWrite } from '@carabiner/contract'
import { compileRuleSet } from './compile-rule-set.ts'
import { decide, SCAN_BUDGET, ScanTooSlow } from './decide.ts'
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

test('one thing that is blocked blocks all, and what else was found is still said', () => {
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

test('where matches overlap the stronger action stays, also of a custom rule', () => {
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

test('matches are counted by entity and pattern, and hold nothing of the value', () => {
  const rules = outbound({ EMAIL_ADDRESS: 'log' })
  const { matches } = decide(rules, 'outbound', { a: BOTH, b: ['joe@example.com', 'sue@example.com'] })
  assert.equal(matches.length, 1)
  const [{ count, score, ...rest } = { count: 0, score: 0 }] = matches
  assert.equal(count, 3)
  assert.ok(score >= 0.5 && score <= 1)
  assert.deepEqual(Object.keys(rest).toSorted(), ['action', 'direction', 'entity', 'rule'])
  assert.ok(!JSON.stringify(matches).includes('example'))
})

test('dry run finds the same and changes nothing', () => {
  const value = { to: BOTH }
  const actions = { EMAIL_ADDRESS: 'block' } as const
  const dry = decide(outbound(actions, { dry_run: true }), 'outbound', value)
  assert.equal(dry.action === 'pass' && dry.value, value)
  assert.deepEqual(dry.matches, decide(outbound(actions), 'outbound', value).matches)
})

test('a direction in which nothing is looked for is not read at all', () => {
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

test('scanning is given up between two texts once its time is over', () => {
  const rules = outbound({ EMAIL_ADDRESS: 'log' })
  let read = 0
  const clock = () => (read++ < 5 ? 0 : SCAN_BUDGET + 1)
  const texts = Array.from({ length: 100 }, () => 'text')
  assert.throws(() => decide(rules, 'outbound', texts, clock), ScanTooSlow)
  assert.ok(read < 10, `gave up after ${read} looks at the clock`)
  assert.equal(decide(rules, 'outbound', texts, () => 0).action, 'pass')
})

test('a placeholder of a rule that looks the other way is left alone', () => {
  const rules = compile({
    custom_rules: [
      { label: 'STAFF_9999', pattern: 'EMP-\\d{4}', outbound_action: 'redact', inbound_action: 'none' },
      { label: 'DIGITS', pattern: '\\d{4}', outbound_action: 'none', inbound_action: 'redact' },
    ],
  })
  const decision = decide(rules, 'inbound', '[REDACTED:STAFF_9999] 1234')
  assert.equal(decision.action === 'pass' && decision.value, '[REDACTED:STAFF_9999] [REDACTED:DIGITS]')
})
