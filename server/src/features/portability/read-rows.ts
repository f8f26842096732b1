import type { RowChunk } from '../../platform/archive/archive-format.ts'
import type { Queryable } from '../../platform/database/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { ArchivedTable } from './archived-tables.ts'
import { tenantRowsStore } from './tenant-rows-store.ts'

type Row = (string | null)[]
export type ReadTable = (table: ArchivedTable) => AsyncGenerator<RowChunk>

type ReaderOptions = {
  /** The entry at which the audit trail is broken. */
  brokenAt?: number | null
  /** Whether records of tool calls are left out. Default: false. */
  withoutRecords?: boolean
}

/** The column of `organization_keys` in an archive, in place of the wrapped key. */
export const KEY_COLUMN = 'key'

/** A chunk is kept in memory and applied in one transaction. It may exceed the bytes by one row. */
const CHUNK_LIMITS = { limit: 2000, bytes: 4 * 1024 * 1024 }

/**
 * Reads an organization's tables as an archive contains them. An import reads them again to compare both, so columns that differ
 * between installations are replaced here by a value that does not.
 */
export const createRowReader = async (
  tx: Queryable,
  vault: Vault,
  organizationId: string,
  { brokenAt = null, withoutRecords = false }: ReaderOptions = {},
): Promise<ReadTable> => {
  const usageUntil = await tenantRowsStore.usageUntil(tx, organizationId)
  const keys = await vault.exportOrganizationKeys(tx, organizationId)
  const columnsOf = await tenantRowsStore.columns(tx)

  const replace = (table: string, columns: string[], row: Row): Row => {
    const set = (column: string, value: string | null) => row.with(columns.indexOf(column), value)
    if (table === 'organizations') return set('usage_until', usageUntil)
    if (table === 'audit_heads' && brokenAt !== null) return set('broken_at', String(brokenAt))
    if (table !== 'organization_keys') return row
    const generation = Number(row[columns.indexOf('generation')])
    return [...row, keys.get(generation)?.reveal().toString('base64') ?? null]
  }
  const isReplaced = (table: string): boolean =>
    ['organizations', 'audit_heads', 'organization_keys'].includes(table)

  return async function* ({ name, without }) {
    if (name === 'tool_calls' && withoutRecords) return
    const columns = (columnsOf.get(name) ?? []).filter(column => !without.includes(column))
    let after: string[] | null = null
    for (;;) {
      const page = { table: name, without, after, ...CHUNK_LIMITS }
      const rows = await tenantRowsStore.read(tx, organizationId, page)
      const last = rows.at(-1)
      if (!last) return
      const lines = rows.map(({ line }) =>
        isReplaced(name) ? JSON.stringify(replace(name, columns, JSON.parse(line) as Row)) : line,
      )
      yield { table: name, columns: name === 'organization_keys' ? [...columns, KEY_COLUMN] : columns, lines }
      after = last.key
    }
  }
}
