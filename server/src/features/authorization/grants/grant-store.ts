import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  bigint,
  bytea,
  double,
  integer,
  nullable,
  text,
  timestamptz,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

export type GrantOwner = { organizationId: string; mode: Mode; registeredUserId: string }

const grantColumns = {
  id: uuid,
  registeredUserId: uuid,
  toolPackId: uuid,
  clientId: text,
  clientName: text,
  createdAt: timestamptz,
  lastUsedAt: timestamptz,
  expiresAt: timestamptz,
}
export type StoredGrant = Values<typeof grantColumns>

const COLUMNS =
  'g.id, g.registered_user_id, g.tool_pack_id, g.client_id, g.client_name, g.created_at, g.last_used_at, g.expires_at'

// The user must be active. A user of another mode or organization is not found.
const insertGrant = statement({
  name: 'client_grants.insert',
  parameters: {
    organizationId: uuid,
    registeredUserId: uuid,
    id: uuid,
    toolPackId: uuid,
    clientId: text,
    clientName: text,
    lifetimeSeconds: double,
    codeHash: nullable(bytea),
    codeChallenge: nullable(text),
    redirectUri: nullable(text),
    codeLifetimeSeconds: nullable(double),
  },
  columns: grantColumns,
  sql: `insert into client_grants as g (organization_id, id, registered_user_id, tool_pack_id, client_id, client_name, expires_at,
     code_hash, code_challenge, redirect_uri, code_expires_at)
   select :organizationId, :id, u.id, :toolPackId, :clientId, :clientName, app_now() + make_interval(secs => :lifetimeSeconds),
     :codeHash, :codeChallenge, :redirectUri, app_now() + make_interval(secs => :codeLifetimeSeconds::float8)
   from registered_users u where u.organization_id = :organizationId and u.id = :registeredUserId and u.is_active
   returning ${COLUMNS}`,
})

/**
 * Inserts the tokens of the grants in `used`. A refresh token ends with its grant at the latest.
 */
const TOKENS = `access as (
     insert into access_tokens (organization_id, hash, grant_id, registered_user_id, tool_pack_ids, expires_at)
     select organization_id, :accessHash, id, registered_user_id, array[tool_pack_id],
       app_now() + make_interval(secs => :accessLifetimeSeconds)
     from used
   ), refresh as (
     insert into refresh_tokens (organization_id, hash, grant_id, expires_at)
     select organization_id, :refreshHash::bytea, id, least(expires_at, app_now() + make_interval(secs => :refreshLifetimeSeconds))
     from used where :refreshHash::bytea is not null
   )
   select ${COLUMNS} from used g`
const tokenParameters = {
  accessHash: bytea,
  refreshHash: nullable(bytea),
  accessLifetimeSeconds: double,
  refreshLifetimeSeconds: double,
}

/**
 * Everything that decides whether a grant gives tokens: an active organization and user, an existing pack that allows sign-in, and the
 * resource that the client names.
 */
const MAY_ISSUE = `g.organization_id = :organizationId and g.expires_at > app_now()
     and o.id = g.organization_id and o.state = 'active'
     and u.organization_id = g.organization_id and u.id = g.registered_user_id and u.is_active
     and p.organization_id = g.organization_id and p.id = g.tool_pack_id
     and s.organization_id = g.organization_id and s.mode = u.mode and (s.tool_pack_ids is null or p.id = any(s.tool_pack_ids))
     and (:toolPackId::uuid is null or g.tool_pack_id = :toolPackId and u.mode = :mode)`
const ISSUERS = 'organizations o, registered_users u, tool_pack_names p, sign_in_settings s'
const issueParameters = {
  organizationId: uuid,
  clientId: text,
  toolPackId: nullable(uuid),
  mode: nullable(text),
  ...tokenParameters,
}

// One winner: the second of two exchanges finds the code used. RFC 7636 §4.6: the challenge is compared here too.
const redeemCode = statement({
  name: 'client_grants.redeem_code',
  parameters: { ...issueParameters, codeHash: bytea, codeChallenge: text, redirectUri: text },
  columns: grantColumns,
  sql: `with used as (
     update client_grants g set code_used_at = app_now(), last_used_at = app_now() from ${ISSUERS}
     where ${MAY_ISSUE} and g.code_hash = :codeHash and g.code_used_at is null and g.code_expires_at > app_now()
       and g.client_id = :clientId and g.redirect_uri = :redirectUri and g.code_challenge = :codeChallenge
     returning g.*
   ), ${TOKENS}`,
})
/**
 * Whether the first use of a refresh token is so recent that its client may repeat it. Each repetition is counted by the update that it is
 * part of, so concurrent ones cannot exceed the limit.
 */
