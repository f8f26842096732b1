import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY } from '../../src/core/duration.ts'
import { issueToken } from '../../src/core/token.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { mcpKeyStore } from '../../src/features/tools/mcp-keys/mcp-key-store.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { type Answer, joinTestService, type TestService } from '../support/test-service.ts'

const refuses = (answer: Answer, status: number, code: string, param?: string): void => {
  assert.equal(answer.status, status, answer.text)
  assert.deepEqual([answer.body.error.code, answer.body.error.param], [code, param], answer.text)
}

for (const engine of flowEngines) {
  describe(`MCP keys on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    const path = (userId: string, rest = '') => `/api/v1/registered-users/${userId}/mcp-keys${rest}`
    const create = (userId: string, body = {}, key?: string) =>
      t.call('POST', path(userId), { body: { name: 'Laptop', ...body }, ...(key && { key }) })
    const issue = async (userId: string, body = {}, key?: string): Promise<{ id: string; key: string }> => {
      const created = await create(userId, body, key)
      assert.equal(created.status, 201, created.text)
      return created.body
    }
    const list = (userId: string, key: string, packId = t.organization.toolPackId) =>
      t.mcp(userId, 'tools/list', {}, { key, packId })
    const newPack = async (): Promise<string> =>
      (await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Pack' } })).body.id

    it('are shown once, listed by hint, and unusable from the next request after revocation [mcp-key.life]', async () => {
      const user = await t.createUser()
      const created = await create(user.id)
      assert.equal(created.status, 201, created.text)
      const { key, ...shown } = created.body
      assert.match(key, /^cb_mcp_[0-9A-Za-z]{53}$/)
      assert.deepEqual(
        [shown.name, shown.hint, shown.tool_pack_ids, shown.registered_user_id],
        ['Laptop', `cb_mcp_…${key.slice(-4)}`, [t.organization.toolPackId], user.id],
      )
      assert.equal(Math.round((Date.parse(shown.expires_at) - Date.parse(shown.created_at)) / DAY), 30)
      const listed = await t.call('GET', path(user.id))
      assert.deepEqual(listed.body, { data: [shown], next_cursor: null })
      assert.ok(!listed.text.includes(key))

      assert.equal((await list(user.id, key)).status, 200)
      assert.equal((await t.call('DELETE', path(user.id, `/${shown.id}`))).status, 204)
      refuses(await list(user.id, key), 401, 'invalid_api_key', 'Authorization')
      refuses(await t.call('DELETE', path(user.id, `/${shown.id}`)), 404, 'mcp_key_not_found')
      assert.deepEqual((await t.call('GET', path(user.id))).body.data, [])
    })

    it('list, get authenticate_meta, and call, as the organization’s key does for that user', async () => {
      const user = await t.createUser()
      const { key } = await issue(user.id)
      const call = async () =>
        (await t.mcp(user.id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} }, { key }))
          .body.result.structuredContent
      const meta = await call()
      assert.equal(meta.type, 'authenticate_meta')
      await linkNotes(createBrowserUser(), meta.magic_link_url)
      assert.equal((await call()).notes.length, 3)
      const [record] = await t.query(
        `select mode, counted from tool_calls where registered_user_id = $1 and outcome = 'success'`,
        [user.id],
      )
      assert.deepEqual(record, { mode: 'production', counted: true })
    })

    it('give access to one user and the chosen packs; everything else is not found', async () => {
      const [user, other] = [await t.createUser(), await t.createUser()]
      const tester = await t.createUser({}, t.organization.testKey)
      const [pack, foreign] = [await newPack(), (await t.createOrganization('Other')).toolPackId]
      const { key } = await issue(user.id, { tool_pack_ids: [pack, pack.toUpperCase()] })
      assert.equal((await list(user.id, key, pack)).status, 200)
      for (const id of [other.id, tester.id, newUuid(), 'x'])
        refuses(await list(id, key, pack), 404, 'registered_user_not_found')
      for (const id of [t.organization.toolPackId, foreign, newUuid()])
        refuses(await list(user.id, key, id), 404, 'tool_pack_not_found')
      const call = { name: 'sandbox-notes__list_notes', arguments: {} }
      assert.equal((await t.mcp(other.id, 'tools/call', call, { key, packId: pack })).status, 404)
      assert.deepEqual(
        await t.query('select id from tool_calls where registered_user_id = $1', [other.id]),
        [],
      )
      await t.call('DELETE', `/api/v1/tool-packs/${pack}`)
      refuses(await list(user.id, key, pack), 404, 'tool_pack_not_found')
      assert.deepEqual((await t.call('GET', path(user.id))).body.data[0].tool_pack_ids, [])
    })

    it('are accepted only at the MCP endpoint, and the error says so', async () => {
      const user = await t.createUser()
      const { key } = await issue(user.id)
      for (const [method, address] of [
        ['GET', '/api/v1/organization'],
        ['GET', '/api/registered-users'],
        ['GET', `/api/v1/registered-users/${user.id}`],
        ['POST', `/api/v1/registered-users/${user.id}/link-token`],
        ['GET', path(user.id)],
        ['POST', path(user.id)],
        ['GET', `/api/v1/registered-users/${user.id}/credentials`],
        ['POST', '/api/v1/link-token/confirm'],
        ['GET', '/api/v1/tool-packs'],
        ['GET', '/api/v1/connectors'],
      ] as const) {
        const answer = await t.call(method, address, { key })
        refuses(answer, 401, 'mcp_key_not_accepted', 'Authorization')
        assert.match(answer.body.error.message, /MCP endpoint/)
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
      }
      refuses(
        await list(user.id, issueToken('mcpKey', t.organization.id)),
        401,
        'invalid_api_key',
        'Authorization',
      )
      refuses(await list(user.id, `${key}x`), 401, 'invalid_api_key', 'Authorization')
    })

    it('belong to the mode of their user', async () => {
      const { testKey } = t.organization
      const tester = await t.createUser({}, testKey)
      refuses(await create(tester.id), 404, 'registered_user_not_found')
      refuses(await t.call('GET', path(tester.id)), 404, 'registered_user_not_found')
      const { key, id } = await issue(tester.id, {}, testKey)
      refuses(await t.call('DELETE', path(tester.id, `/${id}`)), 404, 'registered_user_not_found')
      assert.equal((await list(tester.id, key)).status, 200)
      const user = await t.createUser()
      refuses(await create(user.id, {}, testKey), 404, 'registered_user_not_found')
      refuses(await t.call('DELETE', path(user.id, `/${id}`)), 404, 'mcp_key_not_found')
      const foreignKey = (await t.createOrganization('Other')).key
      refuses(await create(user.id, {}, foreignKey), 404, 'registered_user_not_found')
      assert.equal((await t.call('DELETE', path(tester.id, `/${id}`), { key: testKey })).status, 204)
    })

    it('are rejected with a reason', async () => {
      const user = await t.createUser()
      const ahead = (days: number) => new Date(Date.now() + days * DAY).toISOString()
      const foreign = (await t.createOrganization('Other')).toolPackId
      for (const [body, status, code, param] of [
        [{ name: '' }, 400, 'invalid_request', 'name'],
        [{ tool_pack_ids: [] }, 400, 'invalid_request', 'tool_pack_ids'],
        [
          { tool_pack_ids: [t.organization.toolPackId, foreign] },
          404,
          'tool_pack_not_found',
          'tool_pack_ids.1',
        ],
        [{ tool_pack_ids: ['x'] }, 404, 'tool_pack_not_found', 'tool_pack_ids.0'],
        [{ expires_in_days: 0 }, 400, 'invalid_request', 'expires_in_days'],
        [{ expires_in_days: 366 }, 400, 'invalid_request', 'expires_in_days'],
        [{ expires_at: ahead(-1) }, 400, 'invalid_request', 'expires_at'],
        [{ expires_at: ahead(366) }, 400, 'invalid_request', 'expires_at'],
        [{ expires_at: 'tomorrow' }, 400, 'invalid_request', 'expires_at'],
        [{ expires_at: ahead(1), expires_in_days: 1 }, 400, 'invalid_request', 'expires_at'],
        [{ scope: 'all' }, 400, 'unknown_field', 'scope'],
      ] as const)
        refuses(await create(user.id, body), status, code, param)
      assert.deepEqual((await t.call('GET', path(user.id))).body.data, [])
      await t.call('PATCH', `/api/v1/registered-users/${user.id}`, { body: { is_active: false } })
      refuses(await create(user.id), 409, 'user_inactive')
      for (const id of ['x', newUuid()]) refuses(await create(id), 404, 'registered_user_not_found')
    })

    it('are unusable for an inactive user, and deleted with a deleted one', async () => {
      const user = await t.createUser()
      const { key } = await issue(user.id)
      const active = (is_active: boolean) =>
        t.call('PATCH', `/api/v1/registered-users/${user.id}`, { body: { is_active } })
      await active(false)
      assert.equal((await list(user.id, key)).body.error.data.code, 'user_inactive')
      await active(true)
      assert.ok((await list(user.id, key)).body.result)
      await t.call('DELETE', `/api/v1/registered-users/${user.id}`)
      refuses(await list(user.id, key), 401, 'invalid_api_key', 'Authorization')
      assert.deepEqual(await t.query('select id from mcp_keys where registered_user_id = $1', [user.id]), [])
    })

    it('are not replayed for an Idempotency-Key: each request creates one', async () => {
      const user = await t.createUser()
      const twice = () =>
        t.call('POST', path(user.id), { body: { name: 'x' }, headers: { 'idempotency-key': 'k' } })
      assert.notEqual((await twice()).body.key, (await twice()).body.key)
    })

    it('are limited to 20 unexpired ones per user, also for concurrent requests', async () => {
      const user = await t.createUser()
      const answers = await Promise.all(Array.from({ length: 24 }, () => create(user.id)))
      assert.equal(answers.filter(({ status }) => status === 201).length, 20)
      refuses(await create(user.id), 409, 'mcp_key_limit_reached')
      const first = await t.call('GET', `${path(user.id)}?limit=15`)
      const rest = await t.call('GET', `${path(user.id)}?limit=15&cursor=${first.body.next_cursor}`)
      assert.deepEqual([first.body.data.length, rest.body.data.length], [15, 5])
      await t.call('DELETE', path(user.id, `/${rest.body.data[0].id}`))
      assert.equal((await create(user.id)).status, 201)
    })

    // The last test, because it moves the clock and the clock does not go back.
    it('expire by the database clock, and are deleted a month later', async () => {
      const user = await t.createUser()
      const day = await issue(user.id, { expires_in_days: 1 })
      const until = await issue(user.id, { expires_at: new Date(Date.now() + 3 * DAY).toISOString() })
      await t.moveClock(2 * DAY)
      refuses(await list(user.id, day.key), 401, 'invalid_api_key', 'Authorization')
      assert.equal((await list(user.id, until.key)).status, 200)
      await t.moveClock(4 * DAY)
      refuses(await list(user.id, until.key), 401, 'invalid_api_key', 'Authorization')
      const listed = async () => (await t.call('GET', path(user.id))).body.data.length
      await mcpKeyStore.deleteExpired(t.service.features.db)
      assert.equal(await listed(), 2)
      await t.moveClock(40 * DAY)
      await mcpKeyStore.deleteExpired(t.service.features.db)
      assert.equal(await listed(), 0)
    })
  })
}
