import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY } from '../../src/core/duration.ts'
import { usageStore } from '../../src/features/metering/limits/usage-store.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { engines } from '../support/databases.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

for (const engine of engines)
  describe(`unused scopes (${engine})`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    const unused = async (key = t.organization.key) =>
      (await t.call('GET', '/api/v1/unused-scopes', { key })).body.data

    it('a scope that no call has needed for 30 days is listed, until a call needs it', async () => {
      const { id } = await t.createUser()
      await linkNotes(createBrowserUser(), (await t.mint(id, { connector: 'sandbox-notes' })).magic_link_url)
      const call = (name: string, args: object) => t.mcp(id, 'tools/call', { name, arguments: args })
      assert.deepEqual(await unused(), [], 'linked less than 30 days ago')
      await t.moveClock(31 * DAY)
      await call('sandbox-notes__list_notes', {})
      const [{ connector_slug, scopes }] = await unused()
      assert.equal(connector_slug, 'sandbox-notes')
      assert.deepEqual(
        scopes.map(({ name, title, credentials, tools }: any) => [
          name,
          title,
          credentials,
          tools.includes('create_note'),
        ]),
        [['notes:write', 'Create notes', 1, true]],
      )
      assert.deepEqual(await unused(t.organization.testKey), [])
      assert.deepEqual(await unused((await t.createOrganization('Other')).key), [])
      await call('sandbox-notes__create_note', { title: 'x', text: 'y' })
      assert.deepEqual(await unused(), [])
      await t.moveClock(DAY)
      await usageStore.aggregate(t.service.features.db)
      assert.deepEqual(await unused(), [], 'also after the records were added up')
      await t.moveClock(31 * DAY)
      assert.deepEqual(
        (await unused())[0].scopes.map(({ name }: any) => name),
        ['notes:read', 'notes:write'],
      )
      const rejected = (await call('sandbox-notes__create_note', { title: 7 })).body.result
      assert.equal(rejected.isError, true)
    })
  })
