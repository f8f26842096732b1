import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { MINUTE } from '../../src/core/duration.ts'
import { fetchResult } from '../../src/features/tools/calls/fetch-result.ts'
import { createJobs } from '../../src/worker.ts'
import { flowEngines } from '../support/databases.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'
import { caller, keyHashOf } from '../support/tool-calls.ts'

for (const engine of flowEngines) {
  describe(`a result above the limit of the pack, on ${engine}`, () => {
    let t: TestService
    let server: HostileServer
    let user: { id: string }
    const letters = 'Aé😀"\n'.repeat(4000)

    before(async () => {
      t = await joinTestService(engine)
      server = await startHostileMcp()
      await t.call('POST', '/api/v1/connectors', {
        body: { name: 'Theirs', slug: 'theirs', url: server.url },
      })
      server.reset({
        'tools/call': exchange => result(exchange, { content: [{ type: 'text', text: letters }] }),
      })
    })
    after(async () => {
      await t.stop()
      await server.close()
    })
    beforeEach(async () => {
      user = await t.createUser()
      await setPack({ handles: true, limit: 5000 })
    })

    const setPack = ({ handles, limit }: { handles: boolean; limit: number }) =>
      t.query('update tool_packs set result_handles = $2, result_limit = $3 where id = $1', [
        t.organization.toolPackId,
        handles,
        limit,
      ])
    const fetchStored = (args: Record<string, unknown>, rest = {}) =>
      fetchResult(t.service.features, {
        keyHash: keyHashOf(t.organization.key),
        registeredUserId: user.id,
        toolPackId: t.organization.toolPackId,
        requestId: 'req_test',
        args,
        ...rest,
      })
    const handleOf = (answer: { content: unknown[] }): string =>
      /fetch_result \{"handle":"([0-9a-f-]{36})"\}/.exec(
        (answer.content.at(-1) as { text: string }).text,
      )?.[1] ?? ''
    const countStored = async () =>
      (
        await t.query('select count(*)::int as kept from stored_results where registered_user_id = $1', [
          user.id,
        ])
      )[0].kept

    it('is truncated, and not stored by default', async () => {
      await setPack({ handles: false, limit: 5000 })
      const { result: cut } = (await t.mcp(user.id, 'tools/call', { name: 'theirs__act', arguments: {} }))
        .body
      assert.ok(Buffer.byteLength(JSON.stringify(cut)) <= 5000)
      assert.match(cut.content.at(-1).text, /This result was truncated: .* narrow the query/)
      assert.equal(await countStored(), 0)
      await assert.rejects(fetchStored({ handle: crypto.randomUUID() }), { code: 'tool_not_found' })
    })

    it('is stored sealed if the pack enables it, and can be read in slices to its end', async () => {
      const handle = handleOf(await caller(t, user.id)('theirs__act'))
      const [row] = await t.query('select sealed from stored_results where registered_user_id = $1', [
        user.id,
      ])
      assert.ok(!Buffer.from(row.sealed).includes('Aé😀'))
      let read = ''
      let offset: number | null = 0
      for (let slices = 0; offset !== null; slices++) {
        const answer = await fetchStored({ handle, offset })
        assert.ok(Buffer.byteLength(JSON.stringify(answer)) <= 5000)
        const place = answer.structuredContent as { text: string; next_offset: number | null; total: number }
        assert.equal(place.total, letters.length)
        assert.deepEqual(answer.content[0], { type: 'text', text: place.text })
        read += place.text
        offset = place.next_offset
        assert.ok(slices < 200 && place.text.length > 0)
      }
      assert.equal(read, letters)
      const two = (await fetchStored({ handle, offset: 2, limit: 1 })).structuredContent
      assert.equal(two?.text, '😀', 'a character is not split')
      const records = await t.query(
        `select outcome, counted from tool_calls where registered_user_id = $1 and tool = 'fetch_result'`,
        [user.id],
      )
      assert.ok(records.length > 2)
      assert.ok(records.every(({ outcome, counted }: any) => outcome === 'success' && !counted))
    })

    it('is readable only by its user in its pack', async () => {
      const handle = handleOf(await caller(t, user.id)('theirs__act'))
      const missing = { code: 'result_not_found' }
      const other = await t.createUser()
      await assert.rejects(fetchStored({ handle }, { registeredUserId: other.id }), missing)
      const toolPackId = crypto.randomUUID()
      await t.query(
        `insert into tool_packs (organization_id, id, name, result_handles) values ($1, $2, 'Another', true)`,
        [t.organization.id, toolPackId],
      )
      await assert.rejects(fetchStored({ handle }, { toolPackId }), missing)
      const tries = await t.query(
        `select outcome, error_code from tool_calls where tool = 'fetch_result' and (registered_user_id = $1 or tool_pack_id = $2)`,
        [other.id, toolPackId],
      )
      const refused = { outcome: 'error', error_code: 'result_not_found' }
      assert.deepEqual(tries, [refused, refused], 'the result is not read')
      await assert.rejects(fetchStored({ handle: 'nonsense' }), missing)
      await assert.rejects(fetchStored({ handle: crypto.randomUUID() }), missing)
      const otherOrganization = await t.createOrganization('Strangers')
      const foreignUser = await t.createUser({}, otherOrganization.key)
      const foreign = {
        keyHash: keyHashOf(otherOrganization.key),
        registeredUserId: foreignUser.id,
        toolPackId: otherOrganization.toolPackId,
      }
      await t.query('update tool_packs set result_handles = true where id = $1', [
        otherOrganization.toolPackId,
      ])
      await assert.rejects(fetchStored({ handle }, foreign), missing)
      await assert.rejects(fetchStored({ handle }, { registeredUserId: foreignUser.id }), {
        code: 'registered_user_not_found',
      })
      await t.query('update stored_results set registered_user_id = $2 where registered_user_id = $1', [
        user.id,
        other.id,
      ])
      await assert.rejects(fetchStored({ handle }, { registeredUserId: other.id }), missing)
    })

    it('is deleted after an hour, and with its user', async () => {
      const handle = handleOf(await caller(t, user.id)('theirs__act'))
      await t.moveClock(59 * MINUTE)
      assert.ok(await fetchStored({ handle }))
      await t.moveClock(2 * MINUTE)
      await assert.rejects(fetchStored({ handle }), { code: 'result_not_found' })
      await createJobs(t.service.features)
        .find(({ name }) => name === 'retention')
        ?.run()
      assert.equal(await countStored(), 0)
      await caller(t, user.id)('theirs__act')
      assert.equal(await countStored(), 1)
      await t.call('DELETE', `/api/v1/registered-users/${user.id}`)
      assert.equal(await countStored(), 0)
    })

    it('the storage per user is limited', async () => {
      await setPack({ handles: true, limit: 1000 })
      for (let round = 0; round < 6; round++)
        await Promise.all(Array.from({ length: 10 }, () => caller(t, user.id)('theirs__act')))
      assert.ok((await countStored()) <= 60)
      await caller(t, user.id)('theirs__act')
      assert.ok((await countStored()) <= 50)
    })

    it('invalid arguments are rejected with the name of the field', async () => {
      for (const [args, param] of [
        [{}, 'handle'],
        [{ handle: 7 }, 'handle'],
        [{ handle: 'x', offset: -1 }, 'offset'],
        [{ handle: 'x', offset: 1.5 }, 'offset'],
        [{ handle: 'x', limit: 0 }, 'limit'],
        [{ handle: 'x', limit: '1' }, 'limit'],
        [{ handle: 'x', more: 1 }, 'more'],
      ] as const)
        await assert.rejects(fetchStored(args), { code: 'invalid_arguments', param })
    })
  })
}
