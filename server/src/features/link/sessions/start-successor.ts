import { hashToken, issueToken } from '../../../core/token.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { keyOf, linkSessionStore, type SessionRow } from './link-session-store.ts'
import type { SessionKey } from './magic-link.ts'
import { offeredConnectors } from './open-session.ts'

/**
 * Whether the completion page offers another connection: only if the link was not locked, had no callback, and the
 * organization lets links store credentials without a code. The insert statement checks the same conditions again.
 */
export const offersAnother = async (connectors: Connectors, session: SessionRow): Promise<boolean> => {
  const { status, locked_connector, callback_url, expired, link_binding, linked_accounts } = session
  if (status !== 'completed' || locked_connector !== null || callback_url !== null) return false
  if (expired || !session.user_active || session.ended_with_user || link_binding === 'code_only') return false
  const offered = await offeredConnectors(connectors, session)
  return offered.some(({ slug }) => !Object.hasOwn(linked_accounts, slug))
}

/**
 * Starts the session that follows a completed one, with the same user, Tool Pack, mode and expiry. Returns null if none is
 * allowed.
 */
export const startSuccessor = async (db: Database, session: SessionRow): Promise<SessionKey | null> => {
  const key = keyOf(session)
  // This token is never handed out; the successor is opened only by its handle.
  const successor = { id: newUuid(), secretHash: hashToken(issueToken('linkToken')) }
  const found =
    (await linkSessionStore.startSuccessor(db, key, successor)) ??
    (await linkSessionStore.findSuccessor(db, key))
  return found && { organizationId: key.organizationId, sessionId: found.id }
}
