import { isServed, isServedOrSuspended, type OrganizationState } from '../../../core/organization-state.ts'
import type { Database, Transaction } from '../../../platform/database/database.ts'
import { type Connectors, type UsableConnector, usableByPack } from '../../connectors/availability.ts'
import { recordEvent } from '../../events/record-event.ts'
import { type SessionStanding, sessionStanding } from './link-session.ts'
import { keyOf, linkSessionStore, type StoredSession } from './link-session-store.ts'
import type { SessionKey } from './magic-link.ts'

export type OpenSession = { session: StoredSession; standing: SessionStanding }

/** Null if the session or its organization does not exist. Throws if the organization is suspended, served elsewhere or being moved. */
export const readSession = async (db: Database, key: SessionKey): Promise<OpenSession | null> =>
  asOpenSession(await linkSessionStore.find(db, key))

/** The same for the hash of a link token. */
export const readSessionBySecret = async (db: Database, hash: Buffer): Promise<OpenSession | null> =>
  asOpenSession(await linkSessionStore.findBySecret(db, hash))

/** The same for a page that shows under the organization's name that it is suspended. */
export const readSessionForPage = async (db: Database, hash: Buffer): Promise<OpenSession | null> =>
  asOpenSession(await linkSessionStore.findBySecret(db, hash), isServedOrSuspended)

const asOpenSession = (
  session: StoredSession | null,
  isOpen: (state: OrganizationState) => boolean = isServed,
): OpenSession | null =>
  session && isOpen(session.organizationState) ? { session, standing: sessionStanding(session.facts) } : null

/**
 * The connectors that a session offers: the locked one, or those of the Tool Pack that can be linked now and have at least
 * one tool in the pack.
 */
export const offeredConnectors = async (
  connectors: Connectors,
  { organizationId, lockedConnector, pack }: StoredSession,
): Promise<UsableConnector[]> => {
  const offered =
    lockedConnector === null
      ? usableByPack(await connectors.usable(organizationId), pack.connectors, pack.choices)
      : await findLockedConnector(connectors, organizationId, lockedConnector, pack.connectors)
  return offered.filter(({ needsNoLink }) => !needsNoLink)
}

const findLockedConnector = async (
  connectors: Connectors,
  organizationId: string,
  slug: string,
  packConnectors: string[] | null,
): Promise<UsableConnector[]> => {
  const inPack = packConnectors === null || packConnectors.includes(slug)
  const found = inPack ? await connectors.findUsable(organizationId, slug) : null
  return found ? [found] : []
}

/** Records the first POST of a person. Mail scanners and link previewers only send GET requests. */
export const recordOpened = async (tx: Transaction, session: StoredSession): Promise<void> => {
  const first = await linkSessionStore.markOpened(tx, keyOf(session))
  if (!first) return
  await recordEvent(tx, {
    organizationId: session.organizationId,
    registeredUserId: session.registeredUserId,
    type: 'link.opened',
    payload: { link_session_id: session.id },
  })
}
