import type { OrganizationState } from '../../core/organization-state.ts'
import type { Database } from '../../platform/database/database.ts'
import { readMigrations } from '../../platform/database/migrate.ts'
import { diagnosticsStore } from './checks/diagnostics-store.ts'

export type Storage = {
  /** Of PostgreSQL. */
  version: string
  migrations: number
  /** The largest ones first, with estimated numbers of rows. */
  tables: { table: string; bytes: number; rows: number }[]
  organizations: { state: OrganizationState; count: number }[]
}

export const describeStorage = async (db: Database): Promise<Storage> => {
  const { version } = await diagnosticsStore.server(db)
  const { applied } = await readMigrations(db)
  const tables = await diagnosticsStore.tables(db)
  return {
    version,
    migrations: applied.length,
    tables: tables.map(({ name, bytes, rows }) => ({ table: name, bytes, rows })),
    organizations: await diagnosticsStore.organizations(db),
  }
}
