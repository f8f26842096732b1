import type { LinkBinding } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { columns } from '../../../platform/database/coalesce.ts'
import { one, type Parameter, type Queryable, statement } from '../../../platform/database/database.ts'
import type { Choices } from '../../connectors/catalog/tool-choice.ts'
import type { BrandRow } from '../../organizations/link-customization.ts'
import type { SessionFacts, SessionStatus } from './link-session.ts'
import type { SessionKey } from './magic-link.ts'

export type MintRow = {
  organizationId: string
  mode: Mode
  registeredUserId: string
  toolPackId: string | null
  connectorSlug: string | null
  callbackUrl: string | null
  callbackOrigin: string | null
  state: string | null
  /** Joined by spaces, which no scope contains, because `unnest` flattens nested arrays. */
  moreScopes: string | null
  sessionId: string
  secretHash: Buffer
}
/** The checks of one mint request. `expires_at` is set if and only if the session was inserted. */
export type MintResult = {
  user_active: boolean | null
  tool_pack_id: string | null
  in_pack: boolean
  origin_listed: boolean
  link_binding: LinkBinding
  expires_at: Date | null
}

const MINT_COLUMNS = [
  'organizationId',
  'mode',
  'registeredUserId',
  'toolPackId',
  'connectorSlug',
  'callbackUrl',
  'callbackOrigin',
  'state',
  'moreScopes',
  'sessionId',
  'secretHash',
] as const

// Checks and insert are one statement, so that no condition can change between them.
const mintSessions = statement<MintResult>(
  'link_sessions.mint',
  `with requested as (
     select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::uuid[], $11::bytea[]) with ordinality as t(organization_id, mode, user_id, pack_id, connector, callback_url, callback_origin, state,
       more_scopes, session_id, secret_hash, position)
   ), checked as (
     select a.*, u.is_active as user_active, p.id as tool_pack_id, o.link_binding,
       a.connector is null or p.connectors is null or a.connector = any(p.connectors) as in_pack,
       a.callback_origin is null or exists (
         select from callback_origins c where c.organization_id = a.organization_id and c.origin = a.callback_origin) as origin_listed
     from requested a
     join organizations o on o.id = a.organization_id
     left join registered_users u on u.organization_id = a.organization_id and u.id = a.user_id and u.mode = a.mode
     left join tool_packs p on p.organization_id = a.organization_id and (p.id = a.pack_id or (a.pack_id is null and p.is_default))
   ), minted as (
     insert into link_sessions (organization_id, id, registered_user_id, mode, tool_pack_id, locked_connector, callback_url,
       callback_origin, state, more_scopes, secret_hash, expires_at)
     select organization_id, session_id, user_id, mode, tool_pack_id, connector, callback_url, callback_origin, state,
       string_to_array(more_scopes, ' '), secret_hash, app_now() + make_interval(secs => $12)
     from checked
     where user_active and tool_pack_id is not null and in_pack and origin_listed and (link_binding <> 'code_only' or state is not null)
     returning id, expires_at
   )
   select j.user_active, j.tool_pack_id, j.in_pack, j.origin_listed, j.link_binding, m.expires_at
   from checked j left join minted m on m.id = j.session_id order by j.position`,
)

export type SessionRow = {
  organization_id: string
  id: string
  registered_user_id: string
  mode: Mode
  status: SessionStatus
  locked_connector: string | null
  connector_slug: string | null
  account: string | null
  callback_url: string | null
  callback_origin: string | null
  state: string | null
  minted_at: Date
  expires_at: Date
  opened_at: Date | null
  expired: boolean
  withdrawn: boolean
  /** A code was issued, and its credential is still pending: neither confirmed nor destroyed. */
  code_pending: boolean
  user_active: boolean
  ended_with_user: boolean
  origin_listed: boolean
  user_name: string | null
  organization_name: string
  /** The application's own ID of the user, and the email address if it is known. */
  user_id: string
  user_email: string | null
  link_binding: LinkBinding
  successor_of: string | null
  pack_connectors: string[] | null
  pack_choices: Choices | null
  /** The connectors that the user has linked, each with its account if that is known. */
  linked_accounts: Record<string, string | null>
  more_scopes: string[] | null
  /** The scopes that the user has granted to the locked connector. */
  granted_scopes: string[] | null
  /** The origins that may embed the session's page, receive its outcome as a message, and be redirected to with its result. */
  allowed_origins: string[]
  scopes: string[] | null
} & Pick<BrandRow, 'settings' | 'light_logo' | 'dark_logo'>

