import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyIds, readEndState } from '../support/rotation/end-state.ts'
import { resultOf, rotateUnderTraffic } from '../support/rotation/killed-runs.ts'
import { openRotationStage } from '../support/rotation/stage.ts'

const USERS = 300

// `npm run proof:rotation` runs this with 20,000 credentials and five kills.
test('rotation under traffic, killed twice: no call fails, and no data stays under an old key [credential.keys-rotate]', async () => {
  const stage = await openRotationStage({ users: USERS, linked: 4 })
  try {
    const before = await keyIds(stage)
    const { runs, traffic } = await rotateUnderTraffic(stage, [1, USERS / 2])
    assert.deepEqual(traffic.failures, [])
    for (const [kind, count] of Object.entries(traffic.done)) assert.ok(count > 0, kind)
    assert.deepEqual(
      runs.map(({ killedAt }) => killedAt !== null),
      [true, true, false],
    )
    const { resumed, users, dropped_vault_keys } = resultOf(runs.at(-1) as (typeof runs)[number])
    assert.deepEqual([resumed, dropped_vault_keys], [true, 1])
    assert.ok(users > USERS / 2)
    const [last] = stage.linked
    assert.ok((await stage.callNotes(last as string)).ok)
    const end = await readEndState(stage, before)
    assert.deepEqual(end.undecryptable, [])
    assert.ok(end.decrypted > USERS)
    assert.deepEqual([end.vaultKeys, end.generations, end.oldKeys], [1, [2], []])
    assert.doesNotMatch(stage.fleet.first.output(), /"level":"error"/)
  } finally {
    await stage.close()
  }
})
