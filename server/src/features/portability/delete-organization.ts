import type { FieldChange } from '../../core/audited-change.ts'
import type { OrganizationState } from '../../core/organization-state.ts'
import { ArchiveRefusal } from '../../platform/archive/archive-refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { revokeOrganizationTokens } from '../credentials/revoke-organization.ts'
import { listChains } from '../events/audit-verify.ts'
import { ARCHIVED_TABLES } from './archived-tables.ts'
import { deleteTable } from './delete-rows.ts'
import type { RowProgress } from './export-organization.ts'
import { dropFence, raiseFence, writeThroughFence } from './fence.ts'
import { importStore } from './import-store.ts'
import { tenantRowsStore } from './tenant-rows-store.ts'

type DeleteOptions = {
  /** The states in which the organization may be deleted. */
  from?: readonly OrganizationState[]
  /** Leaves records of tool calls in place, for a copy of the organization that will be made again. */
  keepsRecords?: boolean
  /** Revokes the tokens of all users at their providers first, which the running service does. */
  revokes?: boolean
  onProgress?: (progress: RowProgress) => void
  onPendingRevocations?: (pending: number) => void
}

/** Not `leaving`: a move decides about the organization. */
const DELETABLE: readonly OrganizationState[] = ['active', 'suspended', 'arriving', 'moved', 'deleting']

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
    from = DELETABLE,
    keepsRecords = false,
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
  await markDeleting(db, organizationId, from)
  if (revokes) await revokeOrganizationTokens(db, organizationId, onPendingRevocations)
  await raiseFence(db, organizationId)
  const kept = keepsRecords ? ['tool_calls'] : []
  const tables = DELETION_ORDER.filter(table => !kept.includes(table))
  let rows = await deleteRows(db, organizationId, tables, onProgress)
  // The organization's row is deleted after the fence, so that an interrupted deletion never leaves a fence alone.
  await dropFence(db, organizationId)
  rows += await writeThroughFence(db, organizationId, async tx => {
    let deleted = 0
    for (const table of TOGETHER)
      deleted += (await tenantRowsStore.deletePage(tx, organizationId, { table, after: null, limit: 1 }))
        .deleted
    return deleted
  })
  // A request that was in flight may have written a row since the fence was dropped.
  return rows + (await deleteRows(db, organizationId, tables))
}

/** An import was interrupted before it had created the organization. */
const finishEarlier = async (db: Database, organizationId: string): Promise<number> => {
  if (!(await importStore.find(db, organizationId)))
    throw new ArchiveRefusal(`There is no organization ${organizationId}. See \`carabiner org list\`.`)
  return deleteLeftovers(db, organizationId)
}

/** Rows of an organization that does not exist: those that an import or a move has copied. */
export const deleteLeftovers = (db: Database, organizationId: string): Promise<number> =>
  deleteRows(db, organizationId, DELETION_ORDER)

/** What the audit trail of the service records about a deletion. */
export const describeDeletion = async (
  db: Database,
  organizationId: string,
  name: string | undefined,
): Promise<FieldChange[]> => {
  const [chain] = await listChains(db, organizationId)
  return [
    ...(name === undefined ? [] : [{ field: 'name', from: name }]),
    // Proves later which entries a copy of the deleted audit trail must have.
    ...(chain?.hash
      ? [{ field: 'audit_trail', from: `${chain.sequence}:${chain.hash.toString('hex')}` }]
      : []),
  ]
}

const markDeleting = (
  db: Database,
  organizationId: string,
  from: readonly OrganizationState[],
): Promise<void> =>
  writeThroughFence(db, organizationId, async tx => {
    if (!(await importStore.setState(tx, organizationId, [...from], 'deleting')))
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
    for await (const deleted of deleteTable(db, organizationId, table)) {
      rows += deleted
      onProgress({ table, rows, allRows: null })
    }
  return rows
}
