import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { reportWhileAdmitted } from './report-progress.ts'

test('progress: is reported at first, then only while the caller is admitted, and never out of order', async () => {
  const reported: number[] = []
  const answers = [true, false, new Error('the database is gone'), true]
  let checks = 0
  let now = 0
  const settle = async () => {
    for (let turns = 0; turns < 5; turns++) await turn()
  }
  const isAdmitted = async () => {
    const answer = answers[checks++]
    await turn()
    if (answer instanceof Error) throw answer
    return answer === true
  }
  const report = reportWhileAdmitted(isAdmitted, ({ progress }) => void reported.push(progress), {
    checkIntervalMs: 200,
    now: () => now,
  })
  const send = (...values: number[]) => {
    for (const progress of values) report({ progress })
  }
  send(1, 2)
  assert.deepEqual([reported, checks], [[1, 2], 0])
  now += 210
  send(3, 4)
  await settle()
  assert.deepEqual(
    [reported, checks],
    [[1, 2, 4], 1],
    'of the values during a check, the last one is reported',
  )
  send(5)
  now += 210
  for (const value of [6, 7]) {
    send(value)
    await settle()
  }
  assert.deepEqual([reported, checks], [[1, 2, 4, 5], 3], 'nothing while not admitted or if the check fails')
  send(8)
  await settle()
  assert.deepEqual([reported, checks], [[1, 2, 4, 5, 8], 4])
})
