import type { OwnedPageContext } from '../../pages/page-response.ts'
import type { SessionStanding } from '../sessions/link-session.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'

/** A request for a page of a session. */
export type SessionPageContext = OwnedPageContext & {
  handle: string
  session: StoredSession
  standing: SessionStanding
}
