import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { joinTestService } from '../../support/test-service.ts'
import { proveHealth, recallOf } from './report.ts'
import { readScenarios } from './scenario.ts'
import { simulate } from './simulate.ts'
import { runThroughService } from './whole-service.ts'

describe('a simulated year', () => {
  it('the scenarios have 10,000 accounts', () => {
    const accounts = readScenarios().map(scenario => scenario.accounts)
    assert.equal(
      accounts.reduce((total, count) => total + count, 0),
      10_000,
    )
  })

  it('of 500 accounts: no healthy credential is ended, and revoked ones are', () => {
    assert.deepEqual(proveHealth({ seed: 7, scale: 0.05 }), [])
  })

  it('ends that nothing announces are no recall: the measure can fail', () => {
    assert.equal(recallOf([{ foreseeable: 10, foreseen: 9 }]), 0.9)
    const [scenario] = readScenarios().filter(({ name }) => name === 'maximum-of-90-days')
    assert.ok(scenario)
    assert.ok(recallOf([simulate(scenario, { scale: 0.1 })]) > 0.99)
    const misstated = { ...scenario, lifetime: { max_days: 100 } }
    assert.equal(recallOf([simulate(misstated, { scale: 0.1 })]), 0)
  })

  it('a vendor without faults: all calls are answered, and nothing ends', () => {
    const [healthy] = readScenarios().filter(({ name }) => name === 'healthy')
    assert.ok(healthy)
    const { calls, ended, healthyEnded, warnings } = simulate(healthy, { scale: 0.02 })
    assert.ok(calls > 1000)
    assert.deepEqual([ended, healthyEnded, warnings], [0, 0, 0])
  })

  it('15 accounts through the whole service: only revoked grants end', async () => {
    const t = await joinTestService()
    try {
      const { problems, refused, revoked, announced } = await runThroughService(t, { accounts: 15 })
      assert.deepEqual(problems, [])
      assert.ok(refused > 20, `only ${refused} calls were refused`)
      assert.ok(revoked > 0)
      assert.ok(announced > 0)
    } finally {
      t.sandbox.clearFaults()
      await t.stop()
    }
  })
})
