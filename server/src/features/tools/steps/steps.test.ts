import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainSteps } from '@carabiner/contract'
import { providerStep } from './call/provider.ts'
import { CALL_STEPS, CALLER_STEPS, TOOL_STEPS } from './steps.ts'

test('the steps of a call are those of the contract, in its order', () => {
  const steps = [...CALLER_STEPS, ...TOOL_STEPS, ...CALL_STEPS, providerStep]
  assert.deepEqual(
    steps.map(({ name }) => name),
    [...explainSteps],
  )
})
