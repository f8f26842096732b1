import type { OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  boolean,
  bytea,
  ensured,
  nullable,
  text,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
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
const returnedAttemptColumns = {
  organizationId: uuid,
  id: uuid,
  sessionId: uuid,
  connectorSlug: text,
  oauthApp: ensured(text),
  sealedState: ensured(bytea),
  view: text,
}
export type ReturnedAttempt = Values<typeof returnedAttemptColumns>
/** An attempt whose grant is pending until the person chooses a site. */
const choosingAttemptColumns = {
  id: uuid,
  connectorSlug: text,
  sealedState: ensured(bytea),
}
export type ChoosingAttempt = Values<typeof choosingAttemptColumns>

const insertAttempt = statement({
  name: 'link_attempts.insert',
  parameters: {
    organizationId: uuid,
    sessionId: uuid,
    id: uuid,
    connectorSlug: text,
    browserHash: bytea,
    view: text,
    app: nullable(text),
    context: nullable(text),
    stateHash: nullable(bytea),
    sealedState: nullable(bytea),
    frameHash: nullable(bytea),
  },
  sql: `insert into link_attempts (organization_id, session_id, id, connector_slug, browser_hash, view, oauth_app, redirect_context,
     state_hash, sealed_state, frame_hash)
   values (:organizationId, :sessionId, :id, :connectorSlug, :browserHash, :view, :app, :context, :stateHash,
     :sealedState, :frameHash)`,
})
// Single use, and only by the browser that started the attempt. A request from another browser, or while the organization is being
// moved, does not consume it.
const takeReturned = statement({
  name: 'link_attempts.take_returned',
  parameters: { stateHash: bytea, context: text, browserHash: bytea },
  columns: returnedAttemptColumns,
  sql: `update link_attempts set returned_at = app_now()
   where state_hash = :stateHash and redirect_context = :context and browser_hash = :browserHash and returned_at is null
     and exists (select from organizations o where o.id = organization_id and o.state = 'active')
   returning organization_id, id, session_id, connector_slug, oauth_app, sealed_state, view`,
})
const findByState = statement({
  name: 'link_attempts.find_by_state',
  parameters: { stateHash: bytea, context: text, browserHash: bytea },
  columns: {
    organizationId: uuid,
    organizationState: typed<OrganizationState>(text),
    sessionId: uuid,
    returned: boolean,
    sameBrowser: boolean,
    view: text,
  },
  sql: `select a.organization_id, o.state as organization_state, a.session_id, a.returned_at is not null as returned,
     a.browser_hash = :browserHash as same_browser, a.view
   from link_attempts a join organizations o on o.id = a.organization_id where state_hash = :stateHash and redirect_context = :context`,
})
const finishAttempt = statement({
  name: 'link_attempts.finish',
  parameters: { organizationId: uuid, attemptId: uuid, outcome: text, reason: nullable(text) },
  sql: `update link_attempts set outcome = :outcome, reason = :reason, returned_at = coalesce(returned_at, app_now()),
   sealed_state = null
   where organization_id = :organizationId and id = :attemptId`,
})
// The OAuth state is no longer needed after the code exchange, so the column now holds the list of sites.
const awaitSite = statement({
  name: 'link_attempts.await_site',
  parameters: { organizationId: uuid, attemptId: uuid, sealedSites: bytea },
  sql: `update link_attempts set awaits_site = true, sealed_state = :sealedSites
   where organization_id = :organizationId and id = :attemptId and outcome is null`,
})
const ofBrowser = (awaits: string) => `where organization_id = :organizationId and session_id = :sessionId
     and browser_hash = :browserHash and (${awaits}) and outcome is null`
// An API key has no state to return from.
const awaitAccount = statement({
  name: 'link_attempts.await_account',
  parameters: { organizationId: uuid, attemptId: uuid, serverId: nullable(uuid) },
  sql: `update link_attempts set awaits_account = true, server_id = :serverId, sealed_state = null,
     returned_at = coalesce(returned_at, app_now())
   where organization_id = :organizationId and id = :attemptId and outcome is null`,
})
const choosingAccount = statement({
  name: 'link_attempts.choosing_account',
  parameters: {
    organizationId: uuid,
    sessionId: uuid,
    browserHash: bytea,
    attemptId: uuid,
    grantKey: bytea,
  },
  columns: { connectorSlug: text, serverId: nullable(uuid), account: nullable(text) },
  sql: `select a.connector_slug, a.server_id, w.account
   from (select * from link_attempts ${ofBrowser('awaits_account')} and id = :attemptId) a
   join pending_codes w on w.organization_id = a.organization_id and w.code_hash = :grantKey`,
})
const choosing = statement({
  name: 'link_attempts.choosing',
  parameters: { organizationId: uuid, sessionId: uuid, browserHash: bytea, attemptId: uuid },
  columns: choosingAttemptColumns,
  sql: `select id, connector_slug, sealed_state from link_attempts ${ofBrowser('awaits_site and not awaits_account')}
     and id = :attemptId`,
})
const allChoosing = statement({
  name: 'link_attempts.all_choosing',
  parameters: { organizationId: uuid, sessionId: uuid, browserHash: bytea },
  columns: { id: uuid },
  sql: `select id from link_attempts ${ofBrowser('awaits_site or awaits_account')}`,
})
const completedBy = statement({
  name: 'link_attempts.completed_here',
  parameters: { organizationId: uuid, sessionId: uuid, proof: bytea },
  columns: { connectorSlug: text },
  sql: `select connector_slug from link_attempts
   where organization_id = :organizationId and session_id = :sessionId and :proof in (browser_hash, frame_hash)
     and outcome = 'completed' limit 1`,
})

export const attemptStore = {
  insert: (tx: Queryable, { organizationId, sessionId }: SessionKey, attempt: NewAttempt) =>
    tx.query(insertAttempt, {
      organizationId,
      sessionId,
      id: attempt.id,
      connectorSlug: attempt.connectorSlug,
      browserHash: attempt.browserHash,
      view: attempt.view,
      app: attempt.oauth?.app ?? null,
      context: attempt.oauth?.context ?? null,
      stateHash: attempt.oauth?.stateHash ?? null,
      sealedState: attempt.oauth?.sealedState ?? null,
      frameHash: attempt.frameHash,
    }),
  takeReturned: (db: Queryable, stateHash: Buffer, context: string, browserHash: Buffer) =>
    one(db, takeReturned, { stateHash, context, browserHash }),
  findByState: (db: Queryable, stateHash: Buffer, context: string, browserHash: Buffer) =>
    one(db, findByState, { stateHash, context, browserHash }),
  finish: (
    tx: Queryable,
    organizationId: string,
    attemptId: string,
    outcome: AttemptOutcome,
    reason: string | null = null,
  ) => tx.query(finishAttempt, { organizationId, attemptId, outcome, reason }),
  awaitSite: (tx: Queryable, organizationId: string, attemptId: string, sealedSites: Buffer) =>
    tx.query(awaitSite, { organizationId, attemptId, sealedSites }),
  awaitAccount: (tx: Queryable, organizationId: string, attemptId: string, serverId: string | null) =>
    tx.query(awaitAccount, { organizationId, attemptId, serverId }),
  /** Only for the browser that made the attempt. Null if its grant was taken or has expired. */
  choosingAccount: (
    db: Queryable,
    { organizationId, sessionId }: SessionKey,
    { browserHash, attemptId, grantKey }: { browserHash: Buffer; attemptId: string; grantKey: Buffer },
  ) => one(db, choosingAccount, { organizationId, sessionId, browserHash, attemptId, grantKey }),
  /** Only for the browser that returned from the provider. */
  choosing: (
    db: Queryable,
    { organizationId, sessionId }: SessionKey,
    browserHash: Buffer,
    attemptId: string,
  ) => one(db, choosing, { organizationId, sessionId, browserHash, attemptId }),
  allChoosing: (db: Queryable, { organizationId, sessionId }: SessionKey, browserHash: Buffer) =>
    db.query(allChoosing, { organizationId, sessionId, browserHash }),
  /** `proof`: the value of the browser that completed the session, or of the framed page that started the attempt. */
  completedBy: (db: Queryable, { organizationId, sessionId }: SessionKey, proof: Buffer) =>
    one(db, completedBy, { organizationId, sessionId, proof }),
}