const IS_REPEATABLE = `t.used_at > app_now() - make_interval(secs => :repeatSeconds) and t.uses <= :maxRepeats`
const repeatParameters = { repeatSeconds: double, maxRepeats: integer }

const rotateRefreshToken = statement({
  name: 'client_grants.rotate_refresh_token',
  parameters: { ...issueParameters, ...repeatParameters, usedHash: bytea },
  columns: grantColumns,
  sql: `with presented as (
     update refresh_tokens t set used_at = coalesce(t.used_at, app_now()), uses = t.uses + 1 from client_grants g, ${ISSUERS}
     where ${MAY_ISSUE} and t.organization_id = g.organization_id and t.grant_id = g.id and t.hash = :usedHash
       and (t.used_at is null or ${IS_REPEATABLE}) and t.expires_at > app_now() and g.client_id = :clientId
     returning t.organization_id, t.grant_id
   ), used as (
     update client_grants g set last_used_at = app_now() from presented r
     where g.organization_id = r.organization_id and g.id = r.grant_id
     returning g.*
   ), ${TOKENS}`,
})
// The only token of a grant that has no refresh token.
const issueToken = statement({
  name: 'client_grants.issue',
  parameters: { ...issueParameters, id: uuid },
  columns: grantColumns,
  sql: `with used as (
     select g.* from client_grants g, ${ISSUERS} where ${MAY_ISSUE} and g.id = :id and g.client_id = :clientId
   ), ${TOKENS}`,
})

const endReplayedCode = statement({
  name: 'client_grants.end_replayed_code',
  parameters: { organizationId: uuid, codeHash: bytea },
  columns: grantColumns,
  sql: `delete from client_grants g
   where g.organization_id = :organizationId and g.code_hash = :codeHash and g.code_used_at is not null returning ${COLUMNS}`,
})
const endReusedToken = statement({
  name: 'client_grants.end_reused_token',
  parameters: { ...repeatParameters, organizationId: uuid, clientId: text, usedHash: bytea },
  columns: grantColumns,
  sql: `delete from client_grants g using refresh_tokens t
   where g.organization_id = :organizationId and t.organization_id = :organizationId and t.hash = :usedHash and t.grant_id = g.id
     and t.used_at is not null and not (g.client_id = :clientId and ${IS_REPEATABLE})
   returning ${COLUMNS}`,
})
// RFC 7009 §2.1: revoking either token ends the grant. A token of another client is not revoked.
const endByToken = statement({
  name: 'client_grants.end_by_token',
  parameters: { organizationId: uuid, clientId: text, tokenHash: bytea },
  columns: grantColumns,
  sql: `delete from client_grants g where g.organization_id = :organizationId and g.client_id = :clientId and g.id in (
     select grant_id from access_tokens where organization_id = :organizationId and hash = :tokenHash
     union all
     select grant_id from refresh_tokens where organization_id = :organizationId and hash = :tokenHash)
   returning ${COLUMNS}`,
})
const endGrant = statement({
  name: 'client_grants.end',
  parameters: { organizationId: uuid, mode: text, registeredUserId: uuid, id: uuid },
  columns: grantColumns,
  sql: `delete from client_grants g using admission_users u
   where g.organization_id = :organizationId and u.organization_id = :organizationId and u.mode = :mode
     and u.id = :registeredUserId and g.registered_user_id = u.id and g.id = :id
   returning ${COLUMNS}`,
})
// A grant whose code was not exchanged has given no access.
const selectGrants = statement({
  name: 'client_grants.list',
  parameters: { organizationId: uuid, registeredUserId: uuid, after: nullable(uuid), limit: bigint },
  columns: grantColumns,
  sql: `select ${COLUMNS} from client_grants g
   where g.organization_id = :organizationId and g.registered_user_id = :registeredUserId and g.expires_at > app_now()
     and (g.code_hash is null or g.code_used_at is not null) and (:after::uuid is null or g.id > :after)
   order by g.id limit :limit`,
})
const findUser = statement({
  name: 'client_grants.user',
  parameters: { organizationId: uuid, mode: text, registeredUserId: uuid },
  columns: { id: uuid },
  sql: `select id from admission_users where organization_id = :organizationId and mode = :mode and id = :registeredUserId`,
})
// Single use: a second insert of the same assertion adds no row.
const useAssertion = statement({
  name: 'used_assertions.insert',
  parameters: { organizationId: uuid, hash: bytea, lifetimeSeconds: double },
  columns: { hash: bytea },
  sql: `insert into used_assertions (organization_id, hash, expires_at)
   values (:organizationId, :hash, app_now() + make_interval(secs => :lifetimeSeconds))
   on conflict (organization_id, hash) do nothing returning hash`,
})
const deleteExpired = statement({
  name: 'client_grants.delete_expired',
  sql: `with tokens as (
     delete from access_tokens where expires_at < app_now() - interval '1 hour'
       and organization_id not in (select id from unserved_organizations)
   ), refreshes as (
     delete from refresh_tokens where expires_at < app_now()
       and organization_id not in (select id from unserved_organizations)
   ), assertions as (
     delete from used_assertions where expires_at < app_now()
       and organization_id not in (select id from unserved_organizations)
   )
   delete from client_grants where organization_id not in (select id from unserved_organizations)
     and (expires_at < app_now() or code_used_at is null and code_expires_at < app_now() - interval '1 hour')`,
})

