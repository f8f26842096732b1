import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  admit,
  type Breaker,
  CLOSED,
  FAILURES_TO_OPEN,
  type Outcome,
  recordOutcome,
} from './circuit-breaker.ts'

const failed = (failures: number): Breaker => ({ state: 'closed', failures })
const open = (until: number, openings = 1): Breaker => ({ state: 'open', until, openings })
const probing = (openings = 1): Breaker => ({ state: 'probing', openings })

test('circuit breaker: admits calls while closed, and one probe when the open time is over', () => {
  const rows: [Breaker, now: number, admitted: boolean, probe: boolean | number, then: Breaker['state']][] = [
    [CLOSED, 0, true, false, 'closed'],
    [failed(FAILURES_TO_OPEN - 1), 0, true, false, 'closed'],
    [open(10_000), 9_999, false, 1, 'open'],
    [open(10_000), 10_000, true, true, 'probing'],
    [probing(), 0, false, 1000, 'probing'],
  ]
  for (const [breaker, now, admitted, rest, then] of rows) {
    const entry = admit(breaker, now)
    assert.deepEqual(
      [entry.admitted, entry.admitted ? entry.probe : entry.retryAfterMs],
      [admitted, rest],
      JSON.stringify(breaker),
    )
    assert.equal(entry.breaker.state, then)
  }
})

test('circuit breaker: opens after five failures, and only a probe changes an open one', () => {
  const rows: [Breaker, probe: boolean, Outcome, then: Breaker][] = [
    [CLOSED, false, 'up', CLOSED],
    [CLOSED, false, 'down', failed(1)],
    [CLOSED, false, 'unknown', CLOSED],
    [failed(3), false, 'up', CLOSED],
    [failed(3), false, 'unknown', failed(3)],
    [failed(FAILURES_TO_OPEN - 1), false, 'down', open(110_000, 1)],
    // Calls sent before the breaker opened are ignored.
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
  for (const [breaker, probe, outcome, then] of rows)
    assert.deepEqual(
      recordOutcome(breaker, probe, outcome, 100_000),
      then,
      `${JSON.stringify(breaker)} ${probe} ${outcome}`,
    )
})
