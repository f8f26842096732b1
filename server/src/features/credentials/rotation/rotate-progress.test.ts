import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressOf } from './rotate-progress.ts'

const at = (users_done: number, users_total = 1000, secrets_done = 2 * users_done) => ({
  users_done,
  users_total,
  secrets_done,
})

test('progress tells the rate of this run, and how long the rest takes at it', () => {
  assert.deepEqual(progressOf(at(400), at(600), 2000), {
    done: 600,
    all: 1000,
    secrets: 1200,
    perSecond: 100,
    secondsLeft: 4,
  })
})

test('progress promises nothing before anything is done, and is never more than all', () => {
  assert.equal(progressOf(at(0), at(0), 0).secondsLeft, null)
  assert.equal(progressOf(at(400), at(400), 1000).secondsLeft, null)
  const beyond = progressOf(at(0), at(1003), 1000)
  assert.deepEqual([beyond.all, beyond.secondsLeft], [1003, 0])
})
