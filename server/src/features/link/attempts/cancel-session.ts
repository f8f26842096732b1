import type { Database } from '../../../platform/database/database.ts'
import { keyOf, type StoredSession } from '../sessions/link-session-store.ts'
import { recordOpened } from '../sessions/open-session.ts'
import { sessionStateStore } from '../sessions/session-state-store.ts'
import { endChoices } from './choose-site.ts'
import { recordEnded } from './record-ended.ts'

/** Returns whether a grant that waited for a choice was queued for revocation. */
export const cancelSession = (
  db: Database,
  session: StoredSession,
  browser: string,
  connectorSlug: string | null,
): Promise<boolean> =>
  db.transaction(async tx => {
    await recordOpened(tx, session)
    const hadGrant = await endChoices(tx, session, browser)
    await recordEnded(tx, session, { status: 'exit' }, null)
    await sessionStateStore.recordStep(tx, keyOf(session), 'cancelled', connectorSlug)
    return hadGrant
  })
