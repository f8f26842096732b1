import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runWebhookBench, SUBJECTS } from './src/webhooks/run-webhook-bench.ts'

test('webhook bench: measures every subject', async () => {
  const samples = await runWebhookBench({ events: 100, rounds: 1, withWarmUp: false })
  assert.deepEqual(
    samples.map(({ subject }) => subject),
    SUBJECTS,
  )
  for (const { subject, perSecond } of samples) assert.ok(perSecond > 0, subject)
})
