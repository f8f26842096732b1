import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  double,
  ensured,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const sealedColumns = {
  organizationId: uuid,
  registeredUserId: uuid,
  credentialId: nullable(uuid),
  connectorSlug: text,
  oauthApp: nullable(text),
  account: nullable(text),
  accountId: nullable(text),
  secretId: uuid,
  sealed: bytea,
}
export type SealedSecret = Values<typeof sealedColumns>
/** The revocation of a deleted user names neither user nor account; `sealed` contains the account and the token. */
const revocationColumns = {
  ...sealedColumns,
  sealed: ensured(bytea),
  id: uuid,
  registeredUserId: nullable(uuid),
  sealedUnder: typed<'user' | 'organization'>(text),
  reason: text,
  attempts: integer,
  dataKey: nullable(bytea),
  expired: boolean,
}
export type PendingRevocation = Values<typeof revocationColumns>
export type RevocationOutcome = 'revoked' | 'not_supported' | 'kept_shared' | 'gave_up'
export const credentialColumns = {
  id: uuid,
  status: typed<'active' | 'needs_reauth' | 'revoked'>(text),
  statusReason: nullable(text),
  secretId: uuid,
  sealed: nullable(bytea),
  /** The user's data key, read in the same snapshot as `sealed`. */
  userKey: bytea,
  version: integer,
  scopes: array(text),
  oauthApp: nullable(text),
  accessExpiresAt: nullable(timestamptz),
  /** Determined by the database's clock, one minute ahead, so that a token does not expire in transit. */
  refreshDue: boolean,
}
export type StoredCredential = Values<typeof credentialColumns>

const idleCredentialColumns = {
  ...credentialColumns,
  organizationId: uuid,
  registeredUserId: uuid,
  connectorSlug: text,
}
export type IdleCredential = Values<typeof idleCredentialColumns>

