import type { Database } from '../../../platform/database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import { keyOf, type StoredSession } from './link-session-store.ts'
import { sessionStateStore } from './session-state-store.ts'

/** Records that the user asks for a new link, at most once an hour. The application decides whether to mint one. */
export const requestRenewal = (db: Database, session: StoredSession): Promise<void> =>
  db.transaction(async tx => {
    const { organizationId, registeredUserId, lockedConnector } = session
    if (!(await sessionStateStore.requestRenewal(tx, keyOf(session)))) return
    await sessionStateStore.recordStep(tx, keyOf(session), 'renewal_requested', lockedConnector)
    await recordEvent(tx, {
      organizationId,
      registeredUserId,
      type: 'link.renewal_requested',
      payload: { link_session_id: session.id, connector_slug: lockedConnector },
    })
  })
