import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { newUuid } from '../../src/core/uuid.ts'
import { dropFence, isFenced, raiseFence, writeThroughFence } from '../../src/features/portability/fence.ts'
import { fenceStore } from '../../src/features/portability/fence-store.ts'
import { tenantRowsStore } from '../../src/features/portability/tenant-rows-store.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { eventually } from '../support/eventually.ts'
import { type HostileServer, startHostileMcp } from '../support/hostile-mcp.ts'
import { plainStatement } from '../support/run-sql.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const FENCED = { code: 'ORG01' }
const insertPack = plainStatement(
  'test.insert_pack',
  `insert into tool_packs (organization_id, id, name) values ($1, gen_random_uuid(), 'New')`,
)

describe('the write fence of an organization', () => {
  let t: TestService
  let db: Database
  let server: HostileServer
  let fenced: TestOrganization
  let other: TestOrganization
  before(async () => {
    t = await startTestService()
    db = t.service.features.db
    server = await startHostileMcp()
    fenced = t.organization
    other = await t.createOrganization('Other')
    for (const { key } of [fenced, other])
      await t.call('POST', '/api/v1/connectors', {
        key,
        body: { name: 'T', slug: 'theirs', url: server.url },
      })
  })
  afterEach(() => dropFence(db, fenced.id))
  after(async () => {
    await t.stop()
    await server.close()
  })

  const addPack = (organization: TestOrganization) => db.query(insertPack, [organization.id])
  const countPacks = async ({ id }: TestOrganization) =>
    (await t.query('select count(*)::int as n from tool_packs where organization_id = $1', [id]))[0].n

  /** Writes rows one after another until it is stopped. */
  const startWriter = (organization: TestOrganization) => {
    const writer = { written: 0, rejected: 0, failures: [] as unknown[], isStopped: false }
    const run = (async () => {
      while (!writer.isStopped)
        await addPack(organization).then(
          () => writer.written++,
          error => (error.code === 'ORG01' ? writer.rejected++ : writer.failures.push(error)),
        )
    })()
    const stop = () => {
      writer.isStopped = true
      return run
    }
    return { writer, stop }
  }
  const progress = (count: () => number, by: number) => {
    const from = count()
    return eventually(async () => assert.ok(count() >= from + by))
  }

  it('is on every table, and rejects inserts, updates and deletes of its rows only', async () => {
    const { id: userId } = await t.createUser()
    await raiseFence(db, fenced.id)
    assert.deepEqual(
      (await fenceStore.fencedTables(db, fenced.id)).toSorted(),
      await tenantRowsStore.tables(db),
    )
    await assert.rejects(addPack(fenced), FENCED)
    await assert.rejects(t.query(`update registered_users set email = 'x' where id = $1`, [userId]), FENCED)
    await assert.rejects(t.query('delete from registered_users where id = $1', [userId]), FENCED)
    await assert.rejects(t.query(`update organizations set name = 'x' where id = $1`, [fenced.id]), FENCED)
    await assert.rejects(t.query('update tool_packs set organization_id = $1', [fenced.id]), FENCED)
    await assert.rejects(t.query('update tool_packs set organization_id = $1', [other.id]), FENCED)
    await t.query(`update organizations set name = 'Renamed' where id = $1`, [other.id])
    assert.equal((await t.call('GET', `/api/v1/registered-users/${userId}`)).status, 200, 'reads work')
  })

  it('rejects records in a partition that was created while the fence was raised', async () => {
    await raiseFence(db, fenced.id)
    await t.query(`select create_record_partition(730, '2019-01-01')`)
    const insert = (organizationId: string) =>
      t.query(
        `insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id,
           started_at, retention_days)
         values ($1, $2, $2, $2, 'test', 'c', 't', 'success', 'r', '2019-01-02', 730)`,
        [organizationId, newUuid()],
      )
    await assert.rejects(insert(fenced.id), FENCED)
    await insert(other.id)
  })

  it('after it was raised nothing is written, and writers of other organizations do not fail', async () => {
    const [own, others] = [startWriter(fenced), startWriter(other)]
    await progress(() => own.writer.written, 20)
    await raiseFence(db, fenced.id)
    const atFence = await countPacks(fenced)
    await progress(() => others.writer.written, 50)
    await progress(() => own.writer.rejected, 20)
    assert.equal(await countPacks(fenced), atFence)
    await dropFence(db, fenced.id)
    await progress(() => own.writer.written, 5)
    await Promise.all([own.stop(), others.stop()])
    assert.deepEqual([own.writer.failures, others.writer.failures, others.writer.rejected], [[], [], 0])
    assert.equal(await isFenced(db, fenced.id), false)
  })

  it('waits for a running transaction without blocking writers of other organizations', async () => {
    const earlier = await countPacks(fenced)
    const [written, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const running = db.transaction(async tx => {
      await tx.query(insertPack, [fenced.id])
      written.resolve()
      await released.promise
    })
    await written.promise
    let raised = false
    const raising = raiseFence(db, fenced.id).then(() => (raised = true))
    await eventually(async () => {
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'raise_fence'`
      assert.equal((await t.query(waiting)).length, 1)
    })
    // Would wait for the running transaction if the fence waited for its lock until it got it.
    for (let n = 0; n < 5; n++) await addPack(other)
    assert.equal(raised, false)
    released.resolve()
    await Promise.all([running, raising])
    assert.equal(await countPacks(fenced), earlier + 1, 'the running transaction was committed')
    await assert.rejects(addPack(fenced), FENCED)
  })

  it('continues after an interruption, and can be raised and dropped repeatedly', async () => {
    const [first, second] = await tenantRowsStore.tables(db)
    const raise = (table: string | undefined) =>
      fenceStore.raise(db, { table: table as string, organizationId: fenced.id, lockTimeoutMs: 1000 })
    for (const table of [first, second]) await raise(table)
    await dropFence(db, fenced.id)
    assert.equal(await isFenced(db, fenced.id), false)
    await raise(second)
    await raiseFence(db, fenced.id)
    await raiseFence(db, fenced.id)
    await assert.rejects(addPack(fenced), FENCED)
    await dropFence(db, fenced.id)
    await dropFence(db, fenced.id)
    await addPack(fenced)
  })

  it('lets a transaction through that names the organization, and no later one of the connection', async () => {
    await raiseFence(db, fenced.id)
    const earlier = await countPacks(fenced)
    for (let n = 0; n < 8; n++)
      await writeThroughFence(db, fenced.id, tx => tx.query(insertPack, [fenced.id]))
    assert.equal(await countPacks(fenced), earlier + 8)
    await assert.rejects(
      writeThroughFence(db, other.id, tx => tx.query(insertPack, [fenced.id])),
      FENCED,
    )
    for (let n = 0; n < 8; n++) await assert.rejects(addPack(fenced), FENCED)
  })

  it('concurrent requests and calls of both organizations: only those of the fenced one fail', async () => {
    const userOf = async ({ key }: TestOrganization) => (await t.createUser({}, key)).id
    const [ownUser, otherUser] = [await userOf(fenced), await userOf(other)]
    await raiseFence(db, fenced.id)
    const mint = ({ key }: TestOrganization, userId: string) =>
      t.call('POST', `/api/registered-users/${userId}/link-token`, { key, body: {} })
    const call = ({ key, toolPackId: packId }: TestOrganization, userId: string) =>
      t.mcp(userId, 'tools/call', { name: 'theirs__act', arguments: {} }, { key, packId })
    const both = Array.from({ length: 15 }, () => [
      mint(fenced, ownUser),
      mint(other, otherUser),
      call(fenced, ownUser),
      call(other, otherUser),
    ])
    for (const answers of both) {
      const [ownMint, otherMint, ownCall, otherCall] = await Promise.all(answers)
      assert.deepEqual([ownMint?.status, ownMint?.body.error.code], [503, 'organization_moving'])
      assert.match(ownMint?.headers.get('retry-after') ?? '', /^\d+$/)
      assert.equal(otherMint?.status, 201, otherMint?.text)
      assert.match(ownCall?.text ?? '', /organization_moving/)
      assert.ok(otherCall?.body.result.isError === false, otherCall?.text)
    }
  })
})
