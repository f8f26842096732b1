import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY } from '../../src/core/duration.ts'
import { createLog } from '../../src/platform/log.ts'
import { retentionSteps, runRetention } from '../../src/retention.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

describe('retention', () => {
  let t: TestService
  before(async () => {
    t = await joinTestService()
  })
  after(() => t.stop())

  it('deletes events after 90 days on the plan enterprise', async () => {
    const { id } = await t.createUser()
    const steps = retentionSteps(t.service.features)
    await t.moveClock(89 * DAY)
    await t.call('PATCH', `/api/v1/registered-users/${id}`, { body: { origin_user_name: 'Ana' } })
    await runRetention(steps, t.service.features.log)
    const types = async () => (await t.events(id)).map(({ type }) => type)
    assert.deepEqual(await types(), ['registered_user.created', 'registered_user.updated'])
    await t.moveClock(2 * DAY)
    await runRetention(steps, t.service.features.log)
    assert.deepEqual(await types(), ['registered_user.updated'])
  })

  it('runs every step when one fails, and logs the failed one', async () => {
    const lines: string[] = []
    const log = createLog('error', { write: line => void lines.push(line) })
    const ran: string[] = []
    const step = (name: string, fails = false) => ({
      name,
      run: async () => {
        ran.push(name)
        if (fails) throw new Error('the disk is full')
      },
    })
    await runRetention([step('first'), step('second', true), step('third')], log)
    assert.deepEqual(ran, ['first', 'second', 'third'])
    assert.equal(lines.length, 1)
    assert.match(lines[0] as string, /"step":"second"/)
  })
})
