import type { Queryable } from '../../platform/database/database.ts'
import { integer, text, uuid } from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const raise = statement({
  name: 'fence.raise',
  parameters: { table: text, organizationId: uuid, lockTimeoutMs: integer },
  sql: 'select raise_fence(:table, :organizationId, :lockTimeoutMs)',
})
const drop = statement({
  name: 'fence.drop',
  parameters: { table: text, organizationId: uuid, lockTimeoutMs: integer },
  sql: 'select drop_fence(:table, :organizationId, :lockTimeoutMs)',
})
const selectFenced = statement({
  name: 'fence.tables',
  parameters: { organizationId: uuid },
  columns: { name: text },
  sql: 'select name from fenced_tables(:organizationId) as name',
})
const bypass = statement({
  name: 'fence.bypass',
  parameters: { organizationId: text },
  sql: `select set_config('carabiner.fence_bypass', :organizationId, true)`,
})

type FencedTable = { table: string; organizationId: string; lockTimeoutMs: number }

export const fenceStore = {
  raise: (db: Queryable, fenced: FencedTable) => db.query(raise, fenced),
  drop: (db: Queryable, fenced: FencedTable) => db.query(drop, fenced),
  fencedTables: async (db: Queryable, organizationId: string): Promise<string[]> =>
    (await db.query(selectFenced, { organizationId })).map(({ name }) => name),
  bypass: (tx: Queryable, organizationId: string) => tx.query(bypass, { organizationId }),
}
