import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksUser, canDecide, decidersOf, implies, isSatisfied, MEMBERS, needsPasskey } from './deciders.ts'

const rule = (...approvers: string[]) => ({ approvers })
const by = (...deciders: string[]) => deciders.map(decider => ({ decider, withPasskey: false }))

test('deciders: the owner of the account is its user, or the members', () => {
  const users = { user: 'ana', owner: 'ben' }
  assert.deepEqual(decidersOf(['user', 'account_owner', 'members'], users), ['ana', 'ben', MEMBERS])
  assert.deepEqual(decidersOf(['user', 'account_owner'], { user: 'ana', owner: 'ana' }), ['ana'])
  assert.deepEqual(decidersOf(['account_owner', 'members'], { user: 'ana', owner: null }), [MEMBERS])
})

test('deciders: one of a rule is enough, and every rule must be satisfied', () => {
  const rules = [rule('ana', MEMBERS), rule(MEMBERS)]
  assert.equal(isSatisfied(rules, by()), false)
  assert.equal(isSatisfied(rules, by('ana')), false)
  assert.equal(isSatisfied(rules, by(MEMBERS)), true)
  assert.equal(isSatisfied([rule('ana'), rule('ben')], by('ana')), false)
  assert.equal(isSatisfied([rule('ana'), rule('ben')], by('ben', 'ana')), true)
})

test('deciders: without a rule, only members decide', () => {
  assert.equal(isSatisfied([], by('ana')), false)
  assert.equal(isSatisfied([], by(MEMBERS)), true)
  assert.deepEqual([canDecide([], MEMBERS), canDecide([], 'ana'), asksUser([])], [true, false, false])
})

test('deciders: only those whom a rule names can decide', () => {
  const rules = [rule('ana'), rule(MEMBERS)]
  assert.deepEqual(
    ['ana', MEMBERS, 'ben'].map(decider => canDecide(rules, decider)),
    [true, true, false],
  )
  assert.equal(asksUser(rules), true)
  assert.equal(asksUser([rule(MEMBERS)]), false)
})

test('deciders: rules are as strict as others if whoever satisfies them satisfies the others [approval.void]', () => {
  const signed = { ...rule(MEMBERS), stepUp: true }
  assert.equal(isSatisfied([signed], by(MEMBERS)), false)
  assert.equal(isSatisfied([signed], [{ decider: MEMBERS, withPasskey: true }]), true)
  for (const [rules, others, expected] of [
    [[], [], true],
    [[], [rule(MEMBERS)], true],
    [[rule(MEMBERS)], [], true],
    [[rule('ana')], [], false],
    [[], [rule('ana')], false],
    [[rule(MEMBERS)], [rule('ana', MEMBERS)], true],
    [[rule('ana', MEMBERS)], [rule(MEMBERS)], false],
    [[rule('ana'), rule(MEMBERS)], [rule(MEMBERS)], true],
    [[rule(MEMBERS)], [rule('ana'), rule(MEMBERS)], false],
    [[signed], [rule(MEMBERS)], true],
    [[rule(MEMBERS)], [signed], false],
    [[rule('ana'), signed], [signed], true],
  ] as const)
    assert.equal(implies(rules, others), expected, JSON.stringify([rules, others]))
})

test('deciders: one rule with a passkey is enough to need it', () => {
  assert.deepEqual(
    [
      needsPasskey([]),
      needsPasskey([rule(MEMBERS)]),
      needsPasskey([rule('ana'), { ...rule(MEMBERS), stepUp: true }]),
    ],
    [false, false, true],
  )
})
