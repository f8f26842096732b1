import { Secret } from '../../core/secret.ts'
import type { RowChunk } from '../../platform/archive/archive-format.ts'
import { ArchiveRefusal, ImportFailure } from '../../platform/archive/archive-refusal.ts'
import {
  addRows,
  type RowTotal,
  type RowTotals,
  readChecksum,
  writeChecksum,
} from '../../platform/archive/row-totals.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { readSchemaVersion } from '../../platform/database/migrate.ts'
import type { Tombstone } from '../../platform/tombstone-log.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { ARCHIVED_TABLES } from './archived-tables.ts'
import { findExpired, periodsOf } from './expired-records.ts'
import type { RowProgress } from './export-organization.ts'
import { finishImport } from './finish-import.ts'
import { importStore, type StartedImport } from './import-store.ts'
import type { OrganizationArchive, OrganizationHeader } from './organization-archive.ts'
import { KEY_COLUMN } from './read-rows.ts'
import { createRecordPartitions } from './record-partitions.ts'
import { tenantRowsStore } from './tenant-rows-store.ts'

export type ImportDeps = { db: Database; vault: Vault }
type ImportOptions = {
  /** The totals that `verifyArchive` returned. Those of a move are known only after the last chunk. */
  totals: RowTotals | (() => RowTotals)
  /**
   * Whether an installation that the operator knows has signed the archive. Otherwise the imported part of the audit trail stays marked
   * as not verified.
   */
  isSourceKnown: boolean
  /** Whether records of tool calls are not in the archive, and are not compared. Default: false. */
  withoutRecords?: boolean
  /** Users of the deleted-user log. They are deleted before the organization becomes active. */
  deletedUsers?: Tombstone[]
  /** Whether the organization stays in the state `arriving` after the last check. Default: it becomes active. */
  staysArriving?: boolean
  onProgress?: (progress: RowProgress) => void
}
export type ImportResult = { rows: number; resumed: boolean; expiredRecords: number; deletedUsers: number }

/**
 * Imports an archive that was verified. Each chunk is a transaction that also advances the progress, so an interrupted import
 * continues when it is run again.
 */
export const importOrganization = async (
  deps: ImportDeps,
  archive: OrganizationArchive,
  {
    totals,
    isSourceKnown,
    withoutRecords = false,
    deletedUsers = [],
    staysArriving = false,
    onProgress = () => undefined,
  }: ImportOptions,
): Promise<ImportResult> => {
  const { header, archiveId } = archive
  const organizationId = header.organization.id
  await requireSameSchema(deps.db, header)
  const started = await claim(deps.db, header, archiveId)
  const allRows = typeof totals === 'function' ? null : countRows(totals)
  let progress = started
  let rows = 0
  for await (const chunk of archive.chunks()) {
    if (chunk.number >= started.nextChunk)
      progress = await applyChunk(deps, { organizationId, archiveId, progress }, chunk)
    rows += chunk.lines.length
    onProgress({ table: chunk.table, rows, allRows })
  }
  const expired = expiredOf(progress)
  const deleted = await finishImport(deps, {
    organizationId,
    totals: typeof totals === 'function' ? totals() : totals,
    expired,
    isSourceKnown,
    withoutRecords,
    deletedUsers,
    staysArriving,
  })
  return {
    rows: rows - expired.rows,
    resumed: started.nextChunk > 0,
    expiredRecords: expired.rows,
    deletedUsers: deleted,
  }
}

const countRows = (totals: RowTotals): number => [...totals.values()].reduce((sum, { rows }) => sum + rows, 0)

const requireSameSchema = async (db: Queryable, { schema }: OrganizationHeader): Promise<void> => {
  const own = await readSchemaVersion(db)
  if (own.checksum === schema.checksum) return
  const advice =
    own.version === schema.version
      ? 'Run the same version of Carabiner in both installations, and export the organization again.'
      : `Update the ${own.version < schema.version ? 'target' : 'source'} to the same version of Carabiner${own.version < schema.version ? '' : ', and export the organization again'}.`
  throw new ArchiveRefusal(
    `The archive has the database schema ${schema.name}, and this installation has ${own.name}. ${advice}`,
  )
}

