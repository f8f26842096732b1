import type { LinkSession } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable, statement } from '../../../platform/database/database.ts'
import type { SessionStatus } from './link-session.ts'
import type { SessionKey } from './magic-link.ts'
import type { StateFacts } from './session-state.ts'

type StateRow = {
  status: SessionStatus
  expired: boolean
  withdrawn: boolean
  user_active: boolean
  ended_with_user: boolean
  origin_listed: boolean
  code_pending: boolean
  connector_slug: string | null
  scopes: string[] | null
  attempt_connector: string | null
  outcome: 'completed' | 'exited' | 'failed' | null
  reason: string | null
  returned_at: Date | null
}
export type SessionSummaryRow = StateRow & {
  id: string
  registered_user_id: string
  locked_connector: string | null
  minted_at: Date
  expires_at: Date
}

const STATE = `
  select s.id, s.registered_user_id, s.locked_connector, s.minted_at, s.expires_at, s.status, s.expires_at <= app_now() as expired,
    s.state is null and o.link_binding = 'code_only' as withdrawn,
    u.is_active as user_active, s.minted_at <= u.sessions_ended_at as ended_with_user,
    s.callback_origin is null or exists (
      select from callback_origins c where c.organization_id = s.organization_id and c.origin = s.callback_origin) as origin_listed,
    s.code_hash is not null and exists (
      select from waiting_codes w where w.organization_id = s.organization_id and w.code_hash = s.code_hash) as code_pending,
    s.connector_slug, s.scopes, a.connector_slug as attempt_connector, a.outcome, a.reason, a.returned_at
  from link_sessions s
  join organizations o on o.id = s.organization_id
  join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id
  left join lateral (
    select connector_slug, outcome, reason, returned_at from link_attempts
    where organization_id = s.organization_id and session_id = s.id order by started_at desc, id desc limit 1) a on true`

const stateOf = statement<StateRow>(
  'link_sessions.state',
  `${STATE} where s.organization_id = $1 and s.id = $2`,
)
const summaryOf = statement<SessionSummaryRow>(
  'link_sessions.summary',
  `${STATE} where s.organization_id = $1 and s.mode = $2 and s.id = $3`,
)
const summariesOf = statement<SessionSummaryRow>(
  'link_sessions.summaries',
  `${STATE} where s.organization_id = $1 and s.mode = $2 and s.registered_user_id = $3 and ($4::uuid is null or s.id < $4)
   order by s.id desc limit $5`,
)
export type StepRow = {
  session_id: string
  step: LinkSession['timeline'][number]['step']
  connector_slug: string | null
  reason: string | null
  at: Date
}
const timelines = statement<StepRow>(
  'link_timelines.of_sessions',
  `select session_id, step, connector_slug, reason, at from link_timelines
   where organization_id = $1 and session_id = any($2::uuid[]) order by at, rank`,
)

const userExists = statement<{ id: string }>(
  'link_sessions.user_exists',
  'select id from registered_users where organization_id = $1 and mode = $2 and id = $3',
)

/** Steps that are recorded nowhere else. */
export type Step = 'opened_by_scanner' | 'opened_by_person' | 'chosen' | 'cancelled' | 'renewal_requested'

// Repeated steps are recorded once a minute, and a session has at most 100, so that no link can fill the table.
const insertStep = statement<never>(
  'link_steps.insert',
  `insert into link_steps (organization_id, session_id, step, connector_slug)
   select $1, $2, $3, $4
   where not exists (select from link_steps where organization_id = $1 and session_id = $2 and step = $3
       and connector_slug is not distinct from $4 and at > app_now() - interval '1 minute')
     and (select count(*) from link_steps where organization_id = $1 and session_id = $2) < 100`,
)
// The WHERE clause allows one request per hour and session. No link can be minted for an inactive user.
const requestRenewal = statement<{ id: string }>(
  'link_sessions.request_renewal',
  `update link_sessions s set renewal_requested_at = app_now()
   where organization_id = $1 and id = $2
     and exists (select from registered_users u where u.organization_id = $1 and u.id = s.registered_user_id and u.is_active)
     and (renewal_requested_at is null or renewal_requested_at <= app_now() - interval '1 hour')
   returning id`,
)

export const stateFacts = (row: StateRow): StateFacts => ({
  status: row.status,
  expired: row.expired,
  withdrawn: row.withdrawn,
  userActive: row.user_active,
  endedWithUser: row.ended_with_user,
  originListed: row.origin_listed,
  codePending: row.code_pending,
  connectorSlug: row.connector_slug,
  scopes: row.scopes,
  attempt:
    row.attempt_connector === null
      ? null
      : {
          outcome: row.outcome,
          reason: row.reason,
          connector: row.attempt_connector,
          returnedAt: row.returned_at,
        },
})

type Owner = { organizationId: string; mode: Mode }

export const sessionStateStore = {
  find: async (db: Queryable, { organizationId, sessionId }: SessionKey): Promise<StateFacts | null> => {
    const row = await one(db, stateOf, [organizationId, sessionId])
    return row && stateFacts(row)
  },
  summary: (db: Queryable, { organizationId, mode }: Owner, sessionId: string) =>
    one(db, summaryOf, [organizationId, mode, sessionId]),
  summaries: (
    db: Queryable,
    { organizationId, mode }: Owner,
    registeredUserId: string,
    page: { before: string | null; limit: number },
  ) => db.query(summariesOf, [organizationId, mode, registeredUserId, page.before, page.limit]),
  userExists: (db: Queryable, { organizationId, mode }: Owner, id: string) =>
    one(db, userExists, [organizationId, mode, id]),
  timelines: (db: Queryable, organizationId: string, sessionIds: string[]) =>
    db.query(timelines, [organizationId, sessionIds]),
  recordStep: (
    db: Queryable,
    { organizationId, sessionId }: SessionKey,
    step: Step,
    connectorSlug: string | null = null,
  ) => db.query(insertStep, [organizationId, sessionId, step, connectorSlug]),
  requestRenewal: (tx: Queryable, { organizationId, sessionId }: SessionKey) =>
    one(tx, requestRenewal, [organizationId, sessionId]),
}
