import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

describe('sessions of a person', () => {
  let t: TestService
  before(async () => {
    t = await joinTestService()
  })
  after(() => t.stop())

  it('are listed without their tokens, and end one by one', async () => {
    const ana = await signInPerson(t, { role: 'admin' })
    const { body, text } = await ana.own('GET', '/dashboard/sessions')
    assert.equal(body.data.length, 1)
    assert.equal(body.data[0].is_current, true)
    assert.ok(!text.includes('token'))
    const [, signed = ''] = ana.cookie.split(/=(.*)/s)
    assert.ok(!text.includes(decodeURIComponent(signed).split('.')[0] as string))
    assert.equal((await ana.own('DELETE', `/dashboard/sessions/${body.data[0].id}`)).status, 204)
    assert.equal((await ana.own('GET', '/dashboard/sessions')).body.error.code, 'session_expired')
  })

  it('are extended when the dashboard reads them', async () => {
    const ana = await signInPerson(t, { role: 'admin' })
    const readUpdate = () => t.query('select updated_at from people_sessions where user_id = $1', [ana.id])
    await t.query(
      `update people_sessions set updated_at = now() - interval '2 hours', expires_at = now() + interval '10 hours' where user_id = $1`,
      [ana.id],
    )
    const updated = await readUpdate()
    const { headers } = await ana.own('GET', '/dashboard/session')
    assert.equal(headers.getSetCookie().length, 1)
    assert.notDeepEqual(await readUpdate(), updated)
  })

  it('of another person cannot be ended', async () => {
    const [ana, ben] = [
      await signInPerson(t, { role: 'admin' }),
      await signInPerson(t, { role: 'developer' }),
    ]
    const { body } = await ben.own('GET', '/dashboard/sessions')
    const { status } = await ana.own('DELETE', `/dashboard/sessions/${body.data[0].id}`)
    assert.equal(status, 404)
    assert.equal((await ana.own('DELETE', '/dashboard/sessions/nothing')).status, 404)
    assert.equal((await ana.own('DELETE', '/dashboard/sessions')).status, 204)
    assert.equal((await ben.own('GET', '/dashboard/session')).status, 200)
  })
})
