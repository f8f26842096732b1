import type { AuditEntry as ShownEntry } from '@carabiner/contract'
import type { Database } from '../../platform/database/database.ts'
import { readPrimary } from '../../platform/database/read-database.ts'
import { toEntry } from './audit-routes.ts'
import { auditStore, type ListedEntry as StoredEntry } from './audit-store.ts'

export type ListedEntry = ShownEntry & { organization_id: string }

/** The latest entries of one organization, or of all organizations and the service itself. */
export const listEntries = async (
  db: Database,
  organizationId: string | null,
  limit: number,
): Promise<ListedEntry[]> => {
  const page = { before: Number.MAX_SAFE_INTEGER, limit, filter: {} }
  const entries =
    organizationId === null
      ? await auditStore.latestOfAll(db, limit)
      : await auditStore.newest(readPrimary(db), organizationId, page)
  return entries.map(toListedEntry)
}

const toListedEntry = (listed: StoredEntry): ListedEntry => ({
  organization_id: listed.entry.organizationId,
  ...toEntry(listed),
})
