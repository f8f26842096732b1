import { one, type Queryable, statement } from '../../../platform/database/database.ts'
import type { SessionKey } from '../sessions/magic-link.ts'

export type AttemptOutcome = 'completed' | 'exited' | 'failed'

export type NewAttempt = {
  id: string
  connectorSlug: string
  browserHash: Buffer
  /** Identifies the framed page that started the attempt. */
  frameHash: Buffer | null
  view: string
  oauth: { app: string; context: string; stateHash: Buffer; sealedState: Buffer } | null
}
export type ReturnedAttempt = {
  organization_id: string
  id: string
  session_id: string
  connector_slug: string
  oauth_app: string
  sealed_state: Buffer
  view: string
}
/** An attempt whose grant is pending until the person chooses a site. */
export type ChoosingAttempt = { id: string; connector_slug: string; sealed_state: Buffer }

const insertAttempt = statement<never>(
  'link_attempts.insert',
  `insert into link_attempts (organization_id, session_id, id, connector_slug, browser_hash, view, oauth_app, redirect_context,
     state_hash, sealed_state, frame_hash)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
)
// Single use, and only by the browser that started the attempt. A request from another browser does not consume it.
const takeReturned = statement<ReturnedAttempt>(
  'link_attempts.take_returned',
  `update link_attempts set returned_at = app_now()
   where state_hash = $1 and redirect_context = $2 and browser_hash = $3 and returned_at is null
   returning organization_id, id, session_id, connector_slug, oauth_app, sealed_state, view`,
)
const findByState = statement<{
  organization_id: string
  session_id: string
  returned: boolean
  same_browser: boolean
  view: string
}>(
  'link_attempts.find_by_state',
  `select organization_id, session_id, returned_at is not null as returned, browser_hash = $3 as same_browser, view
   from link_attempts where state_hash = $1 and redirect_context = $2`,
)
const finishAttempt = statement<never>(
  'link_attempts.finish',
  `update link_attempts set outcome = $3, reason = $4, returned_at = coalesce(returned_at, app_now()), sealed_state = null
   where organization_id = $1 and id = $2`,
)
// The OAuth state is no longer needed after the code exchange, so the column now holds the list of sites.
const awaitSite = statement<never>(
  'link_attempts.await_site',
  `update link_attempts set awaits_site = true, sealed_state = $3
   where organization_id = $1 and id = $2 and outcome is null`,
)
const CHOOSING = `select id, connector_slug, sealed_state from link_attempts
   where organization_id = $1 and session_id = $2 and browser_hash = $3 and awaits_site and outcome is null`
const choosing = statement<ChoosingAttempt>('link_attempts.choosing', `${CHOOSING} and id = $4`)
const allChoosing = statement<ChoosingAttempt>('link_attempts.all_choosing', CHOOSING)
const completedBy = statement<{ connector_slug: string }>(
  'link_attempts.completed_here',
  `select connector_slug from link_attempts
   where organization_id = $1 and session_id = $2 and $3 in (browser_hash, frame_hash) and outcome = 'completed' limit 1`,
)

export const attemptStore = {
  insert: (tx: Queryable, { organizationId, sessionId }: SessionKey, attempt: NewAttempt) =>
    tx.query(insertAttempt, [
      organizationId,
      sessionId,
      attempt.id,
      attempt.connectorSlug,
      attempt.browserHash,
      attempt.view,
      attempt.oauth?.app ?? null,
      attempt.oauth?.context ?? null,
      attempt.oauth?.stateHash ?? null,
      attempt.oauth?.sealedState ?? null,
      attempt.frameHash,
    ]),
  takeReturned: (db: Queryable, stateHash: Buffer, context: string, browserHash: Buffer) =>
    one(db, takeReturned, [stateHash, context, browserHash]),
  findByState: (db: Queryable, stateHash: Buffer, context: string, browserHash: Buffer) =>
    one(db, findByState, [stateHash, context, browserHash]),
  finish: (
    tx: Queryable,
    organizationId: string,
    attemptId: string,
    outcome: AttemptOutcome,
    reason: string | null = null,
  ) => tx.query(finishAttempt, [organizationId, attemptId, outcome, reason]),
  awaitSite: (tx: Queryable, organizationId: string, attemptId: string, sealedSites: Buffer) =>
    tx.query(awaitSite, [organizationId, attemptId, sealedSites]),
  /** Only for the browser that returned from the provider. */
  choosing: (
    db: Queryable,
    { organizationId, sessionId }: SessionKey,
    browserHash: Buffer,
    attemptId: string,
  ) => one(db, choosing, [organizationId, sessionId, browserHash, attemptId]),
  allChoosing: (db: Queryable, { organizationId, sessionId }: SessionKey, browserHash: Buffer) =>
    db.query(allChoosing, [organizationId, sessionId, browserHash]),
  /** `proof`: the value of the browser that completed the session, or of the framed page that started the attempt. */
  completedBy: (db: Queryable, { organizationId, sessionId }: SessionKey, proof: Buffer) =>
    one(db, completedBy, [organizationId, sessionId, proof]),
}
