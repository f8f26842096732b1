import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressOf } from './rotate-progress.ts'

const at = (usersDone: number, usersTotal = 1000, secretsDone = 2 * usersDone) => ({
  usersDone,
  usersTotal,
  secretsDone,
})

test('progress: reports the rate of this run and the remaining time', () => {
  assert.deepEqual(progressOf(at(400), at(600), 2000), {
    done: 600,
    all: 1000,
    secrets: 1200,
    perSecond: 100,
    secondsLeft: 4,
  })
})

test('progress: has no estimate before the first batch and never exceeds the total', () => {
  assert.equal(progressOf(at(0), at(0), 0).secondsLeft, null)
  assert.equal(progressOf(at(400), at(400), 1000).secondsLeft, null)
  const beyond = progressOf(at(0), at(1003), 1000)
  assert.deepEqual([beyond.all, beyond.secondsLeft], [1003, 0])
})
