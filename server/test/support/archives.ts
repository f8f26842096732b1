import { exportOrganization } from '../../src/features/portability/export-organization.ts'
import { type ImportResult, importOrganization } from '../../src/features/portability/import-organization.ts'
import {
  type OrganizationArchive,
  openOrganizationArchive,
} from '../../src/features/portability/organization-archive.ts'
import { type ArchiveSource, verifyArchive } from '../../src/platform/archive/archive-reader.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { deriveInstallationKey, type InstallationKey } from '../../src/platform/vault/installation-key.ts'
import { newDataKey } from '../../src/platform/vault/sealing.ts'
import type { Vault } from '../../src/platform/vault/vault.ts'
import { runSql } from './run-sql.ts'

type Deps = { db: Database; vault: Vault }
type ExportOptions = Omit<Parameters<typeof exportOrganization>[2], 'recipient' | 'write'>
type ImportOptions = Partial<Omit<Parameters<typeof importOrganization>[2], 'totals'>>

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
export type TestArchive = { bytes: Buffer; recipient: InstallationKey }

export const newInstallationKey = (): InstallationKey => deriveInstallationKey(newDataKey().key)

export const exportToMemory = async (
  deps: Deps,
  organizationId: string,
  {
    recipient = newInstallationKey(),
    ...options
  }: ExportOptions & {
    recipient?: InstallationKey
    afterWrite?: (count: number) => Promise<void>
  } = {},
): Promise<TestArchive> => {
  const parts: Buffer[] = []
  const write = async (bytes: Buffer) => {
    parts.push(bytes)
    await options.afterWrite?.(parts.length)
  }
  await exportOrganization(deps, organizationId, { ...options, recipient: recipient.publicKey, write })
  return { bytes: Buffer.concat(parts), recipient }
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

export const openFromMemory = ({ bytes, recipient }: TestArchive): Promise<OrganizationArchive> =>
  openOrganizationArchive(memorySource(bytes), recipient)

/** Verifies the archive and imports it, as the command does. By default, the operator knows its source. */
export const importFromMemory = async (
  deps: Deps,
  archive: TestArchive,
  options: ImportOptions = {},
): Promise<ImportResult> => {
  const opened = await openFromMemory(archive)
  const { totals } = await verifyArchive(opened)
  return importOrganization(deps, opened, { isSourceKnown: true, ...options, totals })
}

/**
 * All rows of an organization by table, as text, without transactions of the database and without the times
 * at which keys were used: each process stores those of its requests later, on its own schedule.
 */
export const readOrganization = async (
  db: Database,
  organizationId: string,
): Promise<Record<string, string[]>> => {
  const tables = await runSql<{ name: string; key: string; columns: string }>(
    db,
    `select t.name, t.key, string_agg(format('%I', c.name), ', ' order by c.position) as columns
     from tenant_tables t join tenant_columns c on c.table_name = t.name
     where not (c.name = 'last_used_at' and t.name in ('api_keys', 'mcp_keys')) group by t.name, t.key order by t.name`,
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
