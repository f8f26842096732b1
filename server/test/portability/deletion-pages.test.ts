import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createOrganization } from '../../src/features/organizations/create-organization.ts'
import { tenantRowsStore } from '../../src/features/portability/tenant-rows-store.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { generateVaultKey } from '../../src/platform/vault/key.ts'
import { fixedKeyRing } from '../../src/platform/vault/key-ring.ts'
import { openVault } from '../../src/platform/vault/vault.ts'
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'

const ROWS = 10_000
/** Pages that are measured, at the start and at the end. */
const MEASURED = 10
const SMALL = 10
const LARGE = 1000

describe('deletion of an organization in pages', () => {
  let database: TestDatabase
  let db: Database
  let id: string
  before(async () => {
    database = await createTestDatabase('postgres')
    db = await openTestDatabase(database)
    const ring = fixedKeyRing([generateVaultKey('development')], { production: false })
    id = (await createOrganization({ db, vault: await openVault(db, ring) }, 'Orbit')).organization.id
  })
  after(async () => {
    await db.close()
    await database.drop()
  })

  /** Buffers that the statements of a transaction have read. The statistics of other connections do not count. */
  const countBuffers = async (
    tx: Parameters<Parameters<Database['transaction']>[0]>[0],
    table: string,
  ): Promise<number> => {
    const [row] = await runSql<{ read: number }>(
      tx,
      `select sum(pg_stat_get_xact_blocks_fetched(c.oid)) as read from pg_class c left join pg_index i on i.indexrelid = c.oid
       where coalesce(i.indrelid, c.oid) in (select relid from pg_partition_tree($1::regclass) union select $1::regclass)`,
      [table],
    )
    return Number(row?.read)
  }

  const mode = 'production'

  it('a later page reads no more than the first one, although the rows before it are deleted', async () => {
    await runSql(
      db,
      `insert into events (organization_id, type, payload) select $1, 'test', '{}' from generate_series(1, $2::integer)`,
      [id, ROWS],
    )
    await runSql(
      db,
      `insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id,
         started_at, retention_days)
       select $1, gen_random_uuid(), $1, $1, 'production', 'c', 't', 'success', 'r', app_now() - n * interval '1 second', 90
       from generate_series(1, $2::integer) n`,
      [id, ROWS],
    )
    let key: string[] | null = null
    let time = '-infinity'
    /** Deletes pages of both tables, each in a transaction, and returns the buffers that they have read. */
    const deletePages = async (
      pages: number,
      limit: number,
    ): Promise<{ events: number; records: number }> => {
      const read = { events: 0, records: 0 }
      for (let page = 0; page < pages; page++)
        await db.transaction(async tx => {
          const rows = await tenantRowsStore.deletePage(tx, id, { table: 'events', after: key, limit })
          const records = await tenantRowsStore.deleteRecordPage(tx, id, { mode, from: time, limit })
          assert.deepEqual([rows.deleted, records.deleted], [limit, limit])
          key = rows.lastKey
          time = records.lastTime as string
          read.events += await countBuffers(tx, 'events')
          read.records += await countBuffers(tx, 'tool_calls')
        })
      return read
    }
    const first = await deletePages(MEASURED, SMALL)
    await deletePages(ROWS / LARGE - 1, LARGE)
    const last = await deletePages(MEASURED, SMALL)
    assert.ok(last.events < 2 * first.events, `events: ${first.events}, then ${last.events}`)
    assert.ok(last.records < 2 * first.records, `records: ${first.records}, then ${last.records}`)
    await deletePages(1, LARGE - 2 * MEASURED * SMALL)
    const none = await tenantRowsStore.deletePage(db, id, { table: 'events', after: key, limit: LARGE })
    const later = await tenantRowsStore.deleteRecordPage(db, id, { mode, from: time, limit: LARGE })
    assert.deepEqual([none.lastKey, later.lastTime], [null, null])
    const [left] = await runSql<{ events: number; records: number }>(
      db,
      `select (select count(*) from events where organization_id = $1 and type = 'test')::integer as events,
         (select count(*) from tool_calls where organization_id = $1)::integer as records`,
      [id],
    )
    assert.deepEqual(left, { events: 0, records: 0 })
  })
})
