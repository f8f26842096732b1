import { one, type Queryable, statement } from '../../platform/database/database.ts'

export type SealedRow = {
  organization_id: string
  registered_user_id: string
  credential_id: string | null
  connector_slug: string
  oauth_app: string | null
  account: string | null
  account_id: string | null
  secret_id: string
  sealed: Buffer
}
/** The row of a deleted user names neither user nor account; `sealed` contains the account and the token. */
export type RevocationRow = Omit<SealedRow, 'registered_user_id'> & {
  id: string
  registered_user_id: string | null
  sealed_under: 'user' | 'organization'
  reason: string
  attempts: number
  data_key: Buffer | null
  expired: boolean
}
export type RevocationOutcome = 'revoked' | 'not_supported' | 'kept_shared' | 'gave_up'
export type CredentialRow = {
  id: string
  status: 'active' | 'needs_reauth' | 'revoked'
  status_reason: string | null
  secret_id: string
  sealed: Buffer | null
  /** The user's data key, read in the same snapshot as `sealed`. */
  user_key: Buffer
  version: number
  scopes: string[]
  oauth_app: string | null
  access_expires_at: Date | null
  /** Determined by the database's clock, one minute ahead, so that a token does not expire in transit. */
  refresh_due: boolean
}

const revokeAll = statement<never>('credentials.revoke_all', 'select revoke_credentials($1, $2, $3)')
const revokeOfConnector = statement<never>(
  'credentials.revoke_of_connector',
  `select revoke_connector_credentials($1, $2, 'connector_removed')`,
)
const orphan = statement<never>('credentials.orphan', 'select orphan_credentials($1, $2, $3)')
const selectSealed = statement<SealedRow>(
  'credentials.sealed_of_user',
  'select * from sealed_secrets where organization_id = $1 and registered_user_id = $2',
)
const dropUserRevocations = statement<never>(
  'revocations.drop_of_user',
  'delete from revocations where organization_id = $1 and registered_user_id = $2',
)
const insertResealed = statement<never>(
  'revocations.insert_resealed',
  `insert into revocations
     (organization_id, connector_slug, oauth_app, secret_id, sealed, sealed_under, reason, give_up_at)
   values ($1, $2, $3, $4, $5, 'organization', 'user_deleted', app_now() + interval '1 hour')`,
)
const insertUnstored = statement<never>(
  'revocations.insert_unstored',
  `insert into revocations
     (organization_id, registered_user_id, connector_slug, oauth_app, account, account_id, secret_id, sealed, sealed_under, reason,
      give_up_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, 'user', 'session_over', app_now() + interval '1 day')`,
)
// Taking a row postpones its due time, so that another worker retries it after a crash. The secret and the user's key are
// read in one snapshot after the update, because a key rotation in between would leave a key that does not match.
const takeDue = statement<RevocationRow>(
  'revocations.take_due',
  `with taken as (
     update revocations r set attempts = attempts + 1, due_at = app_now() + least(interval '1 hour', interval '15 seconds' * power(2, attempts))
     where (organization_id, id) in (
       select organization_id, id from revocations where outcome is null and due_at <= app_now()
       order by due_at limit $1 for update skip locked)
     returning r.organization_id, r.id, r.attempts)
   select r.id, r.organization_id, r.registered_user_id, r.credential_id, r.connector_slug, r.oauth_app, r.account, r.account_id, r.secret_id,
     r.sealed, r.sealed_under, r.reason, t.attempts, u.data_key, r.give_up_at <= app_now() as expired
   from taken t join revocations r on r.organization_id = t.organization_id and r.id = t.id
   left join registered_users u on u.organization_id = r.organization_id and u.id = r.registered_user_id`,
)
// Across all organizations, because an account has one grant per OAuth app, whichever user linked it.
const sharesGrant = statement<{ shared: boolean }>(
  'revocations.shares_grant',
  `select exists (select from credentials
     where oauth_app = any($1) and coalesce(account_id, account) = $2 and status = 'active') as shared`,
)
const selectCurrent = statement<{ secret_id: string; sealed: Buffer; data_key: Buffer }>(
  'revocations.current_of',
  `select c.secret_id, c.sealed, u.data_key from credentials c
   join registered_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
   where c.organization_id = $1 and c.registered_user_id = $2 and c.connector_slug = $3 and c.status = 'active'`,
)
const finishRevocation = statement<never>(
  'revocations.finish',
  `update revocations set outcome = $3, sealed = null, finished_at = app_now() where organization_id = $1 and id = $2 and outcome is null`,
)
const deleteOldReceipts = statement<never>(
  'revocations.delete_old',
  `delete from revocations where finished_at < app_now() - interval '30 days'`,
)
const selectCredential = statement<CredentialRow>(
  'credentials.select',
  `select c.id, c.status, c.status_reason, c.secret_id, c.sealed, u.data_key as user_key, c.version, c.scopes, c.oauth_app,
     c.access_expires_at, c.refresh_due
   from admission_credentials c join admission_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
   where c.organization_id = $1 and c.id = $2`,
)
// Each row is taken by one node for a day.
const takeIdle = statement<IdleCredentialRow>(
  'credentials.take_resting',
  `with taken as (
     update credentials set checked_at = app_now()
     where (organization_id, id) in (
       select organization_id, id from credentials
       where status = 'active' and access_expires_at <= app_now() and updated_at < app_now() - interval '5 days'
         and (checked_at is null or checked_at < app_now() - interval '1 day')
       order by updated_at limit $1 for update skip locked)
     returning organization_id, id, connector_slug)
   select t.organization_id, c.registered_user_id, t.connector_slug, c.id, c.status, c.status_reason, c.secret_id, c.sealed,
     u.data_key as user_key, c.version, c.scopes, c.oauth_app, c.access_expires_at, c.refresh_due
   from taken t join admission_credentials c on c.organization_id = t.organization_id and c.id = t.id
   join admission_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id`,
)
// Taken by one node at a time, if the lease is unset or expired.
const takeLease = statement<{ fence: number }>(
  'credentials.take_lease',
  `update credentials set lease_fence = lease_fence + 1, lease_until = app_now() + make_interval(secs => $4)
   where organization_id = $1 and id = $2 and version = $3 and status = 'active' and (lease_until is null or lease_until <= app_now())
   returning lease_fence as fence`,
)
// Never overwrites a newer version, and a holder whose lease expired yields to an active later holder. $9: restores a
// credential that a later holder marked as expired.
const saveRefreshed = statement<{ version: number }>(
  'credentials.save_refreshed',
  `update credentials set secret_id = $5, sealed = $6, scopes = $7, version = version + 1, status = 'active', status_reason = null,
     lease_until = null, updated_at = app_now(), access_expires_at = app_now() + make_interval(secs => $8)
   where organization_id = $1 and id = $2 and version = $3 and (lease_fence = $4 or lease_until is null or lease_until <= app_now())
     and case when $9::boolean then status = 'needs_reauth' and status_reason = 'expired' else status = 'active' end
   returning version`,
)
// The credential was revoked during the refresh, so the new tokens must be revoked as well.
const revokeRefreshed = statement<never>(
  'credentials.revoke_refreshed',
  `insert into revocations
     (organization_id, registered_user_id, credential_id, connector_slug, oauth_app, account, account_id, secret_id, sealed, sealed_under,
      reason, give_up_at)
   select organization_id, registered_user_id, id, connector_slug, oauth_app, account, account_id, $3, $4, 'user', status_reason,
     app_now() + interval '1 day'
   from credentials where organization_id = $1 and id = $2 and status = 'revoked'`,
)
const releaseLease = statement<{ id: string }>(
  'credentials.release_lease',
  'update credentials set lease_until = null where organization_id = $1 and id = $2 and lease_fence = $3 returning id',
)
const markNeedsReauth = statement<{ registered_user_id: string; connector_slug: string }>(
  'credentials.needs_reauth',
  `update credentials set status = 'needs_reauth', status_reason = $4, lease_until = null, updated_at = app_now()
   where organization_id = $1 and id = $2 and version = $3 and status = 'active' and ($5::bigint is null or lease_fence = $5)
   returning registered_user_id, connector_slug`,
)

