import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newUuid } from '../../src/core/uuid.ts'
import { usageStore } from '../../src/features/metering/limits/usage-store.ts'
import { flowEngines } from '../support/databases.ts'
import { type RecordedCalls, startRecordedCalls } from '../support/recorded-calls.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines)
  describe(`usage on ${engine}`, () => {
    let t: TestService
    let r: RecordedCalls
    before(async () => {
      t = await startTestService(engine)
      r = await startRecordedCalls(t)
    })
    after(async () => {
      await t.stop()
      await r.server.close()
    })
    const usage = async ({ key }: TestOrganization, query = '', by = key) => {
      const { status, text, body } = await t.call('GET', `/api/v1/usage${query}`, { key: by })
      assert.equal(status, 200, text)
      return body.data
    }
    const aggregate = () => usageStore.aggregate(t.service.features.db)

    it('is the same before, during and after aggregation, by day, user, connector and tool', async () => {
      const organization = await r.open('Used')
      const [ana, ben] = [await t.createUser({}, organization.key), await t.createUser({}, organization.key)]
      for (let n = 0; n < 3; n++) await r.act(organization, ana.id)
      await r.act(organization, ben.id, { fails: true })
      await t.mcp(
        ben.id,
        'tools/call',
        { name: 'sandbox-notes__list_notes', arguments: {} },
        { key: organization.key, packId: organization.toolPackId },
      )
      const tester = await t.createUser({}, organization.testKey)
      await r.act(organization, tester.id, {}, { key: organization.testKey })
      const queries = ['', '?group_by=user', '?group_by=tool,connector', '?group_by=day,user,connector,tool']
      const all = () => Promise.all(queries.map(query => usage(organization, query)))
      const [byDay, byUser, byTool, byAll] = await all()
      const none = {
        errors: 0,
        blocked: 0,
        limited: 0,
        needs_auth: 0,
        approval_required: 0,
        replayed: 0,
        unknown: 0,
        withheld: 0,
      }
      const [{ day }] = await t.query(`select (app_now() at time zone 'UTC')::date::text as day`)
      assert.deepEqual(byDay, [{ day, calls: 5, counted: 3, ...none, errors: 1, needs_auth: 1 }])
      assert.deepEqual(
        byUser.toSorted((a: any, b: any) => b.calls - a.calls),
        [
          { registered_user_id: ana.id, calls: 3, counted: 3, ...none },
          { registered_user_id: ben.id, calls: 2, counted: 0, ...none, errors: 1, needs_auth: 1 },
        ],
      )
      assert.deepEqual(byTool, [
        { connector: 'sandbox-notes', tool: 'list_notes', calls: 1, counted: 0, ...none, needs_auth: 1 },
        { connector: 'theirs', tool: 'act', calls: 4, counted: 3, ...none, errors: 1 },
      ])
      assert.equal(byAll.length, 3)
      const tests = await usage(organization, '?group_by=tool', organization.testKey)
      assert.deepEqual(tests, [{ connector: 'theirs', tool: 'act', calls: 1, counted: 0, ...none }])

      const expected = [byDay, byUser, byTool, byAll]
      await aggregate()
      assert.deepEqual(await all(), expected, 'too recent to be aggregated')
      assert.deepEqual(
        await t.query('select 1 from usage_days where organization_id = $1', [organization.id]),
        [],
      )
      await t.moveClock(6 * 60_000)
      // A call in flight delays the aggregation of its period, because its record will belong to that period.
      const callId = newUuid()
      await t.query(
        `insert into calls_in_flight (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, request_id,
           started_at, retention_days)
         select $1, $2, $3, $4, 'production', 'theirs', 'act', 'req_slow', min(started_at) + interval '1 microsecond', 90
         from tool_calls where organization_id = $1`,
        [organization.id, callId, ana.id, organization.toolPackId],
      )
      await aggregate()
      const aggregatedCalls = async () =>
        Number(
          (
            await t.query('select coalesce(sum(calls), 0) as n from usage_days where organization_id = $1', [
              organization.id,
            ])
          )[0].n,
        )
      assert.equal(await aggregatedCalls(), 1)
      assert.deepEqual(await all(), expected)
      await t.query('delete from calls_in_flight where id = $1', [callId])
      await Promise.all([aggregate(), aggregate(), ...Array.from({ length: 5 }, all)])
      assert.deepEqual(await all(), expected)
      assert.equal(await aggregatedCalls(), 6)
      await r.act(organization, ana.id)
      const [first] = await usage(organization, '?group_by=connector')
      assert.equal((await usage(organization))[0].calls, 6)
      assert.equal(first.connector, 'sandbox-notes')
    })

    it('of the cycle: counted, in flight and remaining calls', async () => {
      const organization = await r.open('Cycle', { limit: 5 })
      await t.query('update organizations set cycle_day = 31 where id = $1', [organization.id])
      const user = await t.createUser({}, organization.key)
      const cycle = async () => (await t.call('GET', '/api/v1/usage/cycle', { key: organization.key })).body
      const { starts_at, ends_at, ...empty } = await cycle()
      assert.deepEqual(empty, { plan: 'enterprise', limit: 5, counted: 0, in_flight: 0, left: 5 })
      const [{ now }] = await t.query('select app_now() as now')
      assert.ok(Date.parse(starts_at) <= now.getTime() && now.getTime() < Date.parse(ends_at))
      const [{ same }] = await t.query(
        `select cycle_of(31, $1::timestamptz - interval '1 second') = ($2::timestamptz at time zone 'UTC')::date
           and cycle_of(31, $1::timestamptz) = ($1::timestamptz at time zone 'UTC')::date as same`,
        [ends_at, starts_at],
      )
      assert.equal(same, true, 'each cycle ends where the next starts')
      await r.act(organization, user.id)
      await r.act(organization, user.id)
      await r.act(organization, user.id, { fails: true })
      await t.moveClock(10 * 60_000)
      await aggregate()
      await r.act(organization, user.id)
      const { counted, in_flight, left } = await cycle()
      assert.deepEqual([counted, in_flight, left], [3, 0, 2])
      for (let n = 0; n < 3; n++) await r.act(organization, user.id)
      assert.equal((await cycle()).left, 0)
      await t.query('update organizations set call_limit = null where id = $1', [organization.id])
      const unlimited = await cycle()
      assert.deepEqual([unlimited.limit, unlimited.left, unlimited.counted], [null, null, 5])
    })

    it('each cycle ends where the next starts, for every day and month', async () => {
      const rows = await t.query(
        `select day, at::date::text as at from generate_series(1, 31) day, generate_series('2023-12-01'::timestamp, '2025-03-05', '9 days') at
         cross join lateral (select cycle_of(day, at at time zone 'UTC') as cycle) c
         cross join lateral (select cycle_of(day, (cycle::timestamp at time zone 'UTC') + interval '1 month 3 days') as next) n
         where next <= cycle or cycle_of(day, (next::timestamp at time zone 'UTC') - interval '1 second') <> cycle`,
      )
      assert.deepEqual(rows, [])
    })

    it('rejects invalid groupings and periods with the name of the parameter', async () => {
      for (const [query, param] of [
        ['group_by=week', 'group_by'],
        ['group_by=', 'group_by'],
        ['group_by=day,,user', 'group_by'],
        ['since=2026-01-02&until=2026-01-02', 'since'],
        ['since=2020-01-01&until=2026-01-02', 'since'],
        ['since=now', 'since'],
        ['day=1', 'day'],
      ] as const) {
        const { status, body } = await t.call('GET', `/api/v1/usage?${query}`)
        assert.deepEqual([status, body.error.param], [400, param], query)
      }
    })
  })
