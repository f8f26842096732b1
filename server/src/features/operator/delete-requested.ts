import type { AuditTrail } from '../../core/audited-change.ts'
import { ArchiveRefusal } from '../../platform/archive/archive-refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { startRevokingTokens } from '../credentials/revoke-organization.ts'
import { SERVICE_CHAIN } from '../events/audit-chain.ts'
import { recordChange } from '../events/audit-trail.ts'
import { listPendingDeletions, type PendingDeletion } from '../organizations/manage-organization.ts'
import { deleteOrganization, describeDeletion } from '../portability/delete-organization.ts'

type Deps = { db: Database; audit: AuditTrail; log: Log }

/**
 * A job: deletes the organizations whose deletion was requested in the dashboard. Those whose tokens are still being revoked are left to a
 * later run. An interrupted deletion continues.
 */
export const deleteRequested = async (deps: Deps): Promise<void> => {
  const failures: unknown[] = []
  for (const deletion of await listPendingDeletions(deps.db))
    await deleteOne(deps, deletion).catch((error: unknown) => {
      if (error instanceof ArchiveRefusal)
        deps.log.warn({ organization_id: deletion.id, error }, 'the organization is deleted later')
      else failures.push(error)
    })
  if (failures.length > 0) throw new AggregateError(failures, 'organizations could not be deleted')
}

const deleteOne = async ({ db, audit }: Deps, { id, name, revokes }: PendingDeletion): Promise<void> => {
  if (revokes && (await startRevokingTokens(db, id)) > 0) return
  const changes = await describeDeletion(db, id, name)
  const change = {
    organizationId: SERVICE_CHAIN,
    action: 'organization.deleted',
    target: { type: 'organization', id },
    registeredUserId: null,
    actor: { type: 'system', id: 'service', hint: null },
    sender: { address: null, userAgent: null },
    requestId: 'job',
    changes,
  } as const
  await recordChange(
    audit,
    { ...change, changes },
    {
      run: () => deleteOrganization(db, id),
      isRefusal: error => error instanceof ArchiveRefusal,
    },
  )
}
