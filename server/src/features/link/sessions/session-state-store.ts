import type { LinkSession } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import {
  array,
  bigint,
  boolean,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { listStatement, statement } from '../../../platform/database/statement.ts'
import type { SessionFacts, SessionStatus } from './link-session.ts'
import type { SessionKey } from './magic-link.ts'
import type { StateFacts } from './session-state.ts'

export const factColumns = {
  status: typed<SessionStatus>(text),
  expired: boolean,
  withdrawn: boolean,
  userActive: boolean,
  endedWithUser: boolean,
  originListed: boolean,
}

/** The expressions of `factColumns`, and `code_pending`, for a session `s`, its user `u` and its organization `o`. */
export const FACTS = `s.status, s.expires_at <= app_now() as expired,
    s.state is null and o.link_binding = 'code_only' as withdrawn,
    u.is_active as user_active, s.minted_at <= u.sessions_ended_at as ended_with_user,
    s.callback_origin is null or exists (
      select from callback_origins c where c.organization_id = s.organization_id and c.origin = s.callback_origin) as origin_listed,
    s.code_hash is not null and exists (
      select from pending_codes w where w.organization_id = s.organization_id and w.code_hash = s.code_hash) as code_pending`

export const factsOf = (row: SessionFacts): SessionFacts => ({
  status: row.status,
  expired: row.expired,
  withdrawn: row.withdrawn,
  userActive: row.userActive,
  endedWithUser: row.endedWithUser,
  originListed: row.originListed,
})

const stateColumns = {
  ...factColumns,
  codePending: boolean,
  connectorSlug: nullable(text),
  scopes: nullable(array(text)),
  attemptConnector: nullable(text),
  outcome: nullable(typed<'completed' | 'exited' | 'failed'>(text)),
  reason: nullable(text),
  returnedAt: nullable(timestamptz),
}
type StateRow = Values<typeof stateColumns>
const sessionSummaryColumns = {
  ...stateColumns,
  id: uuid,
  registeredUserId: uuid,
  lockedConnector: nullable(text),
  mintedAt: timestamptz,
  expiresAt: timestamptz,
}
export type SessionSummary = Values<typeof sessionSummaryColumns>

const STATE = `
  select s.id, s.registered_user_id, s.locked_connector, s.minted_at, s.expires_at, ${FACTS},
    s.connector_slug, s.scopes, a.connector_slug as attempt_connector, a.outcome, a.reason, a.returned_at
  from link_sessions s
  join organizations o on o.id = s.organization_id
  join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id
  left join lateral (
    select connector_slug, outcome, reason, returned_at from link_attempts
    where organization_id = s.organization_id and session_id = s.id order by started_at desc, id desc limit 1) a on true`

// Null if the organization is not served, which ends its streams.
const stateOf = statement({
  name: 'link_sessions.state',
  parameters: { organizationId: uuid, sessionId: uuid },
  columns: stateColumns,
  sql: `${STATE} where s.organization_id = :organizationId and s.id = :sessionId and o.state = 'active'`,
})
const summaryOf = statement({
  name: 'link_sessions.summary',
  parameters: { organizationId: uuid, mode: text, sessionId: uuid },
  columns: sessionSummaryColumns,
  sql: `${STATE} where s.organization_id = :organizationId and s.mode = :mode and s.id = :sessionId`,
})
const summariesOf = listStatement({
  name: 'link_sessions.summaries',
  parameters: {
    organizationId: uuid,
    mode: text,
    registeredUserId: uuid,
    before: nullable(uuid),
    limit: bigint,
  },
  columns: sessionSummaryColumns,
  sql: `${STATE} where s.organization_id = :organizationId and s.mode = :mode
   and s.registered_user_id = :registeredUserId and (:before::uuid is null or s.id < :before)
   order by s.id desc limit :limit`,
})
const stepColumns = {
  sessionId: uuid,
  step: typed<LinkSession['timeline'][number]['step']>(text),
  connectorSlug: nullable(text),
  reason: nullable(text),
  at: timestamptz,
}
export type TimelineStep = Values<typeof stepColumns>
const timelines = listStatement({
  name: 'link_timelines.of_sessions',
  parameters: { organizationId: uuid, sessionIds: array(uuid) },
  columns: stepColumns,
  sql: `select session_id, step, connector_slug, reason, at from link_timelines
   where organization_id = :organizationId and session_id = any(:sessionIds::uuid[]) order by at, rank`,
})

const userExists = statement({
  name: 'link_sessions.user_exists',
  parameters: { organizationId: uuid, mode: text, id: uuid },
  columns: { id: uuid },
  sql: 'select id from registered_users where organization_id = :organizationId and mode = :mode and id = :id',
})

/** Steps that are recorded nowhere else. */
export type Step = 'opened_by_scanner' | 'opened_by_person' | 'chosen' | 'cancelled' | 'renewal_requested'

// Repeated steps are recorded once a minute, and a session has at most 100, so that no link can fill the table.
const insertStep = statement({
  name: 'link_steps.insert',
  parameters: { organizationId: uuid, sessionId: uuid, step: text, connectorSlug: nullable(text) },
  sql: `insert into link_steps (organization_id, session_id, step, connector_slug)
   select :organizationId, :sessionId, :step, :connectorSlug
   where not exists (select from link_steps where organization_id = :organizationId and session_id = :sessionId and step = :step
       and connector_slug is not distinct from :connectorSlug and at > app_now() - interval '1 minute')
     and (select count(*) from link_steps where organization_id = :organizationId and session_id = :sessionId) < 100`,
})
// The WHERE clause allows one request per hour and session. No link can be minted for an inactive user.
const requestRenewal = statement({
  name: 'link_sessions.request_renewal',
  parameters: { organizationId: uuid, sessionId: uuid },
  columns: { id: uuid },
  sql: `update link_sessions s set renewal_requested_at = app_now()
   where organization_id = :organizationId and id = :sessionId
     and exists (select from registered_users u where u.organization_id = :organizationId
       and u.id = s.registered_user_id and u.is_active)
     and (renewal_requested_at is null or renewal_requested_at <= app_now() - interval '1 hour')
   returning id`,
})

export const stateFacts = (row: StateRow): StateFacts => ({
  ...factsOf(row),
  codePending: row.codePending,
  connectorSlug: row.connectorSlug,
  scopes: row.scopes,
  attempt:
    row.attemptConnector === null
      ? null
      : {
          outcome: row.outcome,
          reason: row.reason,
          connector: row.attemptConnector,
          returnedAt: row.returnedAt,
        },
})

// In code mode, a session keeps the status `code_issued` after its code is confirmed.
const selectRequestedScopes = statement({
  name: 'link_sessions.latest_requested_scopes',
  parameters: {
    organizationId: uuid,
    registeredUserId: uuid,
    connectorSlug: text,
    credentialId: nullable(uuid),
  },
  columns: { moreScopes: nullable(array(text)) },
  sql: `select case when s.scopes_reason = 'lacking' then s.more_scopes end as more_scopes from link_sessions s
   where s.organization_id = :organizationId and s.registered_user_id = :registeredUserId and s.connector_slug = :connectorSlug
     and (s.credential_id is null or s.credential_id = :credentialId)
     and (s.status = 'completed' or s.status = 'code_issued' and not exists (
       select from pending_codes w where w.organization_id = s.organization_id and w.code_hash = s.code_hash))
   order by s.completed_at desc limit 1`,
})

type Owner = { organizationId: string; mode: Mode }

export const sessionStateStore = {
  find: async (db: Queryable, { organizationId, sessionId }: SessionKey): Promise<StateFacts | null> => {
    const row = await one(db, stateOf, { organizationId, sessionId })
    return row && stateFacts(row)
  },
  summary: (db: Queryable, { organizationId, mode }: Owner, sessionId: string) =>
    one(db, summaryOf, { organizationId, mode, sessionId }),
  summaries: (
    lists: ReadDatabase,
    { organizationId, mode }: Owner,
    registeredUserId: string,
    page: { before: string | null; limit: number },
  ) =>
    lists.read(summariesOf, {
      organizationId,
      mode,
      registeredUserId,
      before: page.before,
      limit: page.limit,
    }),
  userExists: (db: Queryable, { organizationId, mode }: Owner, id: string) =>
    one(db, userExists, { organizationId, mode, id }),
  timelines: (lists: ReadDatabase, organizationId: string, sessionIds: string[]) =>
    lists.read(timelines, { organizationId, sessionIds }),
  recordStep: (
    db: Queryable,
    { organizationId, sessionId }: SessionKey,
    step: Step,
    connectorSlug: string | null = null,
  ) => db.query(insertStep, { organizationId, sessionId, step, connectorSlug }),
  requestRenewal: (tx: Queryable, sessionKey: SessionKey) => one(tx, requestRenewal, sessionKey),
  /** The scopes that the latest completed session of this user and connector requested. */
  latestRequestedScopes: (
    db: Queryable,
    organizationId: string,
    registeredUserId: string,
    connectorSlug: string,
    credentialId: string | null,
  ) => one(db, selectRequestedScopes, { organizationId, registeredUserId, connectorSlug, credentialId }),
}
