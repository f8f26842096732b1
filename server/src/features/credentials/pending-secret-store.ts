import type { AuthorizationType } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  arraysOf,
  bigint,
  bytea,
  double,
  integer,
  nullable,
  text,
  timestamptz,
  toArrays,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

export type PendingSecret = {
  organizationId: string
  codeHash: Buffer
  sessionId: string
  registeredUserId: string
  mode: Mode
  sessionMintedAt: Date
  expiresAt: Date
  connectorSlug: string
  secretId: string
  sealed: Buffer
  method: AuthorizationType
  scopes: string[]
  account: string | null
  accountId: string | null
  oauthApp: string | null
  expiresInSeconds: number | null
  endsInSeconds: number | null
  /** The credential that the user has chosen to replace. */
  replaces: string | null
  /** The label of a new credential. Null: the account's name. */
  label: string | null
}

const takenColumns = {
  connectorSlug: text,
  secretId: uuid,
  sealed: bytea,
  scopes: array(text),
  account: nullable(text),
  accountId: nullable(text),
  oauthApp: nullable(text),
  expiresInSeconds: nullable(double),
  endsInSeconds: nullable(double),
}
export type TakenSecret = Values<typeof takenColumns>

const redemptionColumns = {
  organizationId: uuid,
  codeHash: bytea,
  mode: typed<Mode>(text),
  /** The user that the caller expects, if it names one. */
  registeredUserId: nullable(uuid),
  /** The ID of the credential if a new one is created. */
  candidateId: uuid,
}
export type Redemption = Values<typeof redemptionColumns>
const redeemedColumns = {
  position: integer,
  credentialId: uuid,
  connectorSlug: text,
  registeredUserId: uuid,
}
export type RedeemedSecret = Values<typeof redeemedColumns>

const insertSecret = statement({
  name: 'pending_secrets.insert',
  parameters: {
    organizationId: uuid,
    codeHash: bytea,
    sessionId: uuid,
    registeredUserId: uuid,
    mode: text,
    sessionMintedAt: timestamptz,
    expiresAt: timestamptz,
    connectorSlug: text,
    secretId: uuid,
    sealed: bytea,
    method: text,
    scopes: array(text),
    account: nullable(text),
    accountId: nullable(text),
    oauthApp: nullable(text),
    expiresInSeconds: nullable(double),
    endsInSeconds: nullable(double),
    replaces: nullable(uuid),
    label: nullable(text),
  },
  sql: `insert into pending_secrets (organization_id, code_hash, session_id, registered_user_id, mode,
   session_minted_at, expires_at,
     connector_slug, secret_id, sealed, method, scopes, account, account_id, oauth_app, access_expires_at, ends_at, replaces, label)
   values (:organizationId, :codeHash, :sessionId, :registeredUserId, :mode, :sessionMintedAt, :expiresAt,
     :connectorSlug, :secretId, :sealed, :method, :scopes, :account, :accountId, :oauthApp,
     app_now() + make_interval(secs => :expiresInSeconds), app_now() + make_interval(secs => :endsInSeconds), :replaces, :label)`,
})

const IDENTITY = (alias: string) => `coalesce(${alias}.account_id, ${alias}.account)`

/**
 * Moves pending secrets into credentials. The user is locked first, to serialize with deactivation; the DELETE makes the
 * code single-use. The credential of the same account is replaced in place, or the one that the user has chosen to replace, and its
 * token is queued for revocation if the connector revokes single tokens (`tokenRevoking`). Another account never replaces a credential
 * that was not chosen, and ends the sharing of the one that was, because access was given to the previous account. A user without an account of the connector continues with the latest revoked credential. Each credential emits one event with a per-user sequence number,
 * so a batch redeems at most one secret per user; the others are retried. Replaced credentials are read under a lock before
 * any change, because a concurrent key rotation or refresh may have stored another secret after this statement began. A credential that
 * another transaction has inserted since then is not visible here; its label is the same, so the statement fails and is repeated.
 */
