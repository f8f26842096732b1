import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newUuid } from '../../src/core/uuid.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { recordRoundTrips } from '../support/round-trips.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const LIST_NOTES = 'sandbox-notes__list_notes'

for (const engine of flowEngines)
  describe(`notices before a connection ends (${engine})`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    const setNotices = async (renewal_notices: boolean) =>
      assert.equal(
        (
          await t.call('PATCH', `/api/v1/tool-packs/${t.organization.toolPackId}`, {
            body: { renewal_notices },
          })
        ).status,
        200,
      )
    const endSoon = (userId: string) =>
      t.query(
        `update credentials set ends_at = app_now() + interval '2 days', linked_at = app_now() - interval '20 days'
         where registered_user_id = $1`,
        [userId],
      )
    const linkedUser = async (): Promise<string> => {
      const { id } = await t.createUser()
      await linkNotes(createBrowserUser(), (await t.mint(id, { connector: 'sandbox-notes' })).magic_link_url)
      await endSoon(id)
      return id
    }
    const call = async (userId: string, name = LIST_NOTES, args: object = {}) =>
      (await t.mcp(userId, 'tools/call', { name, arguments: args })).body.result
    const toolsOf = async (userId: string): Promise<string[]> =>
      (await t.mcp(userId, 'tools/list')).body.result.tools.map(({ name }: { name: string }) => name)
    const accountOf = async (userId: string): Promise<any> =>
      (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data[0]

    it('off by default: the result is unchanged, and the tool does not exist', async () => {
      const userId = await linkedUser()
      assert.equal((await accountOf(userId)).health.state, 'at_risk')
      assert.equal((await call(userId)).content.length, 1)
      assert.ok(!(await toolsOf(userId)).includes('renew_connection'))
      const args = { connector: 'sandbox-notes', account: (await accountOf(userId)).credential_id }
      assert.equal(
        (await call(userId, 'renew_connection', args)).structuredContent.error.code,
        'tool_not_found',
      )
    })

    it('on: the last block says when it ends and how to renew it, and the rest is unchanged', async () => {
      const userId = await linkedUser()
      await setNotices(false)
      const plain = await call(userId)
      await setNotices(true)
      const { content, structuredContent, isError } = await call(userId)
      assert.deepEqual(
        [content.slice(0, -1), structuredContent, isError],
        [plain.content, plain.structuredContent, false],
      )
      const { credential_id, health } = await accountOf(userId)
      const { text } = content.at(-1)
      assert.ok(text.includes(`ends on ${health.ends_at.slice(0, 10)}`), text)
      const [, named] = /renew_connection (\{.*\}) returns/.exec(text) ?? []
      assert.deepEqual(JSON.parse(named as string), { connector: 'sandbox-notes', account: credential_id })
      assert.ok((await toolsOf(userId)).includes('renew_connection'))
      const renewal = (await call(userId, 'renew_connection', JSON.parse(named as string))).structuredContent
      assert.deepEqual([renewal.type, renewal.reason], ['authenticate_meta', 'expiring'])
      await linkNotes(createBrowserUser(), renewal.magic_link_url)
      assert.equal((await accountOf(userId)).credential_id, credential_id)
      assert.equal((await call(userId)).content.length, 1)
    })

    it('users of a shared account get no notice, and cannot renew accounts of others', async () => {
      await setNotices(true)
      const owner = await linkedUser()
      const other = (await t.createUser()).id
      const { credential_id } = await accountOf(owner)
      const access = `/api/v1/registered-users/${owner}/credentials/${credential_id}/access`
      await t.call('PUT', access, { body: { registered_user_ids: [other] } })
      assert.equal((await call(owner)).content.length, 2)
      assert.equal((await call(other)).content.length, 1)
      for (const args of [
        { connector: 'sandbox-notes', account: credential_id },
        { connector: 'sandbox-notes', account: newUuid() },
        { connector: 'sandbox-notes', account: "' or true --" },
        { connector: 'x'.repeat(100_000), account: credential_id },
        { connector: ['sandbox-notes'], account: credential_id },
        { connector: 'sandbox-notes' },
        { connector: 'sandbox-notes', account: credential_id, user: owner },
      ]) {
        const { structuredContent } = await call(other, 'renew_connection', args)
        assert.equal(structuredContent.error.code, 'invalid_arguments', JSON.stringify(args).slice(0, 100))
      }
    })

    it('a result that is an error, and a call without an account, have no notice', async () => {
      await setNotices(true)
      const userId = await linkedUser()
      const rejected = await call(userId, 'sandbox-notes__create_note', { title: 7 })
      assert.deepEqual([rejected.isError, rejected.content.length], [true, 1])
      const { id } = await t.createUser()
      assert.equal((await call(id)).structuredContent.type, 'authenticate_meta')
    })

    it('a notice costs no round trip to the database', { skip: engine === 'pglite' }, async () => {
      const userId = await linkedUser()
      const countOf = async (): Promise<number> => {
        await call(userId)
        const { roundTrips, stop } = recordRoundTrips(t.databaseUrl as string)
        await call(userId)
        stop()
        return roundTrips.filter(trip => trip.some(name => name.startsWith('tools.'))).length
      }
      await setNotices(false)
      const without = await countOf()
      await setNotices(true)
      assert.deepEqual([await countOf(), (await call(userId)).content.length], [without, 2])
    })
  })
