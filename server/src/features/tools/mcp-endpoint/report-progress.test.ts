import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { reportWhileAdmitted } from './report-progress.ts'

test('progress is told at once at first, then as long as its caller may hear it, and never out of order', async () => {
  const told: number[] = []
  const answers = [true, false, new Error('the database is gone'), true]
  let asked = 0
  let now = 0
  const settle = async () => {
    for (let turns = 0; turns < 5; turns++) await turn()
  }
  const mayHear = async () => {
    const answer = answers[asked++]
    await turn()
    if (answer instanceof Error) throw answer
    return answer === true
  }
  const tell = reportWhileAdmitted(mayHear, ({ progress }) => void told.push(progress), {
    checkIntervalMs: 200,
    now: () => now,
  })
  const say = (...values: number[]) => {
    for (const progress of values) tell({ progress })
  }
  say(1, 2)
  assert.deepEqual([told, asked], [[1, 2], 0])
  now += 210
  say(3, 4)
  await settle()
  assert.deepEqual([told, asked], [[1, 2, 4], 1], 'what came meanwhile is told as its last')
  say(5)
  now += 210
  for (const value of [6, 7]) {
    say(value)
    await settle()
  }
  assert.deepEqual([told, asked], [[1, 2, 4, 5], 3], 'nothing while it may not, or nobody knows')
  say(8)
  await settle()
  assert.deepEqual([told, asked], [[1, 2, 4, 5, 8], 4])
})
