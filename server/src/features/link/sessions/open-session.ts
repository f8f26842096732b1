import type { Database, Transaction } from '../../../platform/database/database.ts'
import { type Connectors, type UsableConnector, usableByPack } from '../../connectors/availability.ts'
import { recordEvent } from '../../events/record-event.ts'
import { type SessionStanding, sessionStanding } from './link-session.ts'
import { factsOf, keyOf, linkSessionStore, type SessionRow } from './link-session-store.ts'
import type { SessionKey } from './magic-link.ts'

export type OpenSession = { session: SessionRow; standing: SessionStanding }

export const readSession = async (db: Database, key: SessionKey): Promise<OpenSession | null> => {
  const session = await linkSessionStore.find(db, key)
  return session && { session, standing: sessionStanding(factsOf(session)) }
}

/**
 * The connectors that a session offers: the locked one, or those of the Tool Pack that can be linked now and have at least
 * one tool in the pack.
 */
export const offeredConnectors = async (
  connectors: Connectors,
  { organization_id, locked_connector, pack_connectors, pack_choices }: SessionRow,
): Promise<UsableConnector[]> => {
  const offered =
    locked_connector === null
      ? usableByPack(await connectors.usable(organization_id), pack_connectors, pack_choices ?? {})
      : await lockedConnector(connectors, organization_id, locked_connector, pack_connectors)
  return offered.filter(({ needsNoLink }) => !needsNoLink)
}

const lockedConnector = async (
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
export const recordOpened = async (tx: Transaction, session: SessionRow): Promise<void> => {
  const first = await linkSessionStore.markOpened(tx, keyOf(session))
  if (!first) return
  await recordEvent(tx, {
    organizationId: session.organization_id,
    registeredUserId: session.registered_user_id,
    type: 'link.opened',
    payload: { link_session_id: session.id },
  })
}
