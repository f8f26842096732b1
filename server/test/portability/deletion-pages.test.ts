import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createOrganization } from '../../src/features/organizations/create-organization.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { generateVaultKey } from '../../src/platform/vault/key.ts'
import { fixedKeyRing } from '../../src/platform/vault/key-ring.ts'
import { openVault } from '../../src/platform/vault/vault.ts'
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'

const ROWS = 10_000
/** The pages that are measured have few rows, so that reading deleted rows again would be most of their work. */
const SMALL = 10
const LARGE = 1000
const MEASURED = 5

describe('deletion of an organization in pages', () => {
  let database: TestDatabase
  let db: Database
  let id: string
  before(async () => {
    database = await createTestDatabase('postgres')
    db = await openTestDatabase(database)
    const ring = fixedKeyRing([generateVaultKey('development')], { production: false })
    id = (await createOrganization({ db, vault: await openVault(db, ring) }, 'Orbit')).organization.id
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
  })
  after(async () => {
    await db.close()
    await database.drop()
  })

  /** Runs a function that deletes a page, and returns the buffers that it has read. */
  const measure = async (call: string): Promise<number> => {
    const [row] = await runSql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      db,
      `explain (analyze, buffers, format json) select * from ${call}`,
    )
    const plan = row?.['QUERY PLAN'][0].Plan
    return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
  }
  /** The first row that is left: the next page starts before it, and after the rows that were deleted. */
  const firstLeft = async (column: string, table: string): Promise<string> => {
    const [row] = await runSql<{ first: string }>(
      db,
      `select min(${column}::text) as first from ${table} where organization_id = $1`,
      [id],
    )
    return row?.first as string
  }

  for (const [table, column, callOf] of [
    [
      'events',
      'id',
      (from: string, limit: number) => `delete_tenant_rows('events', '${id}', array['${from}'], ${limit})`,
    ],
    [
      'tool_calls',
      'started_at',
      (from: string, limit: number) => `delete_record_page('${id}', 'production', '${from}', ${limit})`,
    ],
  ] as const)
    it(`${table}: a later page reads no more than the first one, although the rows before it are deleted`, async () => {
      const deletePages = async (pages: number, limit: number): Promise<number> => {
        let read = 0
        for (let page = 0; page < pages; page++)
          read += await measure(callOf(await firstLeft(column, table), limit))
        return read
      }
      await deletePages(1, SMALL)
      const first = await deletePages(MEASURED, SMALL)
      await deletePages(ROWS / LARGE - 1, LARGE)
      const last = await deletePages(MEASURED, SMALL)
      assert.ok(last < 1.3 * first, `${first} buffers, then ${last}`)
    })
})
