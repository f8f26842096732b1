import type { Queryable } from '../../../platform/database/database.ts'
import { sessionStateStore } from './session-state-store.ts'

type LinkedConnector = { organizationId: string; registeredUserId: string; connectorSlug: string }

/**
 * The additional scopes requested by the latest completed link of the connector, or null if it requested none or there is
 * no such link.
 */
export const latestRequestedScopes = async (
  db: Queryable,
  { organizationId, registeredUserId, connectorSlug }: LinkedConnector,
): Promise<string[] | null> => {
  const latest = await sessionStateStore.latestRequestedScopes(
    db,
    organizationId,
    registeredUserId,
    connectorSlug,
  )
  return latest?.moreScopes ?? null
}
