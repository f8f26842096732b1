import type { Queryable } from '../../platform/database/database.ts'
import { text, uuid } from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const setLockTimeout = statement({
  name: 'fence.set_lock_timeout',
  parameters: { milliseconds: text },
  sql: `select set_config('lock_timeout', :milliseconds, true)`,
})
const raise = statement({
  name: 'fence.raise',
  parameters: { table: text, organizationId: uuid },
  sql: 'select raise_fence(:table, :organizationId)',
})
const drop = statement({
  name: 'fence.drop',
  parameters: { table: text, organizationId: uuid },
  sql: 'select drop_fence(:table, :organizationId)',
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

export const fenceStore = {
  setLockTimeout: (tx: Queryable, milliseconds: number) =>
    tx.query(setLockTimeout, { milliseconds: String(milliseconds) }),
  raise: (tx: Queryable, table: string, organizationId: string) => tx.query(raise, { table, organizationId }),
  drop: (tx: Queryable, table: string, organizationId: string) => tx.query(drop, { table, organizationId }),
  fencedTables: async (db: Queryable, organizationId: string): Promise<string[]> =>
    (await db.query(selectFenced, { organizationId })).map(({ name }) => name),
  bypass: (tx: Queryable, organizationId: string) => tx.query(bypass, { organizationId }),
}
