import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatChanged } from '../support/approvals/changed-repeats.ts'
import { killDuringCalls } from '../support/approvals/killed-calls.ts'

test('changed repeats of approved calls all ask again, and other spellings run the approved call once', async () => {
  const { carriedOut, approved, ranOnce, problems } = await repeatChanged(250, { users: 4 })
  assert.deepEqual(problems, [])
  assert.deepEqual([carriedOut, ranOnce], [0, approved])
})

test('a process killed between decision and result: no call is carried out twice, and none is lost', async () => {
  const { kills, carriedOutTwice, lost, problems } = await killDuringCalls(6)
  assert.deepEqual(problems, [])
  assert.deepEqual([kills, carriedOutTwice, lost], [6, 0, 0])
})

test('a process killed during tasks: no call is carried out twice, and none is lost', async () => {
  const { kills, carriedOutTwice, lost, problems } = await killDuringCalls(6, { asTasks: true })
  assert.deepEqual(problems, [])
  assert.deepEqual([kills, carriedOutTwice, lost], [6, 0, 0])
})

test('a process killed during a call from code: no call is carried out twice, and none is lost', async () => {
  const { kills, carriedOutTwice, lost, problems } = await killDuringCalls(6, { fromCode: true })
  assert.deepEqual(problems, [])
  assert.deepEqual([kills, carriedOutTwice, lost], [6, 0, 0])
})
