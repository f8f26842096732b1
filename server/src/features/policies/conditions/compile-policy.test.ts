import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PolicyEffect } from '@carabiner/contract'
import { compilePolicy } from './compile-policy.ts'
import { type CallFacts, countKey, type PolicyRule } from './policy.ts'
import { createPolicyCache, NO_POLICY } from './policy-cache.ts'

let rules = 0
const rule = (effect: PolicyEffect | null, when: string, tools: readonly string[] = ['*']): PolicyRule => ({
  id: `rule_${++rules}`,
  name: when,
  when,
  approvers: ['members'],
  tools,
  effect,
})

const facts: CallFacts = {
  tool: {
    name: 'gmail__send_email',
    connector: 'gmail',
    read_only: false,
    destructive: true,
    effects: ['sends'],
  },
  pack: { id: 'pack_1' },
  mode: 'production',
  args: { to: 'eve@evil.example' },
}
const SEND = ['gmail__send_email']
const IMPOSSIBLE = '1 / 0 == 1'
const INVALID = 'tool.'

describe('decide', () => {
  test('the strictest effect of the matching rules applies', () => {
    const [allow, ask, deny] = [rule('allow', 'true'), rule('ask', 'true'), rule('deny', 'true')]
    for (const [given, expected] of [
      [[allow, ask, deny], deny],
      [[allow, ask], ask],
      [[allow, rule('deny', 'false')], allow],
    ] as const) {
      const decision = compilePolicy(given, 'deny').decide(facts)
      assert.equal(decision.effect, expected.effect)
      assert.equal(decision.rule, expected)
      assert.deepEqual(decision.failed, [])
    }
    assert.deepEqual(compilePolicy([allow, ask], 'deny').decide(facts).matched, [allow, ask])
  })

  test('the default applies only if no rule matches', () => {
    for (const effect of ['allow', 'ask', 'deny'] as const)
      assert.deepEqual(compilePolicy([rule('deny', 'false')], effect).decide(facts), {
        effect,
        defaultEffect: effect,
        matched: [],
        failed: [],
      })
    assert.equal(compilePolicy([rule('allow', 'true')], 'deny').decide(facts).effect, 'allow')
  })

  test('a hook is undecided: as long as it was not asked, its rule counts like one that allows', () => {
    const hook = rule(null, 'true')
    const decideWith = (others: PolicyRule[]) => compilePolicy([hook, ...others], 'deny').decide(facts)
    assert.deepEqual(decideWith([]), { effect: 'allow', defaultEffect: 'deny', matched: [hook], failed: [] })
    for (const effect of ['ask', 'deny'] as const)
      assert.equal(decideWith([rule(effect, 'true')]).effect, effect)
  })

  test('a rule that fails matches if it denies or asks, and not if it allows', () => {
    const conditions = [
      IMPOSSIBLE,
      INVALID,
      'args.cc == "x"',
      'user.id == "x"',
      'account.shared',
      'count("1h") > 1',
      'now > timestamp("2026-01-01T00:00:00Z")',
      'tool.name',
      'x'.repeat(5000),
      `${'('.repeat(100)}true${')'.repeat(100)}`,
      'args.to.matches("(")',
    ]
    for (const when of conditions)
      for (const effect of ['deny', 'ask', 'allow'] as const) {
        const failing = rule(effect, when, SEND)
        const decision = compilePolicy([failing], 'allow').decide({ ...facts, account: null })
        assert.equal(decision.effect, effect, when)
        assert.deepEqual(decision.failed, [failing], when)
        assert.deepEqual(decision.matched, effect === 'allow' ? [] : [failing], when)
        assert.equal(
          compilePolicy([failing], 'ask').decide(facts).effect,
          effect === 'deny' ? 'deny' : 'ask',
          when,
        )
      }
  })

  test('a rule that uses all its steps fails; later rules of the same decision are still evaluated', () => {
    const args = { l: Array.from({ length: 1000 }, () => 'x') }
    const endless = 'args.l.all(a, args.l.all(b, a == b))'
    const [first, last] = [rule('allow', endless, SEND), rule('ask', 'tool.destructive')]
    const decision = compilePolicy([first, last], 'allow').decide({ ...facts, args })
    assert.deepEqual(decision.failed, [first])
    assert.deepEqual(decision.matched, [last])
  })

  test('all rules of a decision share their steps', () => {
    const args = { l: Array.from({ length: 1000 }, () => 'x') }
    const many = Array.from({ length: 50 }, () => rule('deny', 'args.l.all(a, args.l.all(b, a == b))', SEND))
    const last = rule('allow', 'true')
    const decision = compilePolicy([...many, last], 'allow').decide({ ...facts, args })
    assert.deepEqual(decision.failed, [...many, last])
    assert.equal(decision.effect, 'deny')
  })

  test('a rule is evaluated only for its tools', () => {
    const policy = (tools: string[]) => compilePolicy([rule('deny', 'true', tools)], 'allow')
    for (const tools of [SEND, ['*'], ['gmail__*'], ['slack__post', 'gmail__send_*']])
      assert.equal(policy(tools).decide(facts).effect, 'deny', String(tools))
    for (const tools of [[], ['gmail__send'], ['slack__*'], ['gmail__send_email2'], ['__proto__']])
      assert.equal(policy(tools).decide(facts).effect, 'allow', String(tools))
  })

  test('an argument that cannot be read does not stop the decision', () => {
    const args = {
      get to(): string {
        throw new Error('no')
      },
    }
    const policy = compilePolicy([rule('ask', 'args.to == "x"', SEND)], 'allow')
    assert.equal(policy.decide({ ...facts, args }).effect, 'ask')
  })
})

