import type { AuditEntry } from '@carabiner/contract'
import type { Queryable } from '../../platform/database.ts'
import { SERVICE_CHAIN } from './audit-chain.ts'
import { showEntry } from './audit-routes.ts'
import { auditStore } from './audit-store.ts'

/** The newest entries of an organization, or of the service itself. */
export const listEntries = async (
  db: Queryable,
  organizationId: string | null,
  limit: number,
): Promise<AuditEntry[]> => {
  const page = { before: Number.MAX_SAFE_INTEGER, limit, filter: {} }
  return (await auditStore.newest(db, organizationId ?? SERVICE_CHAIN, page)).map(showEntry)
}
