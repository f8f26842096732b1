import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ToolCallFilter } from '@carabiner/contract'
import { newUuid } from '../server/src/core/uuid.ts'
import { parseRecordFilter } from '../server/src/features/metering/records/record-filter.ts'
import { recordStore } from '../server/src/features/metering/records/record-store.ts'
import type { Database, Transaction } from '../server/src/platform/database/database.ts'
import { readPrimary } from '../server/src/platform/database/read-database.ts'
import { bind, type Parameter } from '../server/src/platform/database/statement.ts'
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../server/test/support/databases.ts'
import { runSql } from '../server/test/support/run-sql.ts'
import { fillRecords, ORGANIZATION } from './src/records/fill-records.ts'

/** The fast counterpart of `npm run proof:records`: checks that each page is read in the order of the expected index. */
type Plan = { 'Node Type': string; 'Index Name'?: string; 'Relation Name'?: string; Plans?: Plan[] }
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const BY_TIME = /_organization_id_mode_started_at_id_idx/
const INDEXES: [filter: ToolCallFilter, index: RegExp][] = [
  [{}, BY_TIME],
  [{ tool_pack_id: newUuid() }, BY_TIME],
  [{ header: 'X-A:b' }, BY_TIME],
  [{ outcome: 'success' }, BY_TIME],
  [{ connector: 'a' }, /_organization_id_mode_connector_slug_/],
  [{ tool: 'a__b' }, /_organization_id_mode_connector_slug_/],
  [{ outcome: 'blocked' }, /_organization_id_mode_outcome_/],
  [{ registered_user_id: newUuid(), connector: 'a' }, /_registered_user_id_started_at_id_idx/],
  [{ trace_id: 'a', registered_user_id: newUuid() }, /_organization_id_trace_id_/],
  [{ request_id: 'a', outcome: 'error' }, /_request_id_started_at_id_idx/],
]

const literal = (value: Parameter): string => (value === null ? 'null' : `'${String(value)}'`)

describe('a page of tool calls', () => {
  let database: TestDatabase
  let db: Database
  before(async () => {
    database = await createTestDatabase('postgres')
    db = await openTestDatabase(database)
  })
  after(async () => {
    await db.close()
    await database.drop()
  })

  /** Returns the plans of all statements of a page, made with the session settings that the page uses. */
  const plansOf = async (filter: ToolCallFilter): Promise<Plan[][]> => {
    const plans: Plan[][] = []
    const explaining = (tx: Transaction): Transaction => ({
      ...tx,
      query: async (statement, ...[parameters]) => {
        await tx.script(`prepare measured as ${statement.text}`)
        const values = bind(statement, parameters).map(literal).join(', ')
        const rows = await runSql<{ 'QUERY PLAN': { Plan: Plan }[] }>(
          tx,
          `explain (format json) execute measured(${values})`,
        )
        await tx.script('deallocate measured')
        plans.push(rows.flatMap(row => row['QUERY PLAN'].flatMap(({ Plan: plan }) => nodesOf(plan))))
        return []
      },
    })
    const explainingDb: Database = { ...db, transaction: work => db.transaction(tx => work(explaining(tx))) }
    const owner = { organizationId: ORGANIZATION, mode: 'production' } as const
    await recordStore.page(readPrimary(explainingDb), owner, parseRecordFilter(filter), null, 50)
    return plans
  }

  const checkPlans = async (): Promise<void> => {
    for (const [filter, index] of INDEXES)
      for (const plan of await plansOf(filter)) {
        const scans = plan.filter(node => node['Relation Name'] !== undefined)
        assert.ok(scans.length > 5)
        for (const scan of scans)
          assert.match(scan['Index Name'] ?? scan['Node Type'], index, JSON.stringify(filter))
        assert.ok(!plan.some(node => /Sort/.test(node['Node Type'])), JSON.stringify(filter))
      }
  }

  it('is read in the order of its index in an empty database', checkPlans)

  it('is read in the order of its index in a database with records', async () => {
    await fillRecords(db, 5000)
    await checkPlans()
  })
})