export type NewGrant = {
  id: string
  toolPackId: string
  clientId: string
  clientName: string
  /** Null: the grant has no authorization code. */
  code: { hash: Buffer; challenge: string; redirectUri: string; lifetimeSeconds: number } | null
  lifetimeSeconds: number
}

/** What the client presents besides the code or the refresh token. `resource`: null if it names none. */
export type TokenRequest = {
  organizationId: string
  clientId: string
  resource: { toolPackId: string; mode: Mode } | null
}
export type RefreshRequest = TokenRequest & { usedHash: Buffer; repeatSeconds: number; maxRepeats: number }
export type NewTokens = {
  accessHash: Buffer
  refreshHash: Buffer | null
  accessLifetimeSeconds: number
  refreshLifetimeSeconds: number
}

const issueValues = ({ organizationId, clientId, resource }: TokenRequest, tokens: NewTokens) => ({
  organizationId,
  clientId,
  toolPackId: resource?.toolPackId ?? null,
  mode: resource?.mode ?? null,
  ...tokens,
})

export const grantStore = {
  /** Null if the user is inactive or was deleted. */
  insert: (
    tx: Queryable,
    { organizationId, registeredUserId }: Pick<GrantOwner, 'organizationId' | 'registeredUserId'>,
    { code, ...grant }: NewGrant,
  ) =>
    one(tx, insertGrant, {
      ...grant,
      organizationId,
      registeredUserId,
      codeHash: code?.hash ?? null,
      codeChallenge: code?.challenge ?? null,
      redirectUri: code?.redirectUri ?? null,
      codeLifetimeSeconds: code?.lifetimeSeconds ?? null,
    }),
  redeemCode: (
    tx: Queryable,
    request: TokenRequest & { codeHash: Buffer; codeChallenge: string; redirectUri: string },
    tokens: NewTokens,
  ) =>
    one(tx, redeemCode, {
      ...issueValues(request, tokens),
      codeHash: request.codeHash,
      codeChallenge: request.codeChallenge,
      redirectUri: request.redirectUri,
    }),
  rotateRefreshToken: (tx: Queryable, request: RefreshRequest, tokens: NewTokens) => {
    const { usedHash, repeatSeconds, maxRepeats } = request
    return one(tx, rotateRefreshToken, {
      ...issueValues(request, tokens),
      usedHash,
      repeatSeconds,
      maxRepeats,
    })
  },
  issue: (tx: Queryable, request: TokenRequest & { id: string }, tokens: NewTokens) =>
    one(tx, issueToken, { ...issueValues(request, tokens), id: request.id }),
  endReplayedCode: (tx: Queryable, organizationId: string, codeHash: Buffer) =>
    one(tx, endReplayedCode, { organizationId, codeHash }),
  /** Null if the token is unknown, was not used, or may be repeated. */
  endReusedToken: (
    tx: Queryable,
    { organizationId, clientId, usedHash, repeatSeconds, maxRepeats }: RefreshRequest,
  ) => one(tx, endReusedToken, { organizationId, clientId, usedHash, repeatSeconds, maxRepeats }),
  endByToken: (tx: Queryable, organizationId: string, clientId: string, tokenHash: Buffer) =>
    one(tx, endByToken, { organizationId, clientId, tokenHash }),
  end: (tx: Queryable, { organizationId, mode, registeredUserId }: GrantOwner, id: string) =>
    one(tx, endGrant, { organizationId, mode, registeredUserId, id }),
  list: (
    db: Queryable,
    { organizationId, registeredUserId }: Pick<GrantOwner, 'organizationId' | 'registeredUserId'>,
    page: { after: string | null; limit: number },
  ) => db.query(selectGrants, { organizationId, registeredUserId, ...page }),
  findUser: (db: Queryable, { organizationId, mode, registeredUserId }: GrantOwner) =>
    one(db, findUser, { organizationId, mode, registeredUserId }),
  /** False if the assertion was used before. */
  useAssertion: async (
    tx: Queryable,
    organizationId: string,
    hash: Buffer,
    lifetimeSeconds: number,
  ): Promise<boolean> => (await one(tx, useAssertion, { organizationId, hash, lifetimeSeconds })) !== null,
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
}
