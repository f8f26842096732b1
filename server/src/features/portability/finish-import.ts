import { ImportFailure } from '../../platform/archive/archive-refusal.ts'
import { readAhead } from '../../platform/archive/read-ahead.ts'
import {
  addRows,
  isEqualTotal,
  NO_ROWS,
  type RowTotal,
  type RowTotals,
  subtractTotal,
} from '../../platform/archive/row-totals.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Tombstone } from '../../platform/tombstone-log.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { sealImportedChain } from '../events/seal-imported-chain.ts'
import { replayTombstones } from '../registered-users/delete-user.ts'
import { ARCHIVED_TABLES, type ArchivedTable } from './archived-tables.ts'
import { importStore } from './import-store.ts'
import { createRowReader, type ReadTable } from './read-rows.ts'

/** Two chunks of each are in memory. */
const MAX_TABLES_AT_ONCE = 3

type Deps = { db: Database; vault: Vault }
type ImportedRows = {
  organizationId: string
  /** What the archive lists. */
  totals: RowTotals
  /** Records that had expired and were not imported. */
  expired: RowTotal
  isSourceKnown: boolean
  /** Whether records of tool calls are not in the archive. */
  withoutRecords: boolean
  deletedUsers: Tombstone[]
  staysArriving: boolean
}

/**
 * Compares the imported rows with the archive, seals the audit trail for this installation, and activates the organization.
 * Returns the number of users that were deleted because the deleted-user log contains them.
 */
export const finishImport = async (deps: Deps, imported: ImportedRows): Promise<number> => {
  const { organizationId } = imported
  const progress = await importStore.find(deps.db, organizationId)
  if (!progress) throw new ImportFailure('Another import of this organization has finished.')
  if (!progress.verifiedAt) {
    await compareRows(deps, imported)
    await sealAudit(deps, imported)
  }
  const own = imported.deletedUsers.filter(user => user.organizationId === organizationId)
  const deleted = await replayTombstones(deps, own)
  if (!imported.staysArriving) await activate(deps.db, organizationId)
  return deleted
}

/** Tables are compared at the same time, because nobody can use the organization meanwhile. */
const compareRows = async ({ db, vault }: Deps, imported: ImportedRows): Promise<void> => {
  const { organizationId, withoutRecords } = imported
  const readTable = await createRowReader(db, vault, organizationId, { withoutRecords })
  const tables = ARCHIVED_TABLES.values()
  const compareNext = async (): Promise<void> => {
    for (const table of tables) await compareTable(readTable, imported, table)
  }
  await Promise.all(Array.from({ length: MAX_TABLES_AT_ONCE }, compareNext))
}

const compareTable = async (
  readTable: ReadTable,
  { organizationId, totals, expired }: ImportedRows,
  table: ArchivedTable,
): Promise<void> => {
  let found = NO_ROWS
  for await (const { lines } of readAhead(readTable(table))) found = addRows(found, lines)
  const listed = totals.get(table.name) ?? NO_ROWS
  const expected = table.name === 'tool_calls' ? subtractTotal(listed, expired) : listed
  if (!isEqualTotal(found, expected))
    throw new ImportFailure(
      `The imported rows of ${table.name} differ from the archive: ${found.rows} rows, expected ${expected.rows}. Delete the organization (carabiner org delete ${organizationId}) and import it again.`,
    )
}

const sealAudit = (
  { db, vault }: Deps,
  { organizationId, isSourceKnown }: Pick<ImportedRows, 'organizationId' | 'isSourceKnown'>,
): Promise<void> =>
  db.transaction(async tx => {
    if (!(await sealImportedChain(tx, vault.signer, { organizationId, isSourceKnown })))
      throw new ImportFailure('The audit trail of the imported organization is not intact.')
    await importStore.markVerified(tx, organizationId)
  })

/** Also the last step of a move, after the source has stopped serving the organization. */
export const activate = (db: Database, organizationId: string): Promise<void> =>
  db.transaction(async tx => {
    if (!(await importStore.setState(tx, organizationId, ['arriving'], 'active')))
      throw new ImportFailure('The organization is not in the state arriving.')
    await importStore.end(tx, organizationId)
  })
