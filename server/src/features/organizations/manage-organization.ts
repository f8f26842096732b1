import type { Plan } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { organizationStore, type StoredOrganization } from './organization-store.ts'
import { activateOrganization, suspendOrganization } from './suspend-organization.ts'

/** What operators do in the dashboard. */

export const findOrganization = async (db: Queryable, id: string): Promise<StoredOrganization> => {
  const organization = isUuid(id) ? await organizationStore.find(db, id) : null
  if (!organization) throw new Refusal('organization_not_found')
  return organization
}

/** `callLimit`: null for the limit of the plan. */
export const changePlan = (
  db: Database,
  id: string,
  { plan, callLimit }: { plan: Plan; callLimit: number | null },
): Promise<StoredOrganization> =>
  db.transaction(async tx => {
    const { state } = await findOrganization(tx, id)
    if (state !== 'active' && state !== 'suspended') throw new Refusal('organization_busy')
    const changed = await organizationStore.setPlan(tx, id, plan, callLimit)
    if (!changed) throw new Refusal('organization_not_found')
    return changed
  })

export const suspend = async (db: Database, id: string): Promise<StoredOrganization> =>
  requireState('suspended', await suspendOrganization(db, id))

export const activate = async (db: Database, id: string): Promise<StoredOrganization> =>
  requireState('active', await activateOrganization(db, id))

const requireState = (
  state: 'active' | 'suspended',
  organization: StoredOrganization | null,
): StoredOrganization => {
  if (!organization) throw new Refusal('organization_not_found')
  if (organization.state !== state) throw new Refusal('organization_busy')
  return organization
}

/**
 * From this moment on, the organization is not served. The service deletes its rows later, so that the request need not wait. `name`: as the
 * person has typed it.
 */
export const requestDeletion = (
  db: Database,
  id: string,
  { name, revokes }: { name: string; revokes: boolean },
): Promise<StoredOrganization> =>
  db.transaction(async tx => {
    const organization = await findOrganization(tx, id)
    if (organization.name !== name) throw new Refusal('organization_name_mismatch', { param: 'name' })
    if (!(await organizationStore.setState(tx, id, ['active', 'suspended'], 'deleting')))
      throw new Refusal('organization_busy')
    await organizationStore.setPendingDeletion(tx, id, revokes ? 'revoke' : 'keep_tokens')
    return { ...organization, state: 'deleting' }
  })

export type PendingDeletion = { id: string; name: string; revokes: boolean }

export const listPendingDeletions = (db: Queryable): Promise<PendingDeletion[]> =>
  organizationStore.pendingDeletions(db)
