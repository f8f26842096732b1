import type { OrganizationState } from '../../../core/organization-state.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { RowProgress } from '../export-organization.ts'
import { tenantRowsStore } from '../tenant-rows-store.ts'

/** One installation. */
export type Installation = { db: Database; vault: Vault }

/** The two installations of a move. */
export type MoveRoute = { source: Installation; target: Installation; organizationId: string }

export type Move = MoveRoute & {
  /** Makes the load balancer send the requests of the organization to the target. */
  switchRouting: () => Promise<void>
  onProgress?: (progress: RowProgress) => void
  /** How long calls and refreshes in progress may take after the organization has stopped. */
  drainMs?: number
  /** How long the source answers 503 instead of 421 after the routing was switched. */
  routingGraceMs?: number
}

const stateOf = async ({ db }: Installation, organizationId: string): Promise<OrganizationState | null> =>
  (await tenantRowsStore.organization(db, organizationId))?.state ?? null

export const stateInTarget = ({ target, organizationId }: MoveRoute) => stateOf(target, organizationId)

export const statesOf = async (
  route: MoveRoute,
): Promise<{ source: OrganizationState | null; target: OrganizationState | null }> => {
  const [source, target] = await Promise.all([
    stateOf(route.source, route.organizationId),
    stateInTarget(route),
  ])
  return { source, target }
}
