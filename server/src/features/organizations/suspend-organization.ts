import type { OrganizationState } from '../../core/organization-state.ts'
import type { Database } from '../../platform/database/database.ts'
import { organizationStore, type StoredOrganization } from './organization-store.ts'

/**
 * Stops an organization: its API, MCP and Link requests are rejected, and jobs skip it. Nothing is deleted. Returns the organization, in
 * another state than `suspended` if it is being moved or deleted; null if there is none.
 */
export const suspendOrganization = (db: Database, id: string): Promise<StoredOrganization | null> =>
  changeState(db, id, 'active', 'suspended')

/** Serves a suspended organization again. Returns the organization, in another state than `active` if that is not possible. */
export const activateOrganization = (db: Database, id: string): Promise<StoredOrganization | null> =>
  changeState(db, id, 'suspended', 'active')

const changeState = (
  db: Database,
  id: string,
  from: OrganizationState,
  to: OrganizationState,
): Promise<StoredOrganization | null> =>
  db.transaction(async tx => {
    await organizationStore.setState(tx, id, [from], to)
    return organizationStore.find(tx, id)
  })
