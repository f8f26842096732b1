import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { settlementStore } from '../../src/features/tools/admission/settlement-store.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { joinTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const DAY = 24 * 60 * 60 * 1000

for (const engine of flowEngines)
  describe(`plans and limits on ${engine}`, () => {
    let t: TestService
    let server: HostileServer
    /** Number of calls that the provider has completed successfully. */
    let served = 0
    let releaseHeldCall: (() => void) | null = null
    /** Waits until the call has reached the provider, and lets it end. */
    const releaseCall = async (): Promise<void> => {
      await eventually(async () => assert.ok(releaseHeldCall, 'the call has not reached the provider'))
      releaseHeldCall?.()
      releaseHeldCall = null
    }
    before(async () => {
      t = await joinTestService(engine)
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
          if (!fails) served++
          return result(exchange, { content: [{ type: 'text', text: 'done' }], isError: fails === true })
        },
      })
    })
    after(async () => {
      await t.stop()
      await server.close()
    })
    beforeEach(() => {
      served = 0
    })

    type Setting = { plan?: string; limit?: number | null; day?: number }
    const set = (organization: TestOrganization, { plan = 'free', limit = null, day }: Setting) =>
      t.query(
        'update organizations set plan = $2, call_limit = $3, cycle_day = coalesce($4, cycle_day) where id = $1',
        [organization.id, plan, limit, day ?? null],
      )
    let organizations = 0
    const open = async (setting: Setting): Promise<TestOrganization> => {
      const organization = await t.createOrganization(`Plan ${++organizations}`)
      const added = await t.call('POST', '/api/v1/connectors', {
        key: organization.key,
        body: { name: 'Theirs', slug: 'theirs', url: server.url },
      })
      assert.equal(added.status, 201, added.text)
      await set(organization, setting)
      return organization
    }
    const act = async (organization: TestOrganization, userId: string, args = {}, key = organization.key) => {
      const { body, headers } = await t.mcp(
        userId,
        'tools/call',
        { name: 'theirs__act', arguments: args },
        { key, packId: organization.toolPackId },
      )
      return { result: body.result, code: body.result?.structuredContent?.error?.code ?? null, headers }
    }
    const countedOf = async ({ id }: TestOrganization): Promise<number> =>
      Number(
        (
          await t.query('select count(*) as n from tool_calls where organization_id = $1 and counted', [id])
        )[0].n,
      )
    const takenOf = async ({ id }: TestOrganization): Promise<number> =>
      Number(
        (
          await t.query(
            'select coalesce(sum(taken), 0) as n from plan_allowances where organization_id = $1',
            [id],
          )
        )[0].n,
      )

    const [many, limit] = engine === 'postgres' ? [1000, 100] : [100, 10]
    it('1,000 concurrent calls at a limit of 100, half of them failing: exactly 100 count in the end', async () => {
      const organization = await open({ limit })
      const users = await Promise.all(Array.from({ length: 10 }, () => t.createUser({}, organization.key)))
      const counts: number[] = []
      const watching = new AbortController()
      const watch = async () => {
        while (!watching.signal.aborted) {
          counts.push(await countedOf(organization))
          await delay(5)
        }
      }
      const watched = watch()
      const attempt = (n: number) =>
        act(organization, users[n % users.length]?.id as string, { fails: n % 2 === 1 })
      const codes: (string | null)[] = []
      const waiting = Array.from({ length: many }, (_, n) => n)
      const work = async () => {
        for (let n = waiting.pop(); n !== undefined; n = waiting.pop()) {
          const { code, result: answer } = await attempt(n)
          codes.push(code ?? (answer.isError ? 'failed' : null))
        }
      }
      await Promise.all(Array.from({ length: 200 }, work))
      const refused = codes.filter(code => code === 'billing_limit_reached').length
      assert.ok(refused > 0)
      assert.equal(codes.length, many)
      // Calls rejected while others held the last reservations are repeated.
      for (let n = 0; n < 200 && (await countedOf(organization)) < limit; n += 2) await attempt(n)
      watching.abort()
      await watched
      assert.ok(counts.length > 10)
      assert.ok(Math.max(...counts) <= limit, `${Math.max(...counts)} counted`)
      assert.equal(await countedOf(organization), limit)
      assert.equal(served, limit, 'the provider completed no more calls')
      assert.equal(await takenOf(organization), limit)
      assert.deepEqual(
        await t.query('select 1 from calls_in_flight where organization_id = $1', [organization.id]),
        [],
      )
      assert.equal((await attempt(0)).code, 'billing_limit_reached')
    })

    it('at the limit: only calls are rejected, one event, and the next cycle starts at zero [limit.plan]', async () => {
      const organization = await open({ limit: 1 })
      const user = await t.createUser({}, organization.key)
      assert.equal((await act(organization, user.id)).code, null)
      const { code, result: refused } = await act(organization, user.id)
      assert.equal(code, 'billing_limit_reached')
      assert.equal(refused.isError, true)
      assert.equal((await act(organization, user.id)).code, 'billing_limit_reached')
      const events = await t.query(
        `select payload from events where organization_id = $1 and type = 'usage.limit_reached'`,
        [organization.id],
      )
      assert.equal(events.length, 1)
      assert.equal(events[0].payload.limit, 1)
      const { body: list } = await t.mcp(
        user.id,
        'tools/list',
        {},
        { key: organization.key, packId: organization.toolPackId },
      )
      assert.ok(list.result.tools.some(({ name }: { name: string }) => name === 'theirs__act'))
      assert.equal((await t.call('GET', '/api/v1/registered-users', { key: organization.key })).status, 200)
      assert.equal((await t.mint(user.id, {}, organization.key)).link_token.length > 20, true)
      const records = await t.query(
        'select outcome, error_code, counted from tool_calls where organization_id = $1 order by started_at, id',
        [organization.id],
      )
      assert.deepEqual(records, [
        { outcome: 'success', error_code: null, counted: true },
        { outcome: 'limited', error_code: 'billing_limit_reached', counted: false },
        { outcome: 'limited', error_code: 'billing_limit_reached', counted: false },
      ])
      await t.moveClock(31 * DAY)
      try {
        assert.equal((await act(organization, user.id)).code, null)
        assert.equal((await act(organization, user.id)).code, 'billing_limit_reached')
      } finally {
        await t.moveClock(-31 * DAY)
      }
    })

    it('a test key has no limit and does not use the production limit', async () => {
      const organization = await open({ limit: 1 })
      const tester = await t.createUser({}, organization.testKey)
      for (let n = 0; n < 3; n++)
        assert.equal((await act(organization, tester.id, {}, organization.testKey)).code, null)
      assert.equal(await countedOf(organization), 0)
      const user = await t.createUser({}, organization.key)
      assert.equal((await act(organization, user.id)).code, null)
    })

    it('a changed limit applies to the next call: lower, higher, none, and one again', async () => {
      const organization = await open({ limit: 10 })
      const user = await t.createUser({}, organization.key)
      const codeOf = async () => (await act(organization, user.id)).code
      for (let n = 0; n < 4; n++) assert.equal(await codeOf(), null)
      await set(organization, { limit: 3 })
      assert.equal(await codeOf(), 'billing_limit_reached')
      await set(organization, { limit: 5 })
      assert.equal(await codeOf(), null)
      assert.equal(await codeOf(), 'billing_limit_reached')
      await set(organization, { plan: 'enterprise' })
      for (let n = 0; n < 4; n++) assert.equal(await codeOf(), null)
      await set(organization, { limit: 10 })
      assert.equal(await codeOf(), null)
      assert.equal(await codeOf(), 'billing_limit_reached')
      assert.equal(await countedOf(organization), 10)
      await set(organization, { plan: 'free' })
      assert.equal(await codeOf(), null, 'the limit of the plan itself is 1,000')
    })

    /** The state after a process was killed during a provider call. */
    const leaveCall = async ({ id, toolPackId }: TestOrganization, userId: string): Promise<void> => {
      await t.query(
        `insert into calls_in_flight (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, request_id,
           started_at, retention_days, cycle, slot)
         select $1, gen_random_uuid(), $2, $3, 'production', 'theirs', 'act', 'req_left', app_now() - interval '11 minutes', 90, cycle, slot
         from plan_allowances where organization_id = $1 and taken < granted limit 1`,
        [id, userId, toolPackId],
      )
      await t.query(
        `update plan_allowances p set taken = taken + 1 from calls_in_flight c
         where c.organization_id = $1 and p.organization_id = $1 and p.cycle = c.cycle and p.slot = c.slot`,
        [id],
      )
    }

    it('calls of a killed process: unknown after ten minutes, not counted, reservation released', async () => {
      const organization = await open({ limit: 2 })
      const user = await t.createUser({}, organization.key)
      assert.equal((await act(organization, user.id)).code, null)
      await leaveCall(organization, user.id)
      assert.equal((await act(organization, user.id)).code, 'billing_limit_reached')
      await settlementStore.markUnknown(t.service.features.db)
      const abandoned = await t.query(
        `select outcome, counted from tool_calls where organization_id = $1 and request_id = 'req_left'`,
        [organization.id],
      )
      assert.deepEqual(abandoned, [{ outcome: 'unknown', counted: false }])
      assert.equal((await act(organization, user.id)).code, null)
      assert.equal(await countedOf(organization), 2)
    })

    it('a call whose reservation the database has lost is recorded and counted once', async () => {
      const organization = await open({ limit: 2 })
      const user = await t.createUser({}, organization.key)
      assert.equal((await act(organization, user.id)).code, null)
      const hanging = act(organization, user.id, { hangs: true })
      await eventually(async () => assert.equal(await takenOf(organization), 2))
      // What a crash undoes if the admission was committed asynchronously.
      await t.query('delete from calls_in_flight where organization_id = $1', [organization.id])
      await t.query(
        `update plan_allowances set taken = taken - 1 where organization_id = $1
           and slot = (select min(slot) from plan_allowances where organization_id = $1 and taken = 2)`,
        [organization.id],
      )
      assert.equal(await takenOf(organization), 1)
      await releaseCall()
      assert.equal((await hanging).code, null)
      const records = await t.query(
        `select outcome, counted, tool, connector_slug, started_at <= finished_at as in_order from tool_calls where organization_id = $1`,
        [organization.id],
      )
      const record = {
        outcome: 'success',
        counted: true,
        tool: 'act',
        connector_slug: 'theirs',
        in_order: true,
      }
      assert.deepEqual(records, [record, record])
      assert.equal(await takenOf(organization), 2)
      assert.equal((await act(organization, user.id)).code, 'billing_limit_reached')
    })

    it('deleting a user during a call releases its reservation', async () => {
      const organization = await open({ limit: 1 })
      const user = await t.createUser({}, organization.key)
      const other = await t.createUser({}, organization.key)
      const hanging = act(organization, user.id, { hangs: true })
      await eventually(async () => assert.equal(await takenOf(organization), 1))
      assert.equal((await act(organization, other.id)).code, 'billing_limit_reached')
      const deleted = await t.call('DELETE', `/api/v1/registered-users/${user.id}`, { key: organization.key })
      assert.ok(deleted.status < 300, deleted.text)
      assert.equal(await takenOf(organization), 0)
      assert.equal((await act(organization, other.id)).code, null)
      await releaseCall()
      assert.equal((await hanging).result, undefined, 'the caller gets no result')
      assert.equal(await takenOf(organization), 1)
    })

    it('a call admitted while its user is deleted leaves no record, and its reservation is released', async () => {
      const organization = await open({ limit: 2 })
      const user = await t.createUser({}, organization.key)
      const other = await t.createUser({}, organization.key)
      assert.equal((await act(organization, other.id)).code, null)
      await t.call('DELETE', `/api/v1/registered-users/${user.id}`, { key: organization.key })
      // The admission read the user before the deletion was committed, and wrote its row after that.
      await leaveCall(organization, user.id)
      const [left] = await t.query('select id from calls_in_flight where organization_id = $1', [
        organization.id,
      ])
      const call = { organizationId: organization.id, registeredUserId: user.id, callId: left.id }
      const settlement = {
        outcome: 'success',
        errorCode: null,
        endedAtStep: null,
        thirdPartyMs: 1,
        carriedOut: true,
      } as const
      const { db } = t.service.features
      assert.equal(await settlementStore.settle(db, { ...call, keyHash: Buffer.alloc(32) }, settlement), null)
      assert.equal(await takenOf(organization), 2)
      await settlementStore.markUnknown(db)
      assert.equal(await takenOf(organization), 1)
      assert.deepEqual(await t.query('select 1 from tool_calls where registered_user_id = $1', [user.id]), [])
      assert.deepEqual(
        await t.query('select 1 from calls_in_flight where organization_id = $1', [organization.id]),
        [],
      )
    })

    it('a cycle starts on its day of the month, or on the last day of a shorter month', async () => {
      const cases: [day: number, at: string, begins: string][] = [
        [1, '2026-03-01T00:00:00Z', '2026-03-01'],
        [1, '2026-02-28T23:59:59Z', '2026-02-01'],
        [15, '2026-03-14T23:59:59Z', '2026-02-15'],
        [15, '2026-03-15T00:00:00Z', '2026-03-15'],
        [31, '2026-02-27T12:00:00Z', '2026-01-31'],
        [31, '2026-02-28T00:00:00Z', '2026-02-28'],
        [31, '2026-03-30T12:00:00Z', '2026-02-28'],
        [30, '2024-02-29T00:00:00Z', '2024-02-29'],
        [31, '2026-01-15T00:00:00Z', '2025-12-31'],
        [29, '2026-03-01T00:00:00+14:00', '2026-02-28'],
      ]
      for (const [day, at, begins] of cases)
        assert.deepEqual(
          await t.query('select cycle_of($1, $2::timestamptz)::text as begins', [day, at]),
          [{ begins }],
          `${day} at ${at}`,
        )
    })

    describe('calls per minute of a user', () => {
      it('can be used at once and refill over time; other users are not limited [limit.rate]', async () => {
        const organization = await open({ plan: 'business' })
        const user = await t.createUser({ rate_limit_per_minute: 6 }, organization.key)
        const other = await t.createUser({}, organization.key)
        const answers = await Promise.all(Array.from({ length: 20 }, () => act(organization, user.id)))
        const codes = answers.map(({ code }) => code)
        assert.equal(codes.filter(code => code === null).length, 6, String(codes))
        const refused = answers.find(({ code }) => code !== null)
        assert.equal(refused?.code, 'rate_limited')
        const {
          retry_after_seconds: wait,
          retryable,
          message,
        } = refused?.result.structuredContent.error ?? {}
        assert.ok(wait >= 1 && wait <= 10, String(wait))
        assert.equal(retryable, true)
        assert.match(message, /6 tool calls per minute/)
        assert.equal(refused?.headers.get('ratelimit-policy'), '"user";q=6;w=60')
        assert.equal(refused?.headers.get('ratelimit'), `"user";r=0;t=${wait}`)
        assert.equal(refused?.headers.get('retry-after'), String(wait))
        assert.deepEqual(
          new Set(answers.flatMap(({ code, headers }) => (code === null ? [headers.get('ratelimit')] : []))),
          new Set([5, 4, 3, 2, 1, 0].map(left => `"user";r=${left};t=${(6 - left) * 10}`)),
        )
        assert.equal(answers[0]?.headers.get('retry-after'), null)
        const unlimited = await act(organization, other.id)
        assert.deepEqual([unlimited.code, unlimited.headers.get('ratelimit')], [null, null])
        const outcomes = await t.query(
          `select outcome, count(*)::int as n from tool_calls where registered_user_id = $1 group by 1 order by 1`,
          [user.id],
        )
        assert.deepEqual(outcomes, [
          { outcome: 'limited', n: 14 },
          { outcome: 'success', n: 6 },
        ])
        await t.moveClock(10_500)
        try {
          assert.equal((await act(organization, user.id)).code, null)
          assert.equal((await act(organization, user.id)).code, 'rate_limited')
          await t.moveClock(DAY)
          const later = await Promise.all(Array.from({ length: 8 }, () => act(organization, user.id)))
          assert.equal(
            later.filter(({ code }) => code === null).length,
            6,
            'the bucket holds at most one minute of calls',
          )
        } finally {
          await t.moveClock(-DAY - 10_500)
        }
      })

      it('are not limited on a plan without rate limits', async () => {
        const organization = await open({ plan: 'business' })
        const user = await t.createUser({ rate_limit_per_minute: 1 }, organization.key)
        await set(organization, { plan: 'starter' })
        for (let n = 0; n < 3; n++) assert.equal((await act(organization, user.id)).code, null)
      })
    })

    it('a limit that is set during a cycle deducts the calls of users who were deleted since', async () => {
      const organization = await open({ plan: 'enterprise' })
      const user = await t.createUser({}, organization.key)
      for (let call = 0; call < 7; call++) await act(organization, user.id)
      await t.call('DELETE', `/api/v1/registered-users/${user.id}`, { key: organization.key })
      await set(organization, { plan: 'business', limit: 10 })
      const { body: cycle } = await t.call('GET', '/api/v1/usage/cycle', { key: organization.key })
      assert.deepEqual([cycle.limit, cycle.counted, cycle.left], [10, 7, 3])
      const next = await t.createUser({}, organization.key)
      const codes: (string | null)[] = []
      for (let call = 0; call < 4; call++) codes.push((await act(organization, next.id)).code)
      assert.deepEqual(codes, [null, null, null, 'billing_limit_reached'])
    })
  })
