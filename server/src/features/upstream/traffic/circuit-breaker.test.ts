import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Breaker, CLOSED, enter, FAILURES_TO_OPEN, leave, type Verdict } from './circuit-breaker.ts'

const failed = (times: number): Breaker => ({ state: 'closed', failures: times })
const open = (until: number, times = 1): Breaker => ({ state: 'open', until, times })
const probing = (times = 1): Breaker => ({ state: 'probing', times })

test('who may enter', () => {
  const rows: [Breaker, now: number, may: boolean, probe: boolean | number, then: Breaker['state']][] = [
    [CLOSED, 0, true, false, 'closed'],
    [failed(FAILURES_TO_OPEN - 1), 0, true, false, 'closed'],
    [open(10_000), 9_999, false, 1, 'open'],
    [open(10_000), 10_000, true, true, 'probing'],
    [probing(), 0, false, 1000, 'probing'],
  ]
  for (const [breaker, now, may, rest, then] of rows) {
    const entry = enter(breaker, now)
    assert.deepEqual(
      [entry.may, entry.may ? entry.probe : entry.waitMs],
      [may, rest],
      JSON.stringify(breaker),
    )
    assert.equal(entry.breaker.state, then)
  }
})

test('what a call that comes back changes', () => {
  const rows: [Breaker, probe: boolean, Verdict, then: Breaker][] = [
    [CLOSED, false, 'up', CLOSED],
    [CLOSED, false, 'down', failed(1)],
    [CLOSED, false, 'unknown', CLOSED],
    [failed(3), false, 'up', CLOSED],
    [failed(3), false, 'unknown', failed(3)],
    [failed(FAILURES_TO_OPEN - 1), false, 'down', open(110_000, 1)],
    // Whoever set out earlier comes too late.
    [open(105_000), false, 'up', open(105_000)],
    [open(105_000), false, 'down', open(105_000)],
    [probing(), false, 'up', probing()],
    [probing(), false, 'down', probing()],
    // The probe decides.
    [probing(1), true, 'up', CLOSED],
    [probing(1), true, 'unknown', open(100_000, 1)],
    [probing(1), true, 'down', open(120_000, 2)],
    [probing(2), true, 'down', open(140_000, 3)],
    [probing(3), true, 'down', open(160_000, 4)],
    [probing(40), true, 'down', open(160_000, 41)],
  ]
  for (const [breaker, probe, verdict, then] of rows)
    assert.deepEqual(
      leave(breaker, probe, verdict, 100_000),
      then,
      `${JSON.stringify(breaker)} ${probe} ${verdict}`,
    )
})