const revokeAll = statement({
  name: 'credentials.revoke_all',
  parameters: { organizationId: uuid, userId: uuid, reason: text },
  sql: 'select revoke_credentials(:organizationId, :userId, :reason)',
})
const revokeOfConnector = statement({
  name: 'credentials.revoke_of_connector',
  parameters: { organizationId: uuid, slug: text },
  sql: `select revoke_connector_credentials(:organizationId, :slug, 'connector_removed')`,
})
const orphan = statement({
  name: 'credentials.orphan',
  parameters: { organizationId: uuid, slug: text, apps: array(text) },
  sql: 'select orphan_credentials(:organizationId, :slug, :apps)',
})
const selectSealed = statement({
  name: 'credentials.sealed_of_user',
  parameters: { organizationId: uuid, userId: uuid },
  columns: sealedColumns,
  sql: 'select * from sealed_secrets where organization_id = :organizationId and registered_user_id = :userId',
})
const dropUserRevocations = statement({
  name: 'revocations.drop_of_user',
  parameters: { organizationId: uuid, userId: uuid },
  sql: 'delete from revocations where organization_id = :organizationId and registered_user_id = :userId',
})
const insertResealed = statement({
  name: 'revocations.insert_resealed',
  parameters: {
    organizationId: uuid,
    connectorSlug: text,
    oauthApp: nullable(text),
    secretId: uuid,
    sealed: bytea,
  },
  sql: `insert into revocations
     (organization_id, connector_slug, oauth_app, secret_id, sealed, sealed_under, reason, give_up_at)
   values (:organizationId, :connectorSlug, :oauthApp, :secretId, :sealed, 'organization', 'user_deleted',
     app_now() + interval '1 hour')`,
})
const insertUnstored = statement({
  name: 'revocations.insert_unstored',
  parameters: {
    organizationId: uuid,
    registeredUserId: uuid,
    connectorSlug: text,
    oauthApp: nullable(text),
    account: nullable(text),
    accountId: nullable(text),
    secretId: uuid,
    sealed: bytea,
  },
  sql: `insert into revocations
     (organization_id, registered_user_id, connector_slug, oauth_app, account, account_id, secret_id, sealed, sealed_under, reason,
      give_up_at)
   values (:organizationId, :registeredUserId, :connectorSlug, :oauthApp, :account, :accountId, :secretId, :sealed,
     'user', 'session_over', app_now() + interval '1 day')`,
})
// Taking a row postpones its due time, so that another worker retries it after a crash. The secret and the user's key are
// read in one snapshot after the update, because a key rotation in between would leave a key that does not match.
const takeDue = statement({
  name: 'revocations.take_due',
  parameters: { limit: bigint },
  columns: revocationColumns,
  sql: `with taken as (
     update revocations r set attempts = attempts + 1, due_at = app_now() + least(interval '1 hour',
       interval '15 seconds' * power(2, attempts))
     where (organization_id, id) in (
       select organization_id, id from revocations where outcome is null and due_at <= app_now()
       order by due_at limit :limit for update skip locked)
     returning r.organization_id, r.id, r.attempts)
   select r.id, r.organization_id, r.registered_user_id, r.credential_id, r.connector_slug, r.oauth_app, r.account,
     r.account_id, r.secret_id,
     r.sealed, r.sealed_under, r.reason, t.attempts, u.data_key, r.give_up_at <= app_now() as expired
   from taken t join revocations r on r.organization_id = t.organization_id and r.id = t.id
   left join registered_users u on u.organization_id = r.organization_id and u.id = r.registered_user_id`,
})
// Across all organizations, because an account has one grant per OAuth app, whichever user linked it.
const sharesGrant = statement({
  name: 'revocations.shares_grant',
  parameters: { oauthApps: array(text), account: text },
  columns: { shared: boolean },
  sql: `select exists (select from credentials
     where oauth_app = any(:oauthApps) and coalesce(account_id, account) = :account and status = 'active') as shared`,
})
const selectCurrent = statement({
  name: 'revocations.current_of',
  parameters: { organizationId: uuid, registeredUserId: nullable(uuid), connectorSlug: text },
  columns: { secretId: uuid, sealed: ensured(bytea), dataKey: bytea },
  sql: `select c.secret_id, c.sealed, u.data_key from credentials c
   join registered_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
   where c.organization_id = :organizationId and c.registered_user_id = :registeredUserId
     and c.connector_slug = :connectorSlug and c.status = 'active'`,
})
const finishRevocation = statement({
  name: 'revocations.finish',
  parameters: { organizationId: uuid, id: uuid, outcome: text },
  sql: `update revocations set outcome = :outcome, sealed = null, finished_at = app_now()
   where organization_id = :organizationId and id = :id and outcome is null`,
})
const deleteOldReceipts = statement({
  name: 'revocations.delete_old',
  sql: `delete from revocations where finished_at < app_now() - interval '30 days'`,
})
const selectCredential = statement({
  name: 'credentials.select',
  parameters: { organizationId: uuid, id: uuid },
  columns: credentialColumns,
  sql: `select c.id, c.status, c.status_reason, c.secret_id, c.sealed, u.data_key as user_key, c.version, c.scopes, c.oauth_app,
     c.access_expires_at, c.refresh_due
   from admission_credentials c join admission_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
   where c.organization_id = :organizationId and c.id = :id`,
})
// Each row is taken by one node for a day.
const takeIdle = statement({
  name: 'credentials.take_resting',
  parameters: { limit: bigint },
  columns: idleCredentialColumns,
  sql: `with taken as (
     update credentials set checked_at = app_now()
     where (organization_id, id) in (
       select organization_id, id from credentials
       where status = 'active' and access_expires_at <= app_now() and updated_at < app_now() - interval '5 days'
         and (checked_at is null or checked_at < app_now() - interval '1 day')
       order by updated_at limit :limit for update skip locked)
     returning organization_id, id, connector_slug)
   select t.organization_id, c.registered_user_id, t.connector_slug, c.id, c.status, c.status_reason, c.secret_id, c.sealed,
     u.data_key as user_key, c.version, c.scopes, c.oauth_app, c.access_expires_at, c.refresh_due
   from taken t join admission_credentials c on c.organization_id = t.organization_id and c.id = t.id
   join admission_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id`,
})
// Taken by one node at a time, if the lease is unset or expired.
const takeLease = statement({
  name: 'credentials.take_lease',
  parameters: { organizationId: uuid, credentialId: uuid, version: integer, seconds: double },
  columns: { fence: bigint },
  sql: `update credentials set lease_fence = lease_fence + 1, lease_until = app_now() + make_interval(secs => :seconds)
   where organization_id = :organizationId and id = :credentialId and version = :version and status = 'active'
     and (lease_until is null or lease_until <= app_now())
   returning lease_fence as fence`,
})
// Never overwrites a newer version, and a holder whose lease expired yields to an active later holder. `restores`: also restores a
// credential that a later holder marked as expired.
const saveRefreshed = statement({
  name: 'credentials.save_refreshed',
  parameters: {
    organizationId: uuid,
    credentialId: uuid,
    version: integer,
    fence: bigint,
    secretId: uuid,
    sealed: bytea,
    scopes: array(text),
    expiresInSeconds: nullable(double),
    restores: boolean,
  },
  columns: { version: integer },
  sql: `update credentials set secret_id = :secretId, sealed = :sealed, scopes = :scopes, version = version + 1,
   status = 'active', status_reason = null,
     lease_until = null, updated_at = app_now(), access_expires_at = app_now() + make_interval(secs => :expiresInSeconds)
   where organization_id = :organizationId and id = :credentialId and version = :version
     and (lease_fence = :fence or lease_until is null or lease_until <= app_now())
     and case when :restores::boolean then status = 'needs_reauth' and status_reason = 'expired' else status = 'active' end
   returning version`,
})
// The credential was revoked during the refresh, so the new tokens must be revoked as well.
const revokeRefreshed = statement({
  name: 'credentials.revoke_refreshed',
  parameters: { organizationId: uuid, credentialId: uuid, secretId: uuid, sealed: bytea },
  sql: `insert into revocations
     (organization_id, registered_user_id, credential_id, connector_slug, oauth_app, account, account_id, secret_id,
       sealed, sealed_under,
      reason, give_up_at)
   select organization_id, registered_user_id, id, connector_slug, oauth_app, account, account_id, :secretId, :sealed,
     'user', status_reason,
     app_now() + interval '1 day'
   from credentials where organization_id = :organizationId and id = :credentialId and status = 'revoked'`,
})
const releaseLease = statement({
  name: 'credentials.release_lease',
  parameters: { organizationId: uuid, credentialId: uuid, fence: bigint },
  columns: { id: uuid },
  sql: `update credentials set lease_until = null where organization_id = :organizationId and id = :credentialId
   and lease_fence = :fence returning id`,
})
const markNeedsReauth = statement({
  name: 'credentials.needs_reauth',
  parameters: {
    organizationId: uuid,
    credentialId: uuid,
    version: integer,
    reason: text,
    fence: nullable(bigint),
  },
  columns: { registeredUserId: uuid, connectorSlug: text },
  sql: `update credentials set status = 'needs_reauth', status_reason = :reason, lease_until = null, updated_at = app_now()
   where organization_id = :organizationId and id = :credentialId and version = :version and status = 'active'
     and (:fence::bigint is null or lease_fence = :fence)
   returning registered_user_id, connector_slug`,
})

