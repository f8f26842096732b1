import type { LinkBinding } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import type { OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  boolean,
  bytea,
  double,
  ensured,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { Choices } from '../../connectors/catalog/tool-choice.ts'
import type { ScopesReason } from '../../connectors/link-scopes.ts'
import type { Settings } from '../../organizations/link-customization.ts'
import type { SessionFacts, SessionGrant, SessionProgress } from './link-session.ts'
import type { SessionKey } from './magic-link.ts'
import type { AccountChoice } from './mint-session-store.ts'
import { FACTS, factColumns, factsOf } from './session-state-store.ts'

const sessionColumns = {
  organizationId: uuid,
  organizationState: typed<OrganizationState>(text),
  id: uuid,
  registeredUserId: uuid,
  mode: typed<Mode>(text),
  lockedConnector: nullable(text),
  callbackUrl: nullable(text),
  state: nullable(text),
  mintedAt: timestamptz,
  expiresAt: timestamptz,
  linkBinding: typed<LinkBinding>(text),
  successorOf: nullable(uuid),
  /** The connectors that the user has linked, each with its account if that is known. */
  linkedAccounts: typed<Record<string, string | null>>(jsonb),
  moreScopes: nullable(array(text)),
  scopesReason: nullable(typed<ScopesReason>(text)),
  /** The credential to reconnect or to replace. */
  credentialId: nullable(uuid),
  accountChoice: typed<AccountChoice>(text),
  accountLabel: nullable(text),
  /** Whether others may use the credential to reconnect or to replace. */
  isShared: boolean,
  /** The scopes that the user has granted to the locked connector, unless the session adds an account. */
  grantedScopes: nullable(array(text)),
  /** The origins that may embed the session's page, receive its outcome as a message, and be redirected to with its result. */
  allowedOrigins: array(text),
  settings: nullable(typed<Settings>(jsonb)),
  lightLogo: nullable(text),
  darkLogo: nullable(text),
}
const grantColumns = {
  connectorSlug: nullable(text),
  account: nullable(text),
  scopes: nullable(array(text)),
  codePending: boolean,
}
const ownerColumns = {
  originUserId: text,
  originUserName: nullable(text),
  userEmail: nullable(text),
  organizationName: text,
  packConnectors: nullable(array(text)),
  packChoices: nullable(typed<Choices>(jsonb)),
}
const sessionRowColumns = { ...sessionColumns, ...factColumns, ...grantColumns, ...ownerColumns }
type SessionRow = Values<typeof sessionRowColumns>

export type StoredSession = Values<typeof sessionColumns> & {
  facts: SessionFacts
  progress: SessionProgress
  /** `id`: the application's own ID of the user. */
  user: { id: string; name: string | null; email: string | null }
  organization: { name: string }
  /** `connectors`: null for every connector. */
  pack: { connectors: string[] | null; choices: Choices }
}

const toSession = (row: SessionRow): StoredSession => ({
  ...row,
  facts: factsOf(row),
  progress: progressOf(row),
  user: { id: row.originUserId, name: row.originUserName, email: row.userEmail },
  organization: { name: row.organizationName },
  pack: { connectors: row.packConnectors, choices: row.packChoices ?? {} },
})

const progressOf = ({
  id,
  status,
  connectorSlug,
  account,
  scopes,
  codePending,
}: SessionRow): SessionProgress => {
  if (status === 'minted') return { status }
  if (connectorSlug === null) throw new Error(`the session ${id} is ${status} without a connector`)
  const grant = { connectorSlug, account, scopes: scopes ?? [] }
  return status === 'code_issued' ? { status, grant, codePending } : { status, grant }
}

const SESSION = `
  select s.organization_id, o.state as organization_state, s.id, s.registered_user_id, s.mode, s.locked_connector, s.connector_slug, s.account,
    s.callback_url, s.state, s.minted_at, s.expires_at, s.scopes, s.more_scopes, s.scopes_reason, s.credential_id, s.account_choice, s.account_label, s.successor_of, ${FACTS},
    b.settings, b.light_logo, b.dark_logo, u.origin_user_name, u.origin_user_id, u.email as user_email,
    o.name as organization_name, o.link_binding,
    p.choices as pack_choices, case when p.id is null then '{}' else p.connectors end as pack_connectors,
    (select coalesce(jsonb_object_agg(l.connector_slug, l.accounts), '{}') from (
      select connector_slug, string_agg(account, ', ' order by account) as accounts from linked_connectors l
      where l.organization_id = s.organization_id and l.registered_user_id = s.registered_user_id group by connector_slug) l) as linked_accounts,
    (select g.scopes from linked_accounts g where s.more_scopes is not null and s.account_choice <> 'add' and g.organization_id = s.organization_id
      and g.registered_user_id = s.registered_user_id and g.connector_slug = s.locked_connector
      order by g.id is not distinct from s.credential_id desc, g.updated_at desc limit 1) as granted_scopes,
    exists (select from credential_shares x where x.organization_id = s.organization_id and x.credential_id = s.credential_id) as is_shared,
    array(select c.origin from callback_origins c where c.organization_id = s.organization_id order by c.origin) as allowed_origins
  from link_sessions s
  left join link_brands b on b.organization_id = s.organization_id
  join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id
  join organizations o on o.id = s.organization_id
  left join tool_packs p on p.organization_id = s.organization_id and p.id = s.tool_pack_id`

const sessionBySecret = statement({
  name: 'link_sessions.by_secret',
  parameters: { hash: bytea },
  columns: sessionRowColumns,
  sql: `${SESSION} where s.secret_hash = :hash`,
})
const sessionByKey = statement({
  name: 'link_sessions.by_key',
  parameters: { organizationId: uuid, sessionId: uuid },
  columns: sessionRowColumns,
  sql: `${SESSION} where s.organization_id = :organizationId and s.id = :sessionId`,
})

// User, Tool Pack and policy are checked again. A unique index allows at most one successor.
const startSuccessor = statement({
  name: 'link_sessions.start_successor',
  parameters: { organizationId: uuid, sessionId: uuid, id: uuid, secretHash: bytea },
  columns: { id: uuid },
  sql: `insert into link_sessions (organization_id, id, registered_user_id, mode, tool_pack_id, secret_hash, expires_at,
   successor_of)
   select s.organization_id, :id, s.registered_user_id, s.mode, p.id, :secretHash, s.expires_at, s.id
   from link_sessions s
   join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id
   join organizations o on o.id = s.organization_id
   join tool_packs p on p.organization_id = s.organization_id and p.id = s.tool_pack_id
   where s.organization_id = :organizationId and s.id = :sessionId and s.status = 'completed'
     and s.locked_connector is null and s.callback_url is null
     and s.expires_at > app_now() and u.is_active and s.minted_at > u.sessions_ended_at and o.link_binding <> 'code_only'
   on conflict (organization_id, successor_of) where successor_of is not null do nothing
   returning id`,
})
const findSuccessor = statement({
  name: 'link_sessions.successor',
  parameters: { organizationId: uuid, sessionId: uuid },
  columns: { id: uuid },
  sql: 'select id from link_sessions where organization_id = :organizationId and successor_of = :sessionId',
})
const markOpened = statement({
  name: 'link_sessions.mark_opened',
  parameters: { organizationId: uuid, sessionId: uuid },
  columns: { first: typed<true>(boolean) },
  sql: `update link_sessions set opened_at = app_now() where organization_id = :organizationId and id = :sessionId
   and opened_at is null returning true as first`,
})
// The API-key form could be used to guess keys, so the number of checks per session is limited across all nodes.
const countKeyCheck = statement({
  name: 'link_sessions.count_key_check',
  parameters: { organizationId: uuid, sessionId: uuid, most: integer },
  columns: { allowed: typed<true>(boolean) },
  sql: `update link_sessions set key_checks = key_checks + 1 where organization_id = :organizationId and id = :sessionId
   and key_checks < :most and status = 'minted'
   returning true as allowed`,
})
/** When the session was minted, and when its pending credential expires. */
const sessionTimesColumns = { mintedAt: timestamptz, expiresAt: ensured(timestamptz) }
export type SessionTimes = Values<typeof sessionTimesColumns>

// The lock delays a change of the pack until the credential is stored.
const holdPack = statement({
  name: 'link_sessions.hold_pack',
  parameters: { organizationId: uuid, sessionId: uuid, connectorSlug: text },
  columns: { id: uuid },
  sql: `select p.id from link_sessions s join tool_packs p on p.organization_id = s.organization_id and p.id = s.tool_pack_id
   where s.organization_id = :organizationId and s.id = :sessionId and (p.connectors is null or :connectorSlug = any(p.connectors))
   for share of p`,
})
// The WHERE clause lets only one of two concurrent attempts complete the session.
const completeSession = statement({
  name: 'link_sessions.complete',
  parameters: {
    organizationId: uuid,
    sessionId: uuid,
    connectorSlug: text,
    account: nullable(text),
    scopes: array(text),
  },
  columns: sessionTimesColumns,
  sql: `update link_sessions s set status = 'completed', completed_at = app_now(), connector_slug = :connectorSlug,
   account = :account, scopes = :scopes
   from registered_users u
   where s.organization_id = :organizationId and s.id = :sessionId and s.status = 'minted' and u.organization_id = s.organization_id
     and u.id = s.registered_user_id and u.is_active and s.minted_at > u.sessions_ended_at
     and exists (select from organizations o where o.id = s.organization_id and o.link_binding <> 'code_only')
   returning s.minted_at, s.expires_at`,
})
const issueCode = statement({
  name: 'link_sessions.issue_code',
  parameters: {
    organizationId: uuid,
    sessionId: uuid,
    connectorSlug: text,
    account: nullable(text),
    scopes: array(text),
    hash: bytea,
    lifetimeSeconds: double,
  },
  columns: sessionTimesColumns,
  sql: `update link_sessions s set status = 'code_issued', completed_at = app_now(), connector_slug = :connectorSlug,
   account = :account, scopes = :scopes, code_hash = :hash,
     code_expires_at = app_now() + make_interval(secs => :lifetimeSeconds)
   from registered_users u
   where s.organization_id = :organizationId and s.id = :sessionId and s.status = 'minted' and u.organization_id = s.organization_id
     and u.id = s.registered_user_id and u.is_active and s.minted_at > u.sessions_ended_at
   returning s.minted_at, s.code_expires_at as expires_at`,
})

export const keyOf = (session: StoredSession): SessionKey => ({
  organizationId: session.organizationId,
  sessionId: session.id,
})

export const linkSessionStore = {
  findBySecret: async (db: Queryable, hash: Buffer): Promise<StoredSession | null> => {
    const row = await one(db, sessionBySecret, { hash })
    return row && toSession(row)
  },
  find: async (db: Queryable, key: SessionKey): Promise<StoredSession | null> => {
    const row = await one(db, sessionByKey, key)
    return row && toSession(row)
  },
  startSuccessor: (
    db: Queryable,
    { organizationId, sessionId }: SessionKey,
    successor: { id: string; secretHash: Buffer },
  ) =>
    one(db, startSuccessor, {
      organizationId,
      sessionId,
      id: successor.id,
      secretHash: successor.secretHash,
    }),
  findSuccessor: (db: Queryable, sessionKey: SessionKey) => one(db, findSuccessor, sessionKey),
  markOpened: (tx: Queryable, sessionKey: SessionKey) => one(tx, markOpened, sessionKey),
  countKeyCheck: (db: Queryable, { organizationId, sessionId }: SessionKey, most: number) =>
    one(db, countKeyCheck, { organizationId, sessionId, most }),
  /** Null if the session's Tool Pack was deleted, or does not contain the connector any more. */
  holdPack: (tx: Queryable, { organizationId, sessionId }: SessionKey, connectorSlug: string) =>
    one(tx, holdPack, { organizationId, sessionId, connectorSlug }),
  complete: (tx: Queryable, { organizationId, sessionId }: SessionKey, result: SessionGrant) =>
    one(tx, completeSession, {
      organizationId,
      sessionId,
      connectorSlug: result.connectorSlug,
      account: result.account,
      scopes: result.scopes,
    }),
  issueCode: (
    tx: Queryable,
    { organizationId, sessionId }: SessionKey,
    result: SessionGrant,
    code: { hash: Buffer; lifetimeSeconds: number },
  ) =>
    one(tx, issueCode, {
      organizationId,
      sessionId,
      connectorSlug: result.connectorSlug,
      account: result.account,
      scopes: result.scopes,
      hash: code.hash,
      lifetimeSeconds: code.lifetimeSeconds,
    }),
}