// Users are locked before their credentials, everywhere in this order, and secrets are sealed under the current key.
const lockUser = statement<{ data_key: Buffer }>(
  'credentials.lock_user',
  'select data_key from registered_users where organization_id = $1 and id = $2 for no key update',
)

export type Refreshed = {
  secretId: string
  sealed: Buffer
  scopes: string[]
  expiresInSeconds: number | null
}
export type IdleCredentialRow = CredentialRow & {
  organization_id: string
  registered_user_id: string
  connector_slug: string
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
    tx.query(revokeAll, [organizationId, userId, reason]),
  revokeOfConnector: (tx: Queryable, organizationId: string, slug: string) =>
    tx.query(revokeOfConnector, [organizationId, slug]),
  orphan: (tx: Queryable, organizationId: string, slug: string, apps: string[]) =>
    tx.query(orphan, [organizationId, slug, apps]),
  sealedOfUser: (tx: Queryable, organizationId: string, userId: string) =>
    tx.query(selectSealed, [organizationId, userId]),
  dropUserRevocations: (tx: Queryable, organizationId: string, userId: string) =>
    tx.query(dropUserRevocations, [organizationId, userId]),
  insertResealed: (tx: Queryable, row: SealedRow) =>
    tx.query(insertResealed, [
      row.organization_id,
      row.connector_slug,
      row.oauth_app,
      row.secret_id,
      row.sealed,
    ]),
  revokeUnstored: (tx: Queryable, secret: UnstoredSecret) =>
    tx.query(insertUnstored, [
      secret.organizationId,
      secret.registeredUserId,
      secret.connectorSlug,
      secret.oauthApp,
      secret.account,
      secret.accountId,
      secret.secretId,
      secret.sealed,
    ]),
  takeDueRevocations: (db: Queryable, limit: number) => db.query(takeDue, [limit]),
  finishRevocation: (
    db: Queryable,
    row: { organization_id: string; id: string },
    outcome: RevocationOutcome,
  ) => db.query(finishRevocation, [row.organization_id, row.id, outcome]),
  sharesGrant: async (db: Queryable, oauthApps: string[], account: string) =>
    (await one(db, sharesGrant, [oauthApps, account]))?.shared === true,
  currentSecretOf: (db: Queryable, row: RevocationRow) =>
    one(db, selectCurrent, [row.organization_id, row.registered_user_id, row.connector_slug]),
  deleteOldReceipts: (db: Queryable) => db.query(deleteOldReceipts),

  find: (db: Queryable, organizationId: string, id: string) =>
    one(db, selectCredential, [organizationId, id]),
  lockUser: (tx: Queryable, organizationId: string, userId: string) =>
    one(tx, lockUser, [organizationId, userId]),
  takeIdle: (db: Queryable, limit: number) => db.query(takeIdle, [limit]),
  takeLease: (db: Queryable, { organizationId, credentialId, version }: CredentialVersion, seconds: number) =>
    one(db, takeLease, [organizationId, credentialId, version, seconds]),
  saveRefreshed: (
    tx: Queryable,
    { organizationId, credentialId, version }: CredentialVersion,
    { fence, restores }: { fence: number; restores: boolean },
    refreshed: Refreshed,
  ) =>
    one(tx, saveRefreshed, [
      organizationId,
      credentialId,
      version,
      fence,
      refreshed.secretId,
      refreshed.sealed,
      refreshed.scopes,
      refreshed.expiresInSeconds,
      restores,
    ]),
  /** Has no effect unless the credential was revoked. */
  revokeRefreshed: (
    tx: Queryable,
    { organizationId, credentialId }: CredentialVersion,
    { secretId, sealed }: Pick<Refreshed, 'secretId' | 'sealed'>,
  ) => tx.query(revokeRefreshed, [organizationId, credentialId, secretId, sealed]),
  /** Returns false if another node holds the lease. */
  releaseLease: async (db: Queryable, { organizationId, credentialId }: CredentialVersion, fence: number) =>
    (await one(db, releaseLease, [organizationId, credentialId, fence])) !== null,
  /** With a fence, only the lease holder may mark it. */
  markNeedsReauth: (
    tx: Queryable,
    { organizationId, credentialId, version }: CredentialVersion,
    reason: string,
    fence: number | null,
  ) => one(tx, markNeedsReauth, [organizationId, credentialId, version, reason, fence]),
}
