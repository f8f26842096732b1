import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { nextTurn } from './next-turn.ts'

test('next turn: each caller gets a turn of the event loop of its own, in order', async () => {
  const started: number[] = []
  const all = Promise.all([1, 2, 3].map(n => nextTurn().then(() => started.push(n))))
  const perTurn: number[] = []
  while (started.length < 3) {
    await setImmediate()
    perTurn.push(started.length)
  }
  await all
  assert.deepEqual(started, [1, 2, 3])
  assert.deepEqual(perTurn, [1, 2, 3])
})