const SESSION = `
  select s.organization_id, s.id, s.registered_user_id, s.mode, s.status, s.locked_connector, s.connector_slug, s.account, s.callback_url,
    s.callback_origin, s.state, s.minted_at, s.expires_at, s.opened_at, s.scopes, s.more_scopes, b.settings, b.light_logo, b.dark_logo, s.expires_at <= app_now() as expired,
    s.state is null and o.link_binding = 'code_only' as withdrawn,
    s.code_hash is not null and exists (
      select from waiting_codes w where w.organization_id = s.organization_id and w.code_hash = s.code_hash) as code_pending,
    u.is_active as user_active, s.minted_at <= u.sessions_ended_at as ended_with_user,
    u.origin_user_name as user_name, u.origin_user_id as user_id, u.email as user_email, o.name as organization_name, o.link_binding,
    s.successor_of, p.choices as pack_choices, case when p.id is null then '{}' else p.connectors end as pack_connectors,
    s.callback_origin is null or exists (
      select from callback_origins c where c.organization_id = s.organization_id and c.origin = s.callback_origin) as origin_listed,
    (select coalesce(jsonb_object_agg(l.connector_slug, l.account), '{}') from linked_connectors l
      where l.organization_id = s.organization_id and l.registered_user_id = s.registered_user_id) as linked_accounts,
    (select g.scopes from granted_scopes g where s.more_scopes is not null and g.organization_id = s.organization_id
      and g.registered_user_id = s.registered_user_id and g.connector_slug = s.locked_connector) as granted_scopes,
    array(select c.origin from callback_origins c where c.organization_id = s.organization_id order by c.origin) as allowed_origins
  from link_sessions s
  left join link_brands b on b.organization_id = s.organization_id
  join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id
  join organizations o on o.id = s.organization_id
  left join tool_packs p on p.organization_id = s.organization_id and p.id = s.tool_pack_id`

const sessionBySecret = statement<SessionRow>(
  'link_sessions.by_secret',
  `${SESSION} where s.secret_hash = $1`,
)
const sessionByKey = statement<SessionRow>(
  'link_sessions.by_key',
  `${SESSION} where s.organization_id = $1 and s.id = $2`,
)

