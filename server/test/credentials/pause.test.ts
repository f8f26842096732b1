import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { HOUR, MINUTE } from '../../src/core/duration.ts'
import { NIL_UUID } from '../../src/core/uuid.ts'
import { resumeDue } from '../../src/features/credentials/pause-credential.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines) {
  describe(`paused credentials on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    const link = async (userId: string) =>
      linkNotes(createBrowserUser(), (await t.mint(userId, { connector: 'sandbox-notes' })).magic_link_url)
    const linkedUser = async () => {
      const { id } = await t.createUser()
      await link(id)
      const path = `/api/v1/registered-users/${id}/credentials`
      const { credential_id } = (await t.call('GET', path)).body.data[0]
      return { id, credential_id, at: `${path}/${credential_id}` }
    }
    const callNotes = async (userId: string, query = '') =>
      (await t.mcp(userId, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} }, { query }))
        .body.result
    const changes = async (userId: string) =>
      (await t.events(userId))
        .filter(({ type }) => /paused|resumed|replaced|revoked/.test(type))
        .map(({ type, payload }) => [type, payload.reason ?? null])

    it('pause: calls answer connection_paused with the time, and work again after resume', async () => {
      const user = await linkedUser()
      assert.equal((await callNotes(user.id)).isError, false)
      const paused = await t.call('POST', `${user.at}/pause`, { body: {} })
      assert.equal(paused.status, 200)
      const { paused_until } = paused.body
      assert.equal((await t.call('GET', user.at)).body.paused_until, paused_until)
      const requests = t.sandbox.ledger.length
      const result = await callNotes(user.id)
      assert.equal(result.isError, true)
      const { code, resumes_at, message } = result.structuredContent.error
      assert.deepEqual([code, resumes_at], ['connection_paused', paused_until])
      assert.match(message, /paused the connection to Notes/)
      assert.equal(t.sandbox.ledger.length, requests)
      assert.doesNotMatch(JSON.stringify(result), /magic-link|authenticate_meta/)
      const resumed = await t.call('POST', `${user.at}/resume`)
      assert.deepEqual([resumed.status, resumed.body.paused_until], [200, null])
      assert.equal((await callNotes(user.id)).isError, false)
      assert.deepEqual(await changes(user.id), [
        ['credential.paused', null],
        ['credential.resumed', 'requested'],
      ])
      const records = (await t.call('GET', `/api/v1/tool-calls?registered_user_id=${user.id}`)).body.data
      assert.deepEqual(
        records.map((record: any) => [record.outcome, record.error_code]),
        [
          ['success', null],
          ['error', 'connection_paused'],
          ['success', null],
        ],
      )
    })

    it('pause: a caller that would wait for a connection gets the error at once', async () => {
      const user = await linkedUser()
      await t.call('POST', `${user.at}/pause`, { body: {} })
      const result = await callNotes(user.id, '?wait=60')
      assert.equal(result.structuredContent.error.code, 'connection_paused')
    })

    it('pause: tools stay listed as connected, and a test makes no call', async () => {
      const user = await linkedUser()
      const listed = await t.mcp(user.id, 'tools/list')
      await t.call('POST', `${user.at}/pause`, { body: {} })
      assert.deepEqual((await t.mcp(user.id, 'tools/list')).body.result, listed.body.result)
      const { body } = await t.call('POST', `${user.at}/test`)
      assert.deepEqual([body.works, body.outcome], [false, 'paused'])
    })

    it('pause: answers connection_paused even if the credential needs a new sign-in', async () => {
      const user = await linkedUser()
      await t.call('POST', `${user.at}/pause`, { body: {} })
      await t.query(
        `update credentials set status = 'needs_reauth', status_reason = 'expired' where registered_user_id = $1`,
        [user.id],
      )
      const { error } = (await callNotes(user.id)).structuredContent
      assert.equal(error.code, 'connection_paused')
      await t.call('POST', `${user.at}/resume`)
      assert.equal((await callNotes(user.id)).structuredContent.type, 'authenticate_meta')
    })

    it('pause: ends automatically, at once for calls, and the job records the event once', async () => {
      const user = await linkedUser()
      await t.call('POST', `${user.at}/pause`, { body: { seconds: 120 } })
      await t.moveClock(MINUTE)
      await resumeDue(t.service.features.db)
      assert.equal((await callNotes(user.id)).isError, true)
      await t.moveClock(MINUTE)
      assert.equal((await callNotes(user.id)).isError, false)
      assert.equal((await t.call('GET', user.at)).body.paused_until, null)
      await Promise.all([resumeDue(t.service.features.db), resumeDue(t.service.features.db)])
      assert.deepEqual(await changes(user.id), [
        ['credential.paused', null],
        ['credential.resumed', 'elapsed'],
      ])
    })

    it('pause: a new link ends it', async () => {
      const user = await linkedUser()
      await t.call('POST', `${user.at}/pause`, { body: {} })
      await link(user.id)
      assert.equal((await callNotes(user.id)).isError, false)
      assert.equal((await t.call('GET', user.at)).body.paused_until, null)
      assert.deepEqual(
        (await changes(user.id)).map(([type]) => type),
        ['credential.paused', 'credential.replaced'],
      )
    })

    it('pause: again replaces the time; resume twice records one event', async () => {
      const user = await linkedUser()
      const first = (await t.call('POST', `${user.at}/pause`, { body: { seconds: 60 } })).body.paused_until
      const second = (await t.call('POST', `${user.at}/pause`, { body: {} })).body.paused_until
      assert.ok(Date.parse(second) - Date.parse(first) > HOUR - 2 * MINUTE)
      for (const _ of [1, 2]) assert.equal((await t.call('POST', `${user.at}/resume`)).status, 200)
      assert.deepEqual(
        (await changes(user.id)).map(([type]) => type),
        ['credential.paused', 'credential.paused', 'credential.resumed'],
      )
    })

    it('pause: rejects invalid durations, and credentials that are revoked or of others', async () => {
      const user = await linkedUser()
      for (const seconds of [0, -1, 1.5, 2_592_001, '60'])
        assert.equal((await t.call('POST', `${user.at}/pause`, { body: { seconds } })).status, 400)
      const other = await t.createUser()
      for (const verb of ['pause', 'resume']) {
        const body = verb === 'pause' ? { body: {} } : {}
        const foreign = `/api/v1/registered-users/${other.id}/credentials/${user.credential_id}/${verb}`
        assert.equal((await t.call('POST', foreign, body)).body.error.code, 'credential_not_found')
        const unknown = user.at.replace(user.credential_id, NIL_UUID)
        assert.equal((await t.call('POST', `${unknown}/${verb}`, body)).status, 404)
        const otherMode = { ...body, key: t.organization.testKey }
        assert.equal(
          (await t.call('POST', `${user.at}/${verb}`, otherMode)).body.error.code,
          'registered_user_not_found',
        )
      }
      assert.equal((await t.call('GET', user.at)).body.paused_until, null)
      await t.call('POST', `${user.at}/pause`, { body: {} })
      await t.call('DELETE', user.at)
      assert.equal((await t.call('GET', user.at)).body.paused_until, null)
      assert.equal((await t.call('POST', `${user.at}/pause`, { body: {} })).status, 404)
      assert.equal((await t.call('POST', `${user.at}/resume`)).status, 404)
    })

    it('pause: concurrent with a deletion never leaves a paused, revoked credential', async () => {
      const user = await linkedUser()
      const answers = await Promise.all([
        ...Array.from({ length: 4 }, () => t.call('POST', `${user.at}/pause`, { body: {} })),
        t.call('DELETE', user.at),
      ])
      for (const { status } of answers) assert.ok([200, 204, 404].includes(status), String(status))
      const { status, paused_until } = (await t.call('GET', user.at)).body
      assert.deepEqual([status, paused_until], ['revoked', null])
      assert.equal((await callNotes(user.id)).structuredContent.type, 'authenticate_meta')
    })
  })
}
