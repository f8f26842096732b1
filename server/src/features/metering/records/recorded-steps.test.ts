import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepsOf } from './recorded-steps.ts'

const record = { outcome: 'error', endedAtStep: null, connectorSlug: 'notes' } as const
const statuses = (...of: Parameters<typeof stepsOf>) => stepsOf(...of).map(({ status }) => status)

test('a call that ended at a step has passed those before it and not reached those after it', () => {
  const steps = stepsOf({ ...record, endedAtStep: 'arguments' })
  const at = steps.findIndex(({ step }) => step === 'arguments')
  assert.deepEqual(
    steps.map(({ status }) => status),
    [...Array(at).fill('passed'), 'failed', ...Array(steps.length - at - 1).fill('not_reached')],
  )
  assert.deepEqual(steps[at], { step: 'arguments', title: 'Arguments', status: 'failed' })
})

test('a call that was carried out, or replayed, has passed every step', () => {
  for (const outcome of ['success', 'replayed'] as const)
    assert.deepEqual([...new Set(statuses({ ...record, outcome }))], ['passed'])
})

test('nothing is said about a call whose end is unknown, and about tools of the gateway', () => {
  assert.deepEqual(stepsOf({ ...record, outcome: 'unknown' }), [])
  assert.deepEqual(stepsOf({ ...record, outcome: 'success', connectorSlug: '' }), [])
})
