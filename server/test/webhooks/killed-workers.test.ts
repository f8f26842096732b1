import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKilledWorkers } from '../support/webhooks/killed-workers.ts'

/** The fast counterpart of `npm run proof:webhooks`. */
test('webhooks: no event is lost or out of order when workers are killed', async () => {
  const { violations, events, receivers } = await runKilledWorkers({
    events: 300,
    kills: 3,
    failingPhases: 3,
  })
  assert.deepEqual(violations.slice(0, 10), [])
  assert.ok(events >= 300, `${events} events`)
  assert.ok(receivers.flapping.requests > receivers.flapping.arrivals.size, 'some attempts have failed')
  assert.equal(receivers.dead.arrivals.size, 0)
  assert.ok(receivers.dead.requests > 0)
})