describe('reads', () => {
  const policy = compilePolicy(
    [
      rule('deny', 'has(args.to) && user.metadata.team == "x"', SEND),
      rule('ask', 'count("1h") > 1 || count("1h", "sends") > 1', ['slack__*']),
      rule('ask', 'count("1h") > 5'),
      rule('deny', INVALID),
    ],
    'allow',
  )

  test('the facts that any rule reads', () => {
    assert.deepEqual(policy.reads, {
      account: false,
      user: true,
      client: false,
      args: true,
      count: [{ period: '1h' }, { period: '1h', effect: 'sends' }],
    })
    assert.deepEqual(policy.reads.count.map(countKey), ['1h', '1h sends'])
  })

  test('the facts that the rules for one tool read', () => {
    const { args, user, count } = policy.readsFor('slack__post')
    assert.deepEqual({ args, user, count: count.length }, { args: false, user: false, count: 2 })
    assert.deepEqual(policy.readsFor('gmail__send_email').count, [{ period: '1h' }])
  })
})

describe('decideForList', () => {
  const listed = (given: PolicyRule[], defaultEffect: PolicyEffect = 'allow') =>
    compilePolicy(given, defaultEffect).decideForList({
      ...facts,
      args: { to: 'x' },
      now: 0,
      counts: new Map([['1h', 5]]),
    })

  const hidden: [PolicyRule[], PolicyEffect?][] = [
    [[rule('deny', 'true')]],
    [[rule('deny', 'tool.destructive && mode == "production"'), rule('allow', 'true')]],
    [[rule('deny', 'tool.destructive || args.to == "x"', SEND)]],
    [[], 'deny'],
    [[rule('allow', 'tool.read_only')], 'deny'],
    [[rule('allow', 'tool.read_only && args.to == "x"', SEND), rule('deny', 'args.to == "y"', SEND)], 'deny'],
    [[rule('deny', IMPOSSIBLE)]],
    [[rule('deny', INVALID)]],
    [[rule('allow', INVALID)], 'deny'],
    [[rule(null, 'tool.read_only')], 'deny'],
    [[rule(null, 'true'), rule('deny', 'true')]],
  ]
  for (const [given, defaultEffect] of hidden)
    test(`hidden: ${given.map(({ effect, when }) => `${effect} ${when}`).join(', ')}; ${defaultEffect}`, () =>
      assert.equal(listed(given, defaultEffect), 'hidden'))

  const visible: [PolicyRule[], PolicyEffect?][] = [
    [[]],
    [[], 'ask'],
    [[rule('ask', 'true')], 'deny'],
    [[rule('ask', INVALID)], 'deny'],
    [[rule('deny', 'args.to == "x"', SEND)]],
    [[rule('deny', 'count("1h") > 1')]],
    [[rule('deny', 'now.getHours() >= 0')]],
    [[rule('deny', 'account.shared')]],
    [[rule('deny', `args.to == "x" || ${IMPOSSIBLE}`, SEND)]],
    [[rule('deny', `${IMPOSSIBLE} && args.to == "x"`, SEND)]],
    [[rule('allow', 'args.to == "x"', SEND)], 'deny'],
    [[rule('allow', 'count("1h") < 10')], 'deny'],
    [[rule('deny', 'true', ['slack__*'])]],
    [[rule(null, 'true')]],
    [[rule(null, 'true')], 'deny'],
    [[rule(null, IMPOSSIBLE)], 'deny'],
  ]
  for (const [given, defaultEffect] of visible)
    test(`visible: ${given.map(({ effect, when }) => `${effect} ${when}`).join(', ')}; ${defaultEffect}`, () =>
      assert.equal(listed(given, defaultEffect), 'visible'))

  test('a tool whose rules take many steps is visible', () => {
    const user = { id: 'u', origin_user_id: 'o', metadata: { l: Array.from({ length: 1000 }, () => 'x') } }
    const policy = compilePolicy([rule('deny', 'user.metadata.l.all(item, item == "x")')], 'allow')
    assert.equal(policy.decide({ ...facts, user }).effect, 'deny')
    assert.deepEqual(policy.decide({ ...facts, user }).failed, [])
    assert.equal(policy.decideForList({ ...facts, user }), 'visible')
  })

  test('a hidden tool is denied for all arguments', () => {
    for (const [given, defaultEffect = 'allow'] of hidden)
      for (const to of ['x', 'y', 'z', undefined])
        assert.equal(compilePolicy(given, defaultEffect).decide({ ...facts, args: { to } }).effect, 'deny')
  })
})

