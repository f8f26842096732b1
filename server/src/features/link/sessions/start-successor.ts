import { hashToken, issueToken } from '../../../core/token.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { keyOf, linkSessionStore, type StoredSession } from './link-session-store.ts'
import type { SessionKey } from './magic-link.ts'
import { offeredConnectors } from './open-session.ts'

/**
 * Whether the completion page offers another connection: only if the link was not locked, had no callback, and the
 * organization lets links store credentials without a code. The insert statement checks the same conditions again.
 */
export const offersAnother = async (connectors: Connectors, session: StoredSession): Promise<boolean> => {
  const { progress, facts, lockedConnector, callbackUrl, linkBinding, linkedAccounts } = session
  if (progress.status !== 'completed' || lockedConnector !== null || callbackUrl !== null) return false
  if (facts.expired || !facts.userActive || facts.endedWithUser || linkBinding === 'code_only') return false
  const offered = await offeredConnectors(connectors, session)
  return offered.some(({ slug }) => !Object.hasOwn(linkedAccounts, slug))
}

/**
 * Starts the session that follows a completed one, with the same user, Tool Pack, mode and expiry. Returns null if none is
 * allowed.
 */
export const startSuccessor = async (db: Database, session: StoredSession): Promise<SessionKey | null> => {
  const key = keyOf(session)
  // This token is never handed out; the successor is opened only by its handle.
  const secretHash = hashToken(issueToken('linkToken', key.organizationId))
  const successor = { id: newUuid(), secretHash }
  const found =
    (await linkSessionStore.startSuccessor(db, key, successor)) ??
    (await linkSessionStore.findSuccessor(db, key))
  return found && { organizationId: key.organizationId, sessionId: found.id }
}
