import { one, type Queryable, statement } from '../../platform/database.ts'
import type { SessionKey } from './magic-link.ts'

export type AttemptOutcome = 'completed' | 'exited' | 'failed'

export type NewAttempt = {
  id: string
  connectorSlug: string
  browserHash: Buffer
  /** Of the framed page that it was started from. */
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
  sealed_verifier: Buffer
  view: string
}

const insertAttempt = statement<never>(
  'link_attempts.insert',
  `insert into link_attempts (organization_id, session_id, id, connector_slug, browser_hash, view, oauth_app, redirect_context,
     state_hash, sealed_verifier, frame_hash)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
)
// Single use, and only by the browser that started it: another one finds nothing, and takes nothing away.
const takeReturned = statement<ReturnedAttempt>(
  'link_attempts.take_returned',
  `update link_attempts set returned_at = app_now()
   where state_hash = $1 and redirect_context = $2 and browser_hash = $3 and returned_at is null
   returning organization_id, id, session_id, connector_slug, oauth_app, sealed_verifier, view`,
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
  `update link_attempts set outcome = $3, reason = $4, returned_at = coalesce(returned_at, app_now()), sealed_verifier = null
   where organization_id = $1 and id = $2`,
)
const completedHere = statement<{ connector_slug: string }>(
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
  /** `proof`: of the browser that completed it, or of the framed page that started the attempt. */
  completedHere: (db: Queryable, { organizationId, sessionId }: SessionKey, proof: Buffer) =>
    one(db, completedHere, [organizationId, sessionId, proof]),
}