describe('policy cache', () => {
  const cacheOf = (current: () => { hash: string; rules: PolicyRule[] }, maxCached?: number) => {
    const counted = { reads: 0 }
    const cache = createPolicyCache<string>({
      read: async () => {
        counted.reads++
        return { ...current(), defaultEffect: 'allow' }
      },
      keyOf: owner => owner,
      ...(maxCached !== undefined && { maxCached }),
    })
    return { cache, counted }
  }
  const DENY = [rule('deny', 'true')]

  test('reads and compiles a policy once per hash, also for concurrent calls', async () => {
    const { cache, counted } = cacheOf(() => ({ hash: 'a', rules: DENY }))
    const policies = await Promise.all(Array.from({ length: 20 }, () => cache.policyFor('o', 'a')))
    assert.equal(new Set([...policies, await cache.policyFor('p', 'a')]).size, 1)
    assert.equal(counted.reads, 1)
    assert.equal(policies[0]?.decide(facts).effect, 'deny')
  })

  test('without a policy, nothing is read', async () => {
    const { cache } = cacheOf(() => assert.fail('it was read'))
    const policy = await cache.policyFor('o', NO_POLICY)
    assert.equal(policy.decide(facts).effect, 'allow')
    assert.equal(policy.decideForList(facts), 'visible')
  })

  test('stores a policy under the hash that was read, not the requested one', async () => {
    let current = { hash: 'new', rules: DENY }
    const { cache } = cacheOf(() => current)
    assert.equal(
      (await cache.policyFor('o', 'old')).decide(facts).effect,
      'deny',
      'a newer policy is accepted',
    )
    current = { hash: 'old', rules: [] }
    assert.equal((await cache.policyFor('o', 'old')).decide(facts).effect, 'allow')
  })

  test('evicts the least recently used policy beyond its limit', async () => {
    let hash = ''
    const { cache, counted } = cacheOf(() => ({ hash, rules: DENY }), 2)
    for (const wanted of ['a', 'b', 'a', 'c', 'a']) {
      hash = wanted
      await cache.policyFor('o', wanted)
    }
    assert.equal(counted.reads, 3)
    hash = 'b'
    await cache.policyFor('o', 'b')
    assert.equal(counted.reads, 4)
  })
})
