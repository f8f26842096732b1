import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { admitByName } from '../../src/features/tools/calls/admit-by-name.ts'
import type { Queryable } from '../../src/platform/database/database.ts'
import type { AnyStatement } from '../../src/platform/database/statement.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { recordRoundTrips } from '../support/round-trips.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { toolCall } from '../support/tool-calls.ts'

const LIST = 'sandbox-notes__list_notes'

describe('names of tools', () => {
  let t: TestService
  before(async () => {
    t = await startTestService('postgres', {}, { withJobs: false })
  })
  after(() => t.stop())

  const call = async (userId: string, name: string, options: { packId?: string; query?: string } = {}) =>
    (await t.mcp(userId, 'tools/call', { name, arguments: {} }, options)).body.result
  const createPack = async (body: object): Promise<string> => {
    const created = await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Pack', ...body } })
    assert.equal(created.status, 201, created.text)
    return created.body.id
  }
  const linkedUser = async (): Promise<string> => {
    const { id } = await t.createUser()
    await linkNotes(createBrowserUser(), (await t.mint(id)).magic_link_url)
    return id
  }

  it('tool_not_found names similar tools of the pack and no others', async () => {
    const userId = await linkedUser()
    const messageOf = async (name: string, options = {}) => {
      const { error } = (await call(userId, name, options)).structuredContent
      assert.deepEqual([error.code, error.param], ['tool_not_found', 'name'])
      return error.message
    }
    assert.match(await messageOf('sandbox-notes__list_note'), /Similar tools: sandbox-notes__list_notes[,.]/)
    assert.equal(
      await messageOf('weather'),
      'There is no such tool in this Tool Pack. Use one of the listed tools.',
    )
    const packId = await createPack({ connectors: [{ slug: 'sandbox-notes', tools: ['create_note'] }] })
    assert.doesNotMatch(await messageOf('sandbox-notes__list_note', { packId }), /list_notes/)
    const query = '?connectors=sandbox-vault'
    assert.doesNotMatch(await messageOf('sandbox-notes__list_note', { query }), /list_notes/)
    for (const serving of ['search', 'reveal'])
      assert.match(
        await messageOf('sandbox-notes__list_note', { packId: await createPack({ serving }) }),
        /list_notes.* Find tools with search_tools\.$/,
      )
  })

  it('a name in which a client replaced characters or case is understood, also by Explain', async () => {
    const userId = await linkedUser()
    for (const name of ['sandbox_notes__list_notes', 'Sandbox-Notes__List-Notes']) {
      const result = await call(userId, name)
      assert.equal(result.isError, false, JSON.stringify(result))
      const explained = await t.call('POST', '/api/v1/explain', {
        body: { registered_user_id: userId, tool: name },
      })
      assert.deepEqual([explained.body.allowed, explained.body.tool], [true, LIST])
    }
    const records = (await t.call('GET', `/api/v1/tool-calls?registered_user_id=${userId}`)).body.data
    assert.deepEqual(
      records.map(({ connector, tool, outcome }: Record<string, string>) => [connector, tool, outcome]),
      [
        ['sandbox-notes', 'list_notes', 'success'],
        ['sandbox-notes', 'list_notes', 'success'],
      ],
    )
    const packId = await createPack({ connectors: ['sandbox-vault'] })
    const outside = await call(userId, 'sandbox_notes__list_notes', { packId })
    assert.equal(outside.structuredContent.error.code, 'tool_not_found')
    const { roundTrips, stop } = recordRoundTrips(t.databaseUrl as string)
    await call(userId, LIST)
    stop()
    assert.deepEqual(roundTrips, [['tools.admit'], ['tools.settle_unheld']], 'a correct name costs no more')
  })

  describe('a change between the admission and its explanation', () => {
    const setState = (state: string) =>
      t.query('update organizations set state = $1 where id = $2', [state, t.organization.id])
    /** Sets the state before each statement, in this order. */
    const changing = (states: Partial<Record<string, string[]>>): Queryable => ({
      query: async (statement, ...values) => {
        const state = states[(statement as AnyStatement).name]?.shift()
        if (state !== undefined) await setState(state)
        return t.service.features.batched.query(statement, ...values)
      },
    })
    const admit = async (states: Record<string, string[]>) => {
      const { id } = await t.createUser()
      try {
        return await admitByName({ ...t.service.features, batched: changing(states) }, toolCall(t, id, LIST))
      } finally {
        await setState('active')
      }
    }

    it('a move that is aborted in between: the call is admitted once more', async () => {
      const admitted = await admit({ 'tools.admit': ['leaving', 'active'], 'tools.caller': ['active'] })
      assert.equal(admitted.callable.name, LIST)
    })

    it('a second move: the answer says that the organization is moving', async () => {
      await assert.rejects(admit({ 'tools.admit': ['leaving', 'leaving'], 'tools.caller': ['active'] }), {
        code: 'organization_moving',
        retryable: true,
      })
    })

    it('an admission that stays unexplained is unavailable, with a retry, and not an unknown tool', async () => {
      const states = { 'tools.admit': ['leaving', 'leaving'], 'tools.caller': ['active', 'active'] }
      await assert.rejects(admit(states), { code: 'unavailable', retryable: true, retryAfterSeconds: 1 })
    })
  })
})
