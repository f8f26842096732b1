import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { allowanceStore } from '../../src/features/metering/limits/allowance-store.ts'
import { settlementStore } from '../../src/features/tools/admission/settlement-store.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { joinTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const DAY = 24 * 60 * 60 * 1000

for (const engine of flowEngines)
  describe(`the daily limit of a Tool Pack on ${engine}`, () => {
    let t: TestService
    let server: HostileServer
    let untilNoon: number
    let releaseHeldCall: (() => void) | null = null
    before(async () => {
      t = await joinTestService(engine)
      // No test crosses midnight.
      const now = Date.now()
      untilNoon = Math.floor(now / DAY) * DAY + DAY / 2 - now
      await t.moveClock(untilNoon)
      server = await startHostileMcp()
      server.reset({
        'tools/list': exchange =>
          result(exchange, { tools: [{ name: 'act', inputSchema: { type: 'object' } }] }),
        'tools/call': exchange => {
          const { fails, hangs } = exchange.message.params.arguments
          if (hangs) {
            releaseHeldCall = () => void result(exchange, { content: [] })
            return
          }
          return result(exchange, { content: [{ type: 'text', text: 'done' }], isError: fails === true })
        },
      })
    })
    after(async () => {
      await t.moveClock(-untilNoon)
      await t.stop()
      await server.close()
    })

    const patch = (organization: TestOrganization, limit: unknown) =>
      t.call('PATCH', `/api/v1/tool-packs/${organization.toolPackId}`, {
        key: organization.key,
        body: { daily_call_limit: limit },
      })
    const setLimit = async (organization: TestOrganization, limit: number | null): Promise<void> => {
      const answer = await patch(organization, limit)
      assert.deepEqual([answer.status, answer.body.daily_call_limit], [200, limit])
    }
    let organizations = 0
    const open = async (limit: number | null) => {
      const organization = await t.createOrganization(`Daily ${++organizations}`)
      const added = await t.call('POST', '/api/v1/connectors', {
        key: organization.key,
        body: { name: 'Theirs', slug: 'theirs', url: server.url },
      })
      assert.equal(added.status, 201, added.text)
      if (limit !== null) await setLimit(organization, limit)
      const user = await t.createUser({}, organization.key)
      type Options = { userId?: string; key?: string; packId?: string; name?: string }
      const act = async (args = {}, options: Options = {}) => {
        const {
          userId = user.id,
          key = organization.key,
          packId = organization.toolPackId,
          name = 'theirs__act',
        } = options
        const { body } = await t.mcp(userId, 'tools/call', { name, arguments: args }, { key, packId })
        return body.result
      }
      const codeOf = async (...call: Parameters<typeof act>): Promise<string | null> =>
        (await act(...call)).structuredContent?.error?.code ?? null
      return { organization, user, act, codeOf }
    }
    const number = async (sql: string, { id }: TestOrganization): Promise<number> =>
      Number((await t.query<{ n: number }>(sql, [id]))[0]?.n)
    const countedOf = (organization: TestOrganization) =>
      number('select count(*) as n from tool_calls where organization_id = $1 and counted', organization)
    const takenOf = (organization: TestOrganization) =>
      number('select sum(taken) as n from pack_days where organization_id = $1', organization)

    it('concurrent calls, half of them failing: no more than the limit count', async () => {
      const { organization, codeOf } = await open(10)
      const codes = await Promise.all(Array.from({ length: 60 }, (_, n) => codeOf({ fails: n % 2 === 1 })))
      assert.ok(codes.includes('daily_limit_reached'))
      // Calls are repeated that were rejected while others held the last reservations, or because many at once have overloaded the server.
      await eventually(async () => {
        await codeOf()
        assert.equal(await countedOf(organization), 10)
      })
      assert.equal(await takenOf(organization), 10)
      assert.equal(await codeOf(), 'daily_limit_reached')
    })

    it('at the limit: a tool error with the time of reset, a record, an explanation, and calls on the next day', async () => {
      const { organization, user, act, codeOf } = await open(1)
      const { id: otherPack } = (
        await t.call('POST', '/api/v1/tool-packs', { key: organization.key, body: { name: 'Other' } })
      ).body
      const explain = async () => {
        const body = { registered_user_id: user.id, tool: 'theirs__act' }
        const answer = await t.call('POST', '/api/v1/explain', { key: organization.key, body })
        return answer.body.steps.find(({ step }: { step: string }) => step === 'daily_limit')
      }
      const tomorrow = new Date((Math.floor((Date.now() + untilNoon) / DAY) + 1) * DAY).toISOString()
      const passed = await explain()
      assert.deepEqual(
        [passed.status, passed.title, passed.summary, passed.detail],
        [
          'passed',
          'Daily limit',
          '1 of 1 calls of the Tool Pack remain today.',
          { limit: 1, remaining: 1, resets_at: tomorrow },
        ],
      )
      assert.equal(await codeOf(), null)
      const refused = await act()
      assert.equal(refused.isError, true)
      const { code, message, resumes_at } = refused.structuredContent.error
      assert.deepEqual(
        [code, message, resumes_at],
        [
          'daily_limit_reached',
          `This Tool Pack allows 1 call per day. Calls resume at ${tomorrow}.`,
          tomorrow,
        ],
      )
      const failed = await explain()
      assert.deepEqual(
        [failed.status, failed.detail, failed.fix.action],
        ['failed', { limit: 1, remaining: 0, resets_at: tomorrow }, 'update_tool_pack'],
      )
      assert.equal(await codeOf({}, { packId: otherPack }), null, 'other packs are not limited')
      const [record] = await t.query(
        `select outcome, error_code, ended_at_step, counted from tool_calls where organization_id = $1 and outcome <> 'success'`,
        [organization.id],
      )
      assert.deepEqual(record, {
        outcome: 'limited',
        error_code: 'daily_limit_reached',
        ended_at_step: 'daily_limit',
        counted: false,
      })
      await t.moveClock(DAY)
      try {
        assert.equal(await codeOf(), null)
        assert.equal(await codeOf(), 'daily_limit_reached')
      } finally {
        await t.moveClock(-DAY)
      }
    })

    it('users of the test mode are not limited, and their calls do not count', async () => {
      const { organization, codeOf } = await open(1)
      const { id: userId } = await t.createUser({}, organization.testKey)
      for (let n = 0; n < 3; n++) assert.equal(await codeOf({}, { userId, key: organization.testKey }), null)
      assert.equal(await codeOf(), null)
      assert.equal(await codeOf(), 'daily_limit_reached')
    })

    it('a changed limit applies to the next call and includes the earlier calls of the day', async () => {
      const { organization, codeOf } = await open(null)
      for (let n = 0; n < 3; n++) assert.equal(await codeOf(), null)
      assert.equal(await codeOf({ fails: true }), null)
      await setLimit(organization, 4)
      assert.equal(await codeOf(), null)
      assert.equal(await codeOf(), 'daily_limit_reached')
      await setLimit(organization, 5)
      assert.equal(await codeOf(), null)
      await setLimit(organization, 2)
      assert.equal(await codeOf(), 'daily_limit_reached')
      await setLimit(organization, null)
      for (let n = 0; n < 2; n++) assert.equal(await codeOf(), null)
      await setLimit(organization, 8)
      assert.equal(await codeOf(), null)
      assert.equal(await codeOf(), 'daily_limit_reached')
      await setLimit(organization, 0)
      assert.equal(await codeOf(), 'daily_limit_reached')
      for (const wrong of [-1, 1.5, '10', 1_000_000_001]) {
        const { status, body } = await patch(organization, wrong)
        assert.deepEqual([status, body.error.param], [400, 'daily_call_limit'], String(wrong))
      }
    })

    it('a replacement without the limit clears it', async () => {
      const { organization } = await open(7)
      const replaced = await t.call('PUT', `/api/v1/tool-packs/${organization.toolPackId}`, {
        key: organization.key,
        body: { name: 'Default' },
      })
      assert.deepEqual([replaced.status, replaced.body.daily_call_limit], [200, null], replaced.text)
    })

    it('a call that does not count releases its reservation: failed, rejected, abandoned, of a deleted user', async () => {
      const { organization, user, codeOf } = await open(2)
      assert.equal(await codeOf({ fails: true }), null)
      assert.equal(await takenOf(organization), 0)
      await t.query('update organizations set call_limit = 0 where id = $1', [organization.id])
      assert.equal(await codeOf(), 'billing_limit_reached')
      assert.equal(await takenOf(organization), 0)
      await t.query('update organizations set call_limit = null where id = $1', [organization.id])
      const leaveCall = async (userId: string) => {
        await t.query(
          `insert into calls_in_flight (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, request_id,
             started_at, retention_days, pack_day)
           select organization_id, gen_random_uuid(), $2, tool_pack_id, 'production', 'theirs', 'act', 'req_left',
             app_now() - interval '11 minutes', 90, day from pack_days where organization_id = $1`,
          [organization.id, userId],
        )
        await t.query('update pack_days set taken = taken + 1 where organization_id = $1', [organization.id])
      }
      await leaveCall(user.id)
      assert.equal(await takenOf(organization), 1)
      await settlementStore.markUnknown(t.service.features.db)
      assert.equal(await takenOf(organization), 0)
      const { id: deleted } = await t.createUser({}, organization.key)
      await leaveCall(deleted)
      const answer = await t.call('DELETE', `/api/v1/registered-users/${deleted}`, { key: organization.key })
      assert.ok(answer.status < 300, answer.text)
      await eventually(async () => assert.equal(await takenOf(organization), 0))
    })

    it('a call whose reservation the database has lost is counted once', async () => {
      const { organization, codeOf } = await open(2)
      assert.equal(await codeOf(), null)
      const hanging = codeOf({ hangs: true })
      await eventually(async () => assert.ok(releaseHeldCall, 'the call has reached the provider'))
      assert.equal(await codeOf(), 'daily_limit_reached', 'a call in progress has its reservation')
      // What a crash undoes if the admission was committed asynchronously.
      await t.query('delete from calls_in_flight where organization_id = $1', [organization.id])
      await t.query('update pack_days set taken = 1 where organization_id = $1', [organization.id])
      releaseHeldCall?.()
      assert.equal(await hanging, null)
      assert.equal(await takenOf(organization), 2)
      assert.equal(await codeOf(), 'daily_limit_reached')
    })

    it('past days are deleted', async () => {
      const { organization, codeOf } = await open(5)
      assert.equal(await codeOf(), null)
      await t.query('update pack_days set day = day - 2 where organization_id = $1', [organization.id])
      await allowanceStore.deleteExpired(t.service.features.db)
      assert.equal(
        await number('select count(*) as n from pack_days where organization_id = $1', organization),
        0,
      )
    })
  })