const redeemSecrets = statement({
  name: 'pending_secrets.redeem',
  parameters: { ...arraysOf(redemptionColumns), tokenRevoking: array(text) },
  columns: redeemedColumns,
  sql: `with requested as (
     select * from unnest(:organizationId::uuid[], :codeHash::bytea[], :mode::text[], :registeredUserId::uuid[],
       :candidateId::uuid[])
       with ordinality as t(organization_id, code_hash, mode, user_id, candidate_id, position)
   ), waiting as materialized (
     select distinct on (s.organization_id, s.registered_user_id) s.organization_id, s.code_hash, s.registered_user_id,
       s.connector_slug, s.session_minted_at, a.position, a.candidate_id
     from requested a join pending_secrets s on s.organization_id = a.organization_id and s.code_hash = a.code_hash
       and s.mode = a.mode
     where s.expires_at > app_now() and (a.user_id is null or a.user_id = s.registered_user_id)
     order by s.organization_id, s.registered_user_id, a.position
   ), users as materialized (
     select u.organization_id, u.id from waiting w
     join registered_users u on u.organization_id = w.organization_id and u.id = w.registered_user_id
     where u.is_active and u.sessions_ended_at < w.session_minted_at
       and exists (select from organizations o where o.id = w.organization_id and o.state = 'active')
     order by u.organization_id, u.id for no key update of u
   ), held as materialized (
     select c.* from waiting w
     join users u on u.organization_id = w.organization_id and u.id = w.registered_user_id
     join credentials c on c.organization_id = w.organization_id and c.registered_user_id = w.registered_user_id
       and c.connector_slug = w.connector_slug
     for no key update of c
   ), taken as (
     delete from pending_secrets s using waiting w, users u
     where s.organization_id = w.organization_id and s.code_hash = w.code_hash
       and u.organization_id = w.organization_id and u.id = w.registered_user_id and (select count(*) from held) >= 0
     returning s.*, w.position, w.candidate_id
   ), before as materialized (
     select w.code_hash, c.* from taken w cross join lateral (
       select h.* from held h where h.organization_id = w.organization_id and h.registered_user_id = w.registered_user_id
         and h.connector_slug = w.connector_slug
         and (${IDENTITY('h')} = ${IDENTITY('w')} or h.id = w.replaces or not exists (
           select from held o where o.organization_id = w.organization_id and o.registered_user_id = w.registered_user_id
             and o.connector_slug = w.connector_slug and o.status <> 'revoked'))
       order by coalesce(${IDENTITY('h')} = ${IDENTITY('w')}, false) and h.status <> 'revoked' desc,
         h.id is not distinct from w.replaces desc, coalesce(${IDENTITY('h')} = ${IDENTITY('w')}, false) desc, h.updated_at desc
       limit 1) c
   ), labeled as (
     select w.*, b.id as replaced_id,
       case when b.status <> 'revoked' and w.label is null and (b.label is distinct from account_name_label(b.account)
           or ${IDENTITY('w')} is null or ${IDENTITY('w')} = ${IDENTITY('b')}) then b.label
         else free_account_label(coalesce(w.label, case when ${IDENTITY('w')} = ${IDENTITY('b')} then b.label end,
             account_name_label(w.account)),
           array(select h.label from held h where h.organization_id = w.organization_id
             and h.registered_user_id = w.registered_user_id and h.connector_slug = w.connector_slug
             and h.status <> 'revoked' and h.id is distinct from b.id)) end as new_label
     from taken w left join before b on b.organization_id = w.organization_id and b.code_hash = w.code_hash
   ), superseded as (
     insert into revocations
       (organization_id, registered_user_id, credential_id, connector_slug, oauth_app, account, account_id, secret_id, sealed,
        sealed_under, reason, give_up_at)
     select organization_id, registered_user_id, id, connector_slug, oauth_app, account, account_id, secret_id, sealed,
       'user', 'replaced', app_now() + interval '1 day'
     from before where connector_slug = any(:tokenRevoking::text[]) and sealed is not null
   ), stored as (
     insert into credentials (organization_id, id, registered_user_id, connector_slug, label, status, secret_id, sealed, method, scopes,
       account, account_id, oauth_app, access_expires_at, ends_at)
     select organization_id, coalesce(replaced_id, candidate_id), registered_user_id, connector_slug, new_label, 'active', secret_id,
       sealed, method, scopes, account, account_id, oauth_app, access_expires_at, ends_at
     from labeled
     on conflict (organization_id, id) do update set
       label = excluded.label, status = 'active', status_reason = null, secret_id = excluded.secret_id, sealed = excluded.sealed,
       version = credentials.version + 1, link_generation = credentials.link_generation + 1, method = excluded.method,
       scopes = excluded.scopes,
       account = excluded.account,
       account_id = excluded.account_id, oauth_app = excluded.oauth_app,
       access_expires_at = excluded.access_expires_at, lease_fence = credentials.lease_fence + 1, lease_until = null,
       paused_until = null, refreshed_at = null, refused_since = null, refusals = 0, refusal_checked_at = null,
       linked_at = app_now(), ends_at = excluded.ends_at, end_stated_at = null, used_at = null, refresh_failing_since = null, lost_scopes = '{}', announced_risks = '{}',
       updated_at = app_now()
     returning organization_id, id, registered_user_id, connector_slug, label, version, scopes, account, account_id
   ), unshared as (
     delete from credential_shares x using before b join taken w on w.organization_id = b.organization_id and w.code_hash = b.code_hash
     where x.organization_id = b.organization_id and x.credential_id = b.id and ${IDENTITY('w')} is distinct from ${IDENTITY('b')}
     returning x.organization_id, x.credential_id
   ), numbered as (
     update registered_users u set event_sequence = u.event_sequence + 1 from stored s
     where u.organization_id = s.organization_id and u.id = s.registered_user_id
     returning u.organization_id, u.id, u.mode, u.event_sequence
   ), emitted as (
     insert into events (organization_id, mode, registered_user_id, sequence, type, payload)
     select s.organization_id, n.mode, s.registered_user_id, n.event_sequence,
       case when s.version = 1 then 'credential.created' else 'credential.replaced' end,
       jsonb_build_object('credential_id', s.id, 'connector_slug', s.connector_slug, 'label', s.label, 'scopes', s.scopes, 'account', s.account)
         || case when b.id is null then '{}' else jsonb_build_object('previous_account', b.account, 'account_changed',
              coalesce(b.account_id, b.account) is distinct from coalesce(s.account_id, s.account), 'sharing_ended',
              exists (select from unshared x where x.organization_id = s.organization_id and x.credential_id = s.id)) end
     from stored s join numbered n on n.organization_id = s.organization_id and n.id = s.registered_user_id
     left join before b on b.organization_id = s.organization_id and b.id = s.id
   )
   select w.position::integer, s.id as credential_id, s.connector_slug, s.registered_user_id
   from stored s join taken w on w.organization_id = s.organization_id and w.registered_user_id = s.registered_user_id`,
})
// A secret moves between tables only while its user's row is locked, so that a key rotation finds it in one of them.
const endSecret = statement({
  name: 'pending_secrets.end',
  parameters: { organizationId: uuid, codeHash: bytea, reason: text },
  sql: `with owner as materialized (
     select u.id from pending_secrets s join registered_users u on u.organization_id = s.organization_id
       and u.id = s.registered_user_id
     where s.organization_id = :organizationId and s.code_hash = :codeHash for share of u
   ), ended as (
     delete from pending_secrets where organization_id = :organizationId and code_hash = :codeHash and exists (select from owner)
     returning pending_secrets as secret
   )
   select end_pending_secret(secret, :reason, :reason) as done from ended`,
})
// Single use: the DELETE succeeds for one of two concurrent callers.
const takeSecret = statement({
  name: 'pending_secrets.take',
  parameters: { organizationId: uuid, codeHash: bytea },
  columns: takenColumns,
  sql: `delete from pending_secrets where organization_id = :organizationId and code_hash = :codeHash and expires_at > app_now()
   returning connector_slug, secret_id, sealed, scopes, account, account_id, oauth_app,
     extract(epoch from access_expires_at - app_now())::float8 as expires_in_seconds,
     extract(epoch from ends_at - app_now())::float8 as ends_in_seconds`,
})
const endOverdue = statement({
  name: 'pending_secrets.end_overdue',
  parameters: { limit: bigint },
  columns: { ended: bigint },
  sql: `with overdue as (
     select s.organization_id, s.code_hash from pending_secrets s
     join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id
     where s.expires_at <= app_now() and s.organization_id not in (select id from unserved_organizations)
     order by s.expires_at limit :limit for update of s skip locked for share of u skip locked
   ), ended as (
     delete from pending_secrets s using overdue o where s.organization_id = o.organization_id and s.code_hash = o.code_hash
     returning s as secret
   )
   select count(end_pending_secret(secret, 'code_expired', 'code_expired')) as ended from ended`,
})

export const pendingSecretStore = {
  insert: (tx: Queryable, secret: PendingSecret) => tx.query(insertSecret, secret),
  redeem: (db: Queryable, rows: Redemption[], tokenRevoking: string[]) =>
    db.query(redeemSecrets, { ...toArrays(redemptionColumns, rows), tokenRevoking }),
  take: (tx: Queryable, organizationId: string, codeHash: Buffer) =>
    one(tx, takeSecret, { organizationId, codeHash }),
  end: (
    db: Queryable,
    organizationId: string,
    codeHash: Buffer,
    reason: 'code_rejected' | 'choice_not_made',
  ) => one(db, endSecret, { organizationId, codeHash, reason }),
  endOverdue: (db: Queryable, limit: number) => db.query(endOverdue, { limit }),
}
