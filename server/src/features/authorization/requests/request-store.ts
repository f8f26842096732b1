import type { SignInRejection } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import type { OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  bigint,
  boolean,
  bytea,
  double,
  jsonb,
  nullable,
  text,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { Settings } from '../../organizations/link-customization.ts'
import type { PageOwner } from '../../pages/page-response.ts'

export type RequestKey = { organizationId: string; id: string }

const targetColumns = {
  organizationId: uuid,
  organizationName: text,
  organizationState: typed<OrganizationState>(text),
  toolPackId: uuid,
  packName: text,
  isDefaultPack: boolean,
  mode: typed<Mode>(text),
}
/** The MCP endpoint of a Tool Pack that allows sign-in, in one mode. */
export type Target = Values<typeof targetColumns>

const TARGETS = `select o.id as organization_id, o.name as organization_name, o.state as organization_state, p.id as tool_pack_id,
     p.name as pack_name, p.is_default as is_default_pack, s.mode
   from organizations o
   join sign_in_settings s on s.organization_id = o.id
   join tool_pack_names p on p.organization_id = o.id and (s.tool_pack_ids is null or p.id = any(s.tool_pack_ids))`

const findTarget = statement({
  name: 'sign_in_requests.target',
  parameters: { routingCode: text, toolPackId: uuid, mode: text },
  columns: targetColumns,
  sql: `${TARGETS} where o.routing_code = :routingCode and p.id = :toolPackId and s.mode = :mode`,
})
const findTargets = statement({
  name: 'sign_in_requests.targets',
  parameters: { organizationId: uuid, limit: bigint },
  columns: targetColumns,
  sql: `${TARGETS} where o.id = :organizationId limit :limit`,
})

const requestColumns = {
  organizationId: uuid,
  organizationState: typed<OrganizationState>(text),
  organizationName: text,
  id: uuid,
  mode: typed<Mode>(text),
  toolPackId: uuid,
  packName: nullable(text),
  clientId: text,
  clientName: text,
  redirectUri: text,
  state: nullable(text),
  browserHash: bytea,
  expired: boolean,
  rejection: nullable(typed<SignInRejection>(text)),
  registeredUserId: nullable(uuid),
  originUserId: nullable(text),
  originUserName: nullable(text),
  userEmail: nullable(text),
  userActive: nullable(boolean),
  settings: nullable(typed<Settings>(jsonb)),
  lightLogo: nullable(text),
  darkLogo: nullable(text),
}

export type StoredRequest = PageOwner &
  Pick<
    Values<typeof requestColumns>,
    | 'id'
    | 'organizationState'
    | 'toolPackId'
    | 'packName'
    | 'clientId'
    | 'clientName'
    | 'redirectUri'
    | 'state'
    | 'browserHash'
    | 'expired'
    | 'rejection'
    | 'registeredUserId'
    | 'userActive'
  >

const toRequest = (row: Values<typeof requestColumns>): StoredRequest => ({
  ...row,
  organization: { name: row.organizationName },
  user: { id: row.originUserId ?? '', name: row.originUserName, email: row.userEmail },
  allowedOrigins: [],
  callbackUrl: row.redirectUri,
})

const selectRequest = statement({
  name: 'sign_in_requests.find',
  parameters: { organizationId: uuid, id: uuid },
  columns: requestColumns,
  sql: `select r.organization_id, o.state as organization_state, o.name as organization_name, r.id, r.mode, r.tool_pack_id,
     p.name as pack_name, r.client_id, r.client_name, r.redirect_uri, r.state, r.browser_hash, r.expires_at <= app_now() as expired,
     r.rejection, r.registered_user_id, u.origin_user_id, u.origin_user_name, u.email as user_email, u.is_active as user_active,
     b.settings, b.light_logo, b.dark_logo
   from sign_in_requests r
   join organizations o on o.id = r.organization_id
   left join link_brands b on b.organization_id = r.organization_id
   left join tool_pack_names p on p.organization_id = r.organization_id and p.id = r.tool_pack_id
   left join registered_users u on u.organization_id = r.organization_id and u.id = r.registered_user_id
   where r.organization_id = :organizationId and r.id = :id`,
})
const insertRequest = statement({
  name: 'sign_in_requests.insert',
  parameters: {
    organizationId: uuid,
    id: uuid,
    mode: text,
    toolPackId: uuid,
    clientId: text,
    clientName: text,
    redirectUri: text,
    state: nullable(text),
    codeChallenge: text,
    browserHash: bytea,
    networkHash: bytea,
    lifetimeSeconds: double,
    maxOpen: bigint,
  },
  columns: { id: uuid },
  sql: `insert into sign_in_requests (organization_id, id, mode, tool_pack_id, client_id, client_name, redirect_uri, state,
     code_challenge, browser_hash, network_hash, expires_at)
   select :organizationId, :id, :mode, :toolPackId, :clientId, :clientName, :redirectUri, :state, :codeChallenge, :browserHash,
     :networkHash, app_now() + make_interval(secs => :lifetimeSeconds)
   where (select count(*) from sign_in_requests r
     where r.organization_id = :organizationId and r.network_hash = :networkHash and r.expires_at > app_now()) < :maxOpen
   returning id`,
})
// The provider sends each browser back once, and only the browser that started the request.
const markReturned = statement({
  name: 'sign_in_requests.return',
  parameters: { organizationId: uuid, id: uuid, mode: text, browserHash: bytea },
  columns: { id: uuid },
  sql: `update sign_in_requests set returned_at = app_now()
   where organization_id = :organizationId and id = :id and mode = :mode and browser_hash = :browserHash
     and returned_at is null and registered_user_id is null and rejection is null and expires_at > app_now()
   returning id`,
})
const identifyUser = statement({
  name: 'sign_in_requests.identify',
  parameters: { organizationId: uuid, id: uuid, registeredUserId: uuid },
  columns: { id: uuid },
  sql: `update sign_in_requests r set registered_user_id = u.id from registered_users u
   where r.organization_id = :organizationId and r.id = :id and r.registered_user_id is null and r.expires_at > app_now()
     and u.organization_id = r.organization_id and u.mode = r.mode and u.id = :registeredUserId and u.is_active
   returning r.id`,
})
const rejectRequest = statement({
  name: 'sign_in_requests.reject',
  parameters: { organizationId: uuid, id: uuid, rejection: text },
  columns: { id: uuid },
  sql: `update sign_in_requests set rejection = :rejection
   where organization_id = :organizationId and id = :id and registered_user_id is null and rejection is null and expires_at > app_now()
   returning id`,
})
// A second approval replaces the first one, whose link then does not work.
const proposeUser = statement({
  name: 'sign_in_requests.propose',
  parameters: { organizationId: uuid, mode: text, id: uuid, registeredUserId: uuid, continueHash: bytea },
  columns: { id: uuid },
  sql: `update sign_in_requests r set proposed_user_id = u.id, continue_hash = :continueHash
   from registered_users u, sign_in_settings s
   where r.organization_id = :organizationId and r.mode = :mode and r.id = :id and r.registered_user_id is null
     and r.expires_at > app_now() and u.organization_id = r.organization_id and u.mode = r.mode and u.id = :registeredUserId
     and u.is_active and s.organization_id = r.organization_id and s.mode = r.mode and s.sign_in_url is not null
   returning r.id`,
})
// Single use: the hash is removed. Without the cookie of the browser that has started, the link does nothing.
const continueRequest = statement({
  name: 'sign_in_requests.continue',
  parameters: { organizationId: uuid, id: uuid, continueHash: bytea, browserHash: bytea },
  columns: { id: uuid },
  sql: `update sign_in_requests set registered_user_id = proposed_user_id, continue_hash = null
   where organization_id = :organizationId and id = :id and continue_hash = :continueHash and browser_hash = :browserHash
     and registered_user_id is null and expires_at > app_now()
   returning id`,
})
const endedColumns = {
  registeredUserId: nullable(uuid),
  rejection: nullable(typed<SignInRejection>(text)),
  toolPackId: uuid,
  clientId: text,
  clientName: text,
  redirectUri: text,
  state: nullable(text),
  codeChallenge: text,
}
// Single use: a decision deletes the request.
const takeRequest = statement({
  name: 'sign_in_requests.take',
  parameters: { organizationId: uuid, id: uuid, browserHash: bytea },
  columns: endedColumns,
  sql: `delete from sign_in_requests where organization_id = :organizationId and id = :id and browser_hash = :browserHash
     and (registered_user_id is not null or rejection is not null) and expires_at > app_now()
   returning registered_user_id, rejection, tool_pack_id, client_id, client_name, redirect_uri, state, code_challenge`,
})
const deleteExpired = statement({
  name: 'sign_in_requests.delete_expired',
  sql: `delete from sign_in_requests where expires_at <= app_now()
   and organization_id not in (select id from unserved_organizations)`,
})

export type NewRequest = {
  organizationId: string
  id: string
  mode: Mode
  toolPackId: string
  clientId: string
  clientName: string
  redirectUri: string
  state: string | null
  codeChallenge: string
  browserHash: Buffer
  networkHash: Buffer
}

export const requestStore = {
  /** Null if there is no such pack, or it does not allow sign-in. */
  findTarget: (db: Queryable, pack: { routingCode: string; toolPackId: string; mode: Mode }) =>
    one(db, findTarget, pack),
  /** Null if the organization has none, or several. */
  findOnlyTarget: async (db: Queryable, organizationId: string): Promise<Target | null> => {
    const [only, second] = await db.query(findTargets, { organizationId, limit: 2 })
    return only && !second ? only : null
  },
  find: async (db: Queryable, { organizationId, id }: RequestKey): Promise<StoredRequest | null> => {
    const row = await one(db, selectRequest, { organizationId, id })
    return row && toRequest(row)
  },
  /** False if the network has too many open requests. */
  insert: async (
    db: Queryable,
    request: NewRequest,
    limits: { lifetimeSeconds: number; maxOpen: number },
  ): Promise<boolean> => (await one(db, insertRequest, { ...request, ...limits })) !== null,
  markReturned: async (db: Queryable, key: RequestKey, mode: Mode, browserHash: Buffer): Promise<boolean> =>
    (await one(db, markReturned, { ...key, mode, browserHash })) !== null,
  /** False if the user is inactive, or the request has ended. */
  identify: async (db: Queryable, key: RequestKey, registeredUserId: string): Promise<boolean> =>
    (await one(db, identifyUser, { ...key, registeredUserId })) !== null,
  /** False if the request has ended. */
  reject: async (
    tx: Queryable,
    { organizationId, id }: RequestKey,
    rejection: SignInRejection,
  ): Promise<boolean> => (await one(tx, rejectRequest, { organizationId, id, rejection })) !== null,
  propose: async (
    db: Queryable,
    key: RequestKey,
    proposed: { mode: Mode; registeredUserId: string; continueHash: Buffer },
  ): Promise<boolean> => (await one(db, proposeUser, { ...key, ...proposed })) !== null,
  continue: async (
    db: Queryable,
    key: RequestKey,
    hashes: { continueHash: Buffer; browserHash: Buffer },
  ): Promise<boolean> => (await one(db, continueRequest, { ...key, ...hashes })) !== null,
  /** Null if the request has ended, or belongs to another browser. */
  take: (tx: Queryable, key: RequestKey, browserHash: Buffer) =>
    one(tx, takeRequest, { ...key, browserHash }),
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
}