// Users are locked before their credentials, everywhere in this order, and secrets are sealed under the current key.
const lockUser = statement({
  name: 'credentials.lock_user',
  parameters: { organizationId: uuid, userId: uuid },
  columns: { dataKey: bytea },
  sql: `select data_key from registered_users where organization_id = :organizationId and id = :userId for no key update`,
})

export type Refreshed = {
  secretId: string
  sealed: Buffer
  scopes: string[]
  expiresInSeconds: number | null
}
export type UnstoredSecret = {
  organizationId: string
  registeredUserId: string
  connectorSlug: string
  oauthApp: string | null
  account: string | null
  accountId: string | null
  secretId: string
  sealed: Buffer
}
type CredentialVersion = { organizationId: string; credentialId: string; version: number }

export const credentialStore = {
  revokeAll: (tx: Queryable, organizationId: string, userId: string, reason: string) =>
    tx.query(revokeAll, { organizationId, userId, reason }),
  revokeOfConnector: (tx: Queryable, organizationId: string, slug: string) =>
    tx.query(revokeOfConnector, { organizationId, slug }),
  orphan: (tx: Queryable, organizationId: string, slug: string, apps: string[]) =>
    tx.query(orphan, { organizationId, slug, apps }),
  sealedOfUser: (tx: Queryable, organizationId: string, userId: string) =>
    tx.query(selectSealed, { organizationId, userId }),
  dropUserRevocations: (tx: Queryable, organizationId: string, userId: string) =>
    tx.query(dropUserRevocations, { organizationId, userId }),
  insertResealed: (tx: Queryable, row: SealedSecret) => tx.query(insertResealed, row),
  revokeUnstored: (tx: Queryable, secret: UnstoredSecret) => tx.query(insertUnstored, secret),
  takeDueRevocations: (db: Queryable, limit: number) => db.query(takeDue, { limit }),
  finishRevocation: (
    db: Queryable,
    { organizationId, id }: { organizationId: string; id: string },
    outcome: RevocationOutcome,
  ) => db.query(finishRevocation, { organizationId, id, outcome }),
  sharesGrant: async (db: Queryable, oauthApps: string[], account: string) =>
    (await one(db, sharesGrant, { oauthApps, account }))?.shared === true,
  currentSecretOf: (db: Queryable, row: PendingRevocation) => one(db, selectCurrent, row),
  deleteOldReceipts: (db: Queryable) => db.query(deleteOldReceipts),

  find: (db: Queryable, organizationId: string, id: string) =>
    one(db, selectCredential, { organizationId, id }),
  lockUser: (tx: Queryable, organizationId: string, userId: string) =>
    one(tx, lockUser, { organizationId, userId }),
  takeIdle: (db: Queryable, limit: number) => db.query(takeIdle, { limit }),
  takeLease: (db: Queryable, { organizationId, credentialId, version }: CredentialVersion, seconds: number) =>
    one(db, takeLease, { organizationId, credentialId, version, seconds }),
  saveRefreshed: (
    tx: Queryable,
    { organizationId, credentialId, version }: CredentialVersion,
    { fence, restores }: { fence: number; restores: boolean },
    refreshed: Refreshed,
  ) =>
    one(tx, saveRefreshed, {
      organizationId,
      credentialId,
      version,
      fence,
      secretId: refreshed.secretId,
      sealed: refreshed.sealed,
      scopes: refreshed.scopes,
      expiresInSeconds: refreshed.expiresInSeconds,
      restores,
    }),
  /** Has no effect unless the credential was revoked. */
  revokeRefreshed: (
    tx: Queryable,
    { organizationId, credentialId }: CredentialVersion,
    { secretId, sealed }: Pick<Refreshed, 'secretId' | 'sealed'>,
  ) => tx.query(revokeRefreshed, { organizationId, credentialId, secretId, sealed }),
  /** Returns false if another node holds the lease. */
  releaseLease: async (db: Queryable, { organizationId, credentialId }: CredentialVersion, fence: number) =>
    (await one(db, releaseLease, { organizationId, credentialId, fence })) !== null,
  /** With a fence, only the lease holder may mark it. */
  markNeedsReauth: (
    tx: Queryable,
    { organizationId, credentialId, version }: CredentialVersion,
    reason: string,
    fence: number | null,
  ) => one(tx, markNeedsReauth, { organizationId, credentialId, version, reason, fence }),
}
