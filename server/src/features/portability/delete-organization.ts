import type { Database } from '../../platform/database/database.ts'
import { revokeOrganizationTokens } from '../credentials/revoke-organization.ts'
import { ArchiveRefusal } from './archive-refusal.ts'
import { ARCHIVED_TABLES } from './archived-tables.ts'
import type { RowProgress } from './export-organization.ts'
import { dropFence, isFenced, raiseFence, writeThroughFence } from './fence.ts'
import { importStore } from './import-store.ts'
import { tenantRowsStore } from './tenant-rows-store.ts'

/** Rows of one transaction. */
const BATCH = 1000

type DeleteOptions = {
  /** Revokes the tokens of all users at their providers first, which the running service does. */
  revokes?: boolean
  onProgress?: (progress: RowProgress) => void
  onPendingRevocations?: (pending: number) => void
}

/** Revocations come first, because their job is the only one that processes an organization in the state `deleting`. */
const FIRST = ['revocations', 'organization_imports']
/** Deleted with the organization itself: an organization without the end of its audit trail is reported as tampered with. */
const TOGETHER = ['audit_heads', 'organizations']
/** The others follow in the reverse order of their foreign keys, and the audit trail at the end. */
const OTHERS = ARCHIVED_TABLES.map(({ name }) => name).filter(
  name => ![...FIRST, ...TOGETHER, 'audit_entries'].includes(name),
)
const DELETION_ORDER = [...FIRST, ...OTHERS.toReversed(), 'audit_entries']

/**
 * Deletes an organization and all of its rows, in batches. An interrupted deletion continues when it is run again. Returns the
 * number of rows.
 */
export const deleteOrganization = async (
  db: Database,
  organizationId: string,
  {
    revokes = false,
    onProgress = () => undefined,
    onPendingRevocations = () => undefined,
  }: DeleteOptions = {},
): Promise<number> => {
  if (!(await tenantRowsStore.organization(db, organizationId))) return finishEarlier(db, organizationId)
  if (await importStore.isRotationInProgress(db))
    throw new ArchiveRefusal(
      'The keys of this installation are being rotated. Delete the organization after that.',
    )
  await markDeleting(db, organizationId)
  if (revokes) await revokeOrganizationTokens(db, organizationId, onPendingRevocations)
  await raiseFence(db, organizationId)
  let rows = await deleteRows(db, organizationId, DELETION_ORDER, onProgress)
  rows += await writeThroughFence(db, organizationId, async tx => {
    let deleted = 0
    for (const table of TOGETHER) deleted += await tenantRowsStore.delete(tx, organizationId, table, BATCH)
    return deleted
  })
  return rows + (await openFence(db, organizationId))
}

/** A request that was in flight may write a row just after the fence is dropped, so rows are deleted again. */
const openFence = async (db: Database, organizationId: string): Promise<number> => {
  await dropFence(db, organizationId)
  return deleteRows(db, organizationId, [...DELETION_ORDER, ...TOGETHER])
}

/**
 * An earlier run was interrupted after it had deleted the organization and before it had dropped the fence, or an import was
 * interrupted before it had created the organization.
 */
const finishEarlier = async (db: Database, organizationId: string): Promise<number> => {
  const isStarted = await importStore.find(db, organizationId)
  if (!isStarted && !(await isFenced(db, organizationId)))
    throw new ArchiveRefusal(`There is no organization ${organizationId}. See \`carabiner org list\`.`)
  return openFence(db, organizationId)
}

const markDeleting = (db: Database, organizationId: string): Promise<void> =>
  writeThroughFence(db, organizationId, async tx => {
    const states = ['active', 'arriving', 'moved', 'deleting'] as const
    if (!(await importStore.setState(tx, organizationId, [...states], 'deleting')))
      throw new ArchiveRefusal(
        'The organization is being moved to another installation, so it cannot be deleted now.',
      )
  })

const deleteRows = async (
  db: Database,
  organizationId: string,
  tables: string[],
  onProgress: (progress: RowProgress) => void = () => undefined,
): Promise<number> => {
  let rows = 0
  for (const table of tables)
    for (;;) {
      const deleted = await writeThroughFence(db, organizationId, tx =>
        tenantRowsStore.delete(tx, organizationId, table, BATCH),
      )
      if (deleted === 0) break
      rows += deleted
      onProgress({ table, rows, allRows: null })
    }
  return rows
}
