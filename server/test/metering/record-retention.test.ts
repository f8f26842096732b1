import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { usageStore } from '../../src/features/metering/limits/usage-store.ts'
import { recordPartsStore } from '../../src/features/metering/records/record-partition-store.ts'
import { type RecordedCalls, startRecordedCalls } from '../support/recorded-calls.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const DAY = 24 * 60 * 60 * 1000

describe('retention of records', () => {
  let t: TestService
  let r: RecordedCalls
  let free: TestOrganization
  let business: TestOrganization
  const listPartitions = async (): Promise<string[]> =>
    (
      await t.query(
        `select relname from pg_class where relkind = 'r' and relname ~ '^tool_calls_\\d+_\\d{8}$' order by 1`,
      )
    ).map(({ relname }) => relname)
  const rotatePartitions = () => recordPartsStore.rotatePartitions(t.service.features.db)
  const rowsIn = async (table: string): Promise<number> =>
    Number((await t.query(`select count(*) as n from ${table}`))[0].n)

  before(async () => {
    // Without jobs: the retention job would drop the partitions at its own tick.
    t = await startTestService('postgres', {}, { withJobs: false })
    r = await startRecordedCalls(t)
    free = await r.open('Free')
    business = await r.open('Business')
    await t.query(`update organizations set plan = 'free' where id = $1`, [free.id])
    await t.query(`update organizations set plan = 'business' where id = $1`, [business.id])
  })
  after(async () => {
    await t.stop()
    await r.server.close()
  })

  it('expired records are dropped by partition or deleted from the default one; usage stays [record.retention]', async () => {
    const user = await t.createUser({}, free.key)
    const lasting = await t.createUser({}, business.key)
    await r.act(free, user.id)
    await r.act(business, lasting.id)
    // No partition was created for this time, so the record is in the default partition.
    await t.query(
      `insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id,
           started_at, retention_days)
         values ($1, gen_random_uuid(), $2, $3, 'production', 'theirs', 'act', 'error', 'req_stray', app_now() - interval '80 days', 90)`,
      [free.id, user.id, free.toolPackId],
    )
    assert.equal(await rowsIn('tool_calls_90_default'), 1)
    const [record] = (await r.list(free)).data
    const partitionsBefore = await listPartitions()
    const countListed = async (organization: TestOrganization) => (await r.list(organization)).data.length
    assert.deepEqual([await countListed(free), await countListed(business)], [2, 1])

    await t.moveClock(11 * DAY)
    assert.equal(await countListed(free), 1, 'an expired record is hidden before the job runs')
    await usageStore.aggregate(t.service.features.db)
    assert.deepEqual(await rotatePartitions(), [])
    assert.equal(await rowsIn('tool_calls_90_default'), 0)

    // After a plan change, existing records keep the retention period that they were created with.
    await t.query(`update organizations set plan = 'enterprise' where id = $1`, [free.id])
    await t.query(`update organizations set plan = 'free' where id = $1`, [business.id])
    await t.moveClock(79 * DAY + 60_000)
    assert.deepEqual([await countListed(free), await countListed(business)], [0, 1])
    assert.equal(
      (await t.call('GET', `/api/v1/tool-calls/${record.id}`, { key: free.key })).body.error.code,
      'tool_call_not_found',
    )
    await t.moveClock(8 * DAY)
    const dropped = await rotatePartitions()
    assert.ok(dropped.length > 0 && dropped.every(name => name.startsWith('tool_calls_90_')), String(dropped))
    assert.ok(partitionsBefore.includes(dropped[0] as string))
    assert.deepEqual(
      await t.query('select 1 from tool_calls where organization_id = $1', [free.id]),
      [],
      'the partition was dropped',
    )
    assert.equal(await countListed(business), 1)

    await t.moveClock(365 * DAY)
    assert.equal(await countListed(business), 0)
    await t.moveClock(32 * DAY)
    assert.ok((await rotatePartitions()).some(name => name.startsWith('tool_calls_365_')))
    assert.equal(await rowsIn('tool_calls'), 0)
    const used = await t.query(
      'select outcome, sum(calls)::int as calls, sum(counted)::int as counted from usage_days where organization_id = $1 group by 1 order by 1',
      [free.id],
    )
    assert.deepEqual(used, [
      { outcome: 'error', calls: 1, counted: 0 },
      { outcome: 'success', calls: 1, counted: 1 },
    ])
  })

  it('deleting a user removes its records from every partition; the organization’s usage stays [user.delete]', async () => {
    const user = await t.createUser({}, business.key)
    const other = await t.createUser({}, business.key)
    for (const [days, kept] of [
      [0, 90],
      [0, 365],
      [0, 730],
      [40, 365],
      [200, 730],
    ])
      await t.query(
        `insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, counted,
             request_id, started_at, retention_days, payload)
           select $1, gen_random_uuid(), u, $3, 'production', 'theirs', 'act', 'success', true, 'req_x',
             app_now() - $4::int * interval '1 day', $5, '\\x00'
           from unnest($2::uuid[]) u`,
        [business.id, [user.id, other.id], business.toolPackId, days, kept],
      )
    const countOf = async (id: string) =>
      Number((await t.query('select count(*) as n from tool_calls where registered_user_id = $1', [id]))[0].n)
    const total = async () => {
      const until = (await t.query(`select (app_now() + interval '2 days')::date::text as day`))[0].day
      const { body } = await t.call(
        'GET',
        `/api/v1/usage?group_by=user&until=${until}&since=${yearBefore(until)}`,
        {
          key: business.key,
        },
      )
      const of = (id: string | null) =>
        body.data.find((row: any) => row.registered_user_id === id)?.calls ?? 0
      const { body: days } = await t.call('GET', `/api/v1/usage?until=${until}&since=${yearBefore(until)}`, {
        key: business.key,
      })
      return {
        byDay: days.data.reduce((sum: number, row: any) => sum + row.calls, 0),
        all: body.data.reduce((sum: number, row: any) => sum + row.calls, 0),
        user: of(user.id),
        deletedUsers: of(null),
      }
    }
    assert.equal(await countOf(user.id), 5)
    const totalsBefore = await total()
    assert.deepEqual([totalsBefore.user, totalsBefore.byDay], [5, totalsBefore.all])
    // One part is aggregated already, the other is not.
    await usageStore.aggregate(t.service.features.db)
    assert.deepEqual(await total(), totalsBefore)
    assert.equal(
      (await t.call('DELETE', `/api/v1/registered-users/${user.id}`, { key: business.key })).status,
      204,
    )
    assert.equal(await countOf(user.id), 0)
    assert.equal(await countOf(other.id), 5)
    assert.deepEqual(await total(), {
      byDay: totalsBefore.all,
      all: totalsBefore.all,
      user: 0,
      deletedUsers: totalsBefore.deletedUsers + 5,
    })
    await t.moveClock(10 * 60_000)
    await usageStore.aggregate(t.service.features.db)
    assert.deepEqual(await total(), {
      byDay: totalsBefore.all,
      all: totalsBefore.all,
      user: 0,
      deletedUsers: totalsBefore.deletedUsers + 5,
    })
    assert.deepEqual(await t.query('select 1 from usage_days where registered_user_id = $1', [user.id]), [])
    assert.equal(
      (await t.query('delete from organizations where id = $1 returning 1', [business.id])).length,
      1,
    )
    assert.deepEqual(await t.query('select 1 from usage_days where organization_id = $1', [business.id]), [])
  })
})

const yearBefore = (day: string): string => new Date(Date.parse(day) - 365 * DAY).toISOString().slice(0, 10)
