import type { Database, Transaction } from '../../platform/database.ts'
import { type Connectors, inPack, type UsableConnector } from '../connectors/availability.ts'
import { recordEvent } from '../events/record-event.ts'
import { judgeSession, type SessionStanding } from './link-session.ts'
import { factsOf, keyOf, linkSessionStore, type SessionRow } from './link-session-store.ts'
import type { SessionKey } from './magic-link.ts'

export type OpenSession = { session: SessionRow; standing: SessionStanding }

export const readSession = async (db: Database, key: SessionKey): Promise<OpenSession | null> => {
  const session = await linkSessionStore.find(db, key)
  return session && { session, standing: judgeSession(factsOf(session)) }
}

/** The connectors a session offers: the locked one, or what the Tool Pack holds now and can be linked. */
export const offeredConnectors = async (
  connectors: Connectors,
  { organization_id, locked_connector, pack_connectors }: SessionRow,
): Promise<UsableConnector[]> => {
  const known =
    locked_connector === null
      ? await connectors.usable(organization_id)
      : [await connectors.findUsable(organization_id, locked_connector)].filter(found => found !== null)
  return inPack(known, pack_connectors).filter(({ needsNoLink }) => !needsNoLink)
}

/** A person's first POST. Scanners and unfurlers only GET, and leave no trace here. */
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