/** Starts the import, or continues one of the same archive. */
const claim = (db: Database, header: OrganizationHeader, archiveId: Buffer): Promise<StartedImport> =>
  db.transaction(async tx => {
    const { id, name, routing_code: routingCode } = header.organization
    if (await importStore.isRotationInProgress(tx))
      throw new ArchiveRefusal(
        'The keys of this installation are being rotated. Import the archive after that.',
      )
    const started = await importStore.lock(tx, id)
    const existing = await tenantRowsStore.organization(tx, id)
    if (existing && existing.state !== 'arriving')
      throw new ArchiveRefusal(`The organization ${name} (${id}) exists already in this installation.`)
    if (started?.archiveId.equals(archiveId)) return started
    if (existing)
      throw new ArchiveRefusal(
        `An import of the organization ${name} from another archive has begun. Continue it with that archive, or delete it: carabiner org delete ${id}`,
      )
    const owner = await tenantRowsStore.organizationByRoutingCode(tx, routingCode)
    if (owner)
      throw new ArchiveRefusal(
        `The routing code ${routingCode} of the organization belongs to ${owner.name} (${owner.id}) in this installation, so both cannot be in the same one.`,
      )
    return importStore.start(tx, id, archiveId)
  })

const expiredOf = ({ expiredRecords, expiredChecksum }: StartedImport): RowTotal => ({
  rows: expiredRecords,
  checksum: readChecksum(expiredChecksum.toString('hex')),
})

type Position = { organizationId: string; archiveId: Buffer; progress: StartedImport }

const applyChunk = async (
  { db, vault }: ImportDeps,
  { organizationId, archiveId, progress }: Position,
  chunk: RowChunk & { number: number },
): Promise<StartedImport> => {
  const { table, number } = chunk
  if (!ARCHIVED_TABLES.some(({ name }) => name === table))
    throw new ArchiveRefusal(`An archive cannot contain rows of ${table}.`)
  const skipped = table === 'tool_calls' ? findExpired(chunk, progress.startedAt) : new Set<string>()
  const lines = chunk.lines.filter(line => !skipped.has(line))
  if (table === 'tool_calls') await createRecordPartitions(db, periodsOf(chunk.columns, lines))
  const expired = addRows(expiredOf(progress), [...skipped])
  return db.transaction(async tx => {
    const advanced = await importStore.advance(tx, {
      organizationId,
      archiveId,
      chunk: number,
      expired: expired.rows,
      expiredChecksum: Buffer.from(writeChecksum(expired.checksum), 'hex'),
    })
    if (!advanced) throw new ImportFailure('Another import of this organization is running.')
    const rows =
      table === 'organization_keys' ? await wrapKeys(tx, vault, organizationId, chunk) : { ...chunk, lines }
    await tenantRowsStore.insert(tx, organizationId, table, rows.columns, rows.lines)
    if (table === 'organizations') await importStore.setState(tx, organizationId, ['active'], 'arriving')
    return advanced
  })
}

/** The keys of the organization, wrapped by the vault key of this installation. */
const wrapKeys = async (
  tx: Queryable,
  vault: Vault,
  organizationId: string,
  { columns, lines }: RowChunk,
): Promise<Pick<RowChunk, 'columns' | 'lines'>> => {
  const at = columns.indexOf(KEY_COLUMN)
  const wrapped: string[] = []
  for (const line of lines) {
    const row = JSON.parse(line) as string[]
    const key = new Secret(Buffer.from(row[at] as string, 'base64'))
    const bytes = await vault.wrapOrganizationKey(tx, organizationId, key)
    wrapped.push(JSON.stringify(row.with(at, `\\x${bytes.toString('hex')}`)))
  }
  return { columns: columns.with(at, 'wrapped'), lines: wrapped }
}
