import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findViolations } from '../support/moves/check-move.ts'
import { addRecords } from '../support/moves/fill-records.ts'
import { type Load, startLoad } from '../support/moves/load.ts'
import { type MoveStage, openMoveStage } from '../support/moves/move-stage.ts'
import { parseReport } from '../support/moves/parse-result.ts'

const RECORDS = 3000
const CODES = 2

describe('carabiner org move under load', () => {
  const opened = new AsyncDisposableStack()
  let stage: MoveStage
  let load: Load
  before(async () => {
    stage = await openMoveStage(opened, { linkedUsers: 3 })
    await addRecords(stage.cells.a, stage.organization.id, RECORDS)
  })
  after(async () => {
    await load?.stop()
    await opened.disposeAsync()
  })

  const move = async (to: 'a' | 'b') => {
    const { code, output } = await stage.startMove(to).ended
    assert.equal(code, 0, output)
    return parseReport(output)
  }

  it('there, killed during the freeze and repeated, and back: nothing acknowledged is lost', async () => {
    const issueCodes = async () => {
      for (let n = 0; n < CODES; n++) load.codes.push(await stage.issueCode())
    }
    load = startLoad(stage)
    await issueCodes()
    await stage.killDuringFreeze('b')
    const there = await move('b')
    assert.deepEqual([there.cell, there.records, there.frozen_ms], ['b', 0, null])
    await issueCodes()
    const back = await move('a')
    assert.ok(
      back.records > RECORDS && back.rows < RECORDS && (back.frozen_ms ?? 0) > 0,
      JSON.stringify(back),
    )
    await load.stop()

    assert.deepEqual(await findViolations(stage, load, 'a'), [])
    const { acknowledged, answers } = load
    for (const [what, count] of Object.entries({
      users: acknowledged.users.length,
      calls: acknowledged.calls.length,
      links: acknowledged.links,
      'answers during the freeze': answers['503'],
    }))
      assert.ok((count ?? 0) > 0, `there were no ${what}`)
    assert.equal(acknowledged.confirmed.length, 2 * CODES)
    assert.deepEqual(
      Object.keys(answers).filter(answer => !['200', '201', '503', 'organization_moving'].includes(answer)),
      [],
      'clients never got a 421',
    )
  })
})
