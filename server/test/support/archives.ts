import { exportOrganization } from '../../src/features/portability/export-organization.ts'
import { type ImportResult, importOrganization } from '../../src/features/portability/import-organization.ts'
import {
  ORGANIZATION_ARCHIVE,
  type OrganizationArchive,
  type OrganizationHeader,
} from '../../src/features/portability/organization-archive.ts'
import { type ArchiveSource, openArchive, verifyArchive } from '../../src/platform/archive/archive-reader.ts'
import type { Database } from '../../src/platform/database/database.ts'
import type { DataKey } from '../../src/platform/vault/sealing.ts'
import { newDataKey } from '../../src/platform/vault/sealing.ts'
import type { Vault } from '../../src/platform/vault/vault.ts'
import { runSql } from './run-sql.ts'

type Deps = { db: Database; vault: Vault }
type ExportOptions = Omit<Parameters<typeof exportOrganization>[2], 'key' | 'write'>
type ImportOptions = Omit<Parameters<typeof importOrganization>[2], 'totals'>

/** A database that fails after the given number of transactions and statements, as if the process had been killed. */
export const dyingDatabase = (db: Database, budget: { left: number }): Database => {
  const spend = (): void => {
    if (budget.left-- <= 0) throw new Error('killed')
  }
  return {
    ...db,
    query: async (...args) => {
      spend()
      return db.query(...args)
    },
    transaction: async work => {
      spend()
      return db.transaction(work)
    },
  }
}

/** An archive in memory instead of a file. */
export type TestArchive = { bytes: Buffer; key: DataKey }

export const exportToMemory = async (
  deps: Deps,
  organizationId: string,
  options: ExportOptions & { afterWrite?: (count: number) => Promise<void> } = {},
): Promise<TestArchive> => {
  const key = newDataKey()
  const parts: Buffer[] = []
  const write = async (bytes: Buffer) => {
    parts.push(bytes)
    await options.afterWrite?.(parts.length)
  }
  await exportOrganization(deps, organizationId, { ...options, key, write })
  return { bytes: Buffer.concat(parts), key }
}

export const memorySource = (bytes: Buffer): ArchiveSource => ({
  open: () => {
    let at = 0
    return {
      read: async length => bytes.subarray(at, (at += length)),
      [Symbol.asyncDispose]: async () => undefined,
    }
  },
})

export const openFromMemory = ({ bytes, key }: TestArchive): Promise<OrganizationArchive> =>
  openArchive<OrganizationHeader>(memorySource(bytes), ORGANIZATION_ARCHIVE, key)

/** Verifies the archive and imports it, as the command does. */
export const importFromMemory = async (
  deps: Deps,
  archive: TestArchive,
  options: ImportOptions = {},
): Promise<ImportResult> => {
  const opened = await openFromMemory(archive)
  return importOrganization(deps, opened, { ...options, totals: await verifyArchive(opened) })
}

/** All rows of an organization by table, as text, without transactions of the database. */
export const readOrganization = async (
  db: Database,
  organizationId: string,
): Promise<Record<string, string[]>> => {
  const tables = await runSql<{ name: string; key: string; columns: string }>(
    db,
    `select t.name, t.key, string_agg(format('%I', c.name), ', ' order by c.position) as columns
     from tenant_tables t join tenant_columns c on c.table_name = t.name group by t.name, t.key order by t.name`,
  )
  const found: Record<string, string[]> = {}
  for (const { name, key, columns } of tables) {
    const rows = await runSql<{ line: string }>(
      db,
      `select row(${columns})::text as line from ${name} t where ${key} = $1 order by row(${columns})::text collate "C"`,
      [organizationId],
    )
    found[name] = rows.map(({ line }) => line)
  }
  return found
}
