import type { Queryable } from '../../../platform/database/database.ts'
import { sessionStateStore } from './session-state-store.ts'

type LinkedConnector = {
  organizationId: string
  registeredUserId: string
  connectorSlug: string
  credentialId: string | null
}

/**
 * The scopes that calls lacked, if the latest completed link of the credential requested them. Null if it had another purpose, or there is no
 * such link.
 */
export const latestRequestedScopes = async (
  db: Queryable,
  { organizationId, registeredUserId, connectorSlug, credentialId }: LinkedConnector,
): Promise<string[] | null> => {
  const latest = await sessionStateStore.latestRequestedScopes(
    db,
    organizationId,
    registeredUserId,
    connectorSlug,
    credentialId,
  )
  return latest?.moreScopes ?? null
}