// User, Tool Pack and policy are checked again. A unique index allows at most one successor.
const startSuccessor = statement<{ id: string }>(
  'link_sessions.start_successor',
  `insert into link_sessions (organization_id, id, registered_user_id, mode, tool_pack_id, secret_hash, expires_at, successor_of)
   select s.organization_id, $3, s.registered_user_id, s.mode, p.id, $4, s.expires_at, s.id
   from link_sessions s
   join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id
   join organizations o on o.id = s.organization_id
   join tool_packs p on p.organization_id = s.organization_id and p.id = s.tool_pack_id
   where s.organization_id = $1 and s.id = $2 and s.status = 'completed' and s.locked_connector is null and s.callback_url is null
     and s.expires_at > app_now() and u.is_active and s.minted_at > u.sessions_ended_at and o.link_binding <> 'code_only'
   on conflict (organization_id, successor_of) where successor_of is not null do nothing
   returning id`,
)
const findSuccessor = statement<{ id: string }>(
  'link_sessions.successor',
  'select id from link_sessions where organization_id = $1 and successor_of = $2',
)
const markOpened = statement<{ first: true }>(
  'link_sessions.mark_opened',
  'update link_sessions set opened_at = app_now() where organization_id = $1 and id = $2 and opened_at is null returning true as first',
)
// The API-key form could be used to guess keys, so the number of checks per session is limited across all nodes.
const countKeyCheck = statement<{ allowed: true }>(
  'link_sessions.count_key_check',
  `update link_sessions set key_checks = key_checks + 1 where organization_id = $1 and id = $2 and key_checks < $3 and status = 'minted'
   returning true as allowed`,
)
// The WHERE clause lets only one of two concurrent attempts complete the session.
const completeSession = statement<CompletedRow>(
  'link_sessions.complete',
  `update link_sessions s set status = 'completed', completed_at = app_now(), connector_slug = $3, account = $4, scopes = $5
   from registered_users u
   where s.organization_id = $1 and s.id = $2 and s.status = 'minted' and u.organization_id = s.organization_id
     and u.id = s.registered_user_id and u.is_active and s.minted_at > u.sessions_ended_at
     and exists (select from organizations o where o.id = s.organization_id and o.link_binding <> 'code_only')
   returning s.minted_at, s.expires_at`,
)
const issueCode = statement<CompletedRow>(
  'link_sessions.issue_code',
  `update link_sessions s set status = 'code_issued', completed_at = app_now(), connector_slug = $3, account = $4, scopes = $5, code_hash = $6,
     code_expires_at = app_now() + make_interval(secs => $7)
   from registered_users u
   where s.organization_id = $1 and s.id = $2 and s.status = 'minted' and u.organization_id = s.organization_id
     and u.id = s.registered_user_id and u.is_active and s.minted_at > u.sessions_ended_at
   returning s.minted_at, s.code_expires_at as expires_at`,
)

/** The result of a completed session that may be shown to the application. */
type SessionResult = { connectorSlug: string; account: string | null; scopes: string[] }

/** When the session was minted, and when its pending credential expires. */
export type CompletedRow = { minted_at: Date; expires_at: Date }

export const keyOf = (session: SessionRow): SessionKey => ({
  organizationId: session.organization_id,
  sessionId: session.id,
})

export const factsOf = (row: SessionRow): SessionFacts => ({
  status: row.status,
  expired: row.expired,
  withdrawn: row.withdrawn,
  userActive: row.user_active,
  endedWithUser: row.ended_with_user,
  originListed: row.origin_listed,
})

export const linkSessionStore = {
  mint: (db: Queryable, rows: MintRow[], lifetimeSeconds: number) =>
    db.query(mintSessions, [...(columns(rows, MINT_COLUMNS) as Parameter[][]), lifetimeSeconds]),
  findBySecret: (db: Queryable, hash: Buffer) => one(db, sessionBySecret, [hash]),
  find: (db: Queryable, { organizationId, sessionId }: SessionKey) =>
    one(db, sessionByKey, [organizationId, sessionId]),
  startSuccessor: (
    db: Queryable,
    { organizationId, sessionId }: SessionKey,
    successor: { id: string; secretHash: Buffer },
  ) => one(db, startSuccessor, [organizationId, sessionId, successor.id, successor.secretHash]),
  findSuccessor: (db: Queryable, { organizationId, sessionId }: SessionKey) =>
    one(db, findSuccessor, [organizationId, sessionId]),
  markOpened: (tx: Queryable, { organizationId, sessionId }: SessionKey) =>
    one(tx, markOpened, [organizationId, sessionId]),
  countKeyCheck: (db: Queryable, { organizationId, sessionId }: SessionKey, most: number) =>
    one(db, countKeyCheck, [organizationId, sessionId, most]),
  complete: (tx: Queryable, { organizationId, sessionId }: SessionKey, result: SessionResult) =>
    one(tx, completeSession, [
      organizationId,
      sessionId,
      result.connectorSlug,
      result.account,
      result.scopes,
    ]),
  issueCode: (
    tx: Queryable,
    { organizationId, sessionId }: SessionKey,
    result: SessionResult,
    code: { hash: Buffer; lifetimeSeconds: number },
  ) =>
    one(tx, issueCode, [
      organizationId,
      sessionId,
      result.connectorSlug,
      result.account,
      result.scopes,
      code.hash,
      code.lifetimeSeconds,
    ]),
}
