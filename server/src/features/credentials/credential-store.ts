import type { OrganizationState } from '../../core/organization-state.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  double,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

export const credentialColumns = {
  id: uuid,
  label: text,
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
  /** Null if the user has not paused the connection, or the pause is over by the database's clock. */
  pausedUntil: nullable(timestamptz),
}
export type StoredCredential = Values<typeof credentialColumns>

export const idleCredentialColumns = {
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
const selectCredential = statement({
  name: 'credentials.select',
  parameters: { organizationId: uuid, id: uuid },
  columns: { ...credentialColumns, organizationState: typed<OrganizationState>(text) },
  sql: `select c.id, c.label, c.status, c.status_reason, c.secret_id, c.sealed, u.data_key as user_key, c.version, c.scopes, c.oauth_app,
     c.access_expires_at, c.refresh_due, c.paused_until, o.state as organization_state
   from admission_credentials c join admission_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
   join organizations o on o.id = c.organization_id
   where c.organization_id = :organizationId and c.id = :id`,
})
// Each row is taken by one node for a day.
const takeIdle = statement({
  name: 'credentials.take_idle',
  parameters: { limit: bigint },
  columns: idleCredentialColumns,
  sql: `with taken as (
     update credentials set checked_at = app_now()
     where (organization_id, id) in (
       select organization_id, id from credentials
       where status = 'active' and oauth_app is not null and access_expires_at <= app_now() and updated_at < app_now() - interval '5 days'
         and (checked_at is null or checked_at < app_now() - interval '1 day')
         and organization_id not in (select id from unserved_organizations)
       order by updated_at limit :limit for update skip locked)
     returning organization_id, id, connector_slug)
   select t.organization_id, c.registered_user_id, t.connector_slug, c.id, c.label, c.status, c.status_reason, c.secret_id, c.sealed,
     u.data_key as user_key, c.version, c.scopes, c.oauth_app, c.access_expires_at, c.refresh_due, c.paused_until
   from taken t join admission_credentials c on c.organization_id = t.organization_id and c.id = t.id
   join admission_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id`,
})
// Taken by one node at a time, if the lease is unset or expired. The share lock serializes it with a change of the organization's state,
// so that an installation that starts to move the organization finds every lease that was taken before.
const takeLease = statement({
  name: 'credentials.take_lease',
  parameters: { organizationId: uuid, credentialId: uuid, version: integer, seconds: double },
  columns: { fence: bigint },
  sql: `update credentials set lease_fence = lease_fence + 1, lease_until = app_now() + make_interval(secs => :seconds)
   where organization_id = :organizationId and id = :credentialId and version = :version and status = 'active'
     and (lease_until is null or lease_until <= app_now())
     and exists (select from organizations o where o.id = :organizationId and o.state = 'active' for share)
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
    endsInSeconds: nullable(double),
    restores: boolean,
  },
  columns: { version: integer },
  sql: `update credentials set secret_id = :secretId, sealed = :sealed, scopes = :scopes, version = version + 1,
     status = 'active', status_reason = null, lease_until = null, updated_at = app_now(), refreshed_at = app_now(),
     access_expires_at = app_now() + make_interval(secs => :expiresInSeconds),
     ends_at = coalesce(app_now() + make_interval(secs => :endsInSeconds), ends_at),
     end_stated_at = case when :endsInSeconds::float8 is null then end_stated_at else app_now() end, refresh_failing_since = null,
     lost_scopes = array(select unnest(scopes || lost_scopes) except select unnest(:scopes::text[]))
   where organization_id = :organizationId and id = :credentialId and version = :version
     and (lease_fence = :fence or lease_until is null or lease_until <= app_now())
     and case when :restores::boolean then status = 'needs_reauth' and status_reason = 'expired' else status = 'active' end
   returning version`,
})
// The user has entered the secret, and the provider has accepted it, so earlier refusals no longer count. A renewal in progress finds a newer
// version and yields.
const replaceSecret = statement({
  name: 'credentials.replace_secret',
  parameters: {
    organizationId: uuid,
    credentialId: uuid,
    version: integer,
    secretId: uuid,
    sealed: bytea,
    expiresInSeconds: nullable(double),
    endsInSeconds: nullable(double),
  },
  columns: { version: integer },
  sql: `update credentials set secret_id = :secretId, sealed = :sealed, version = version + 1, status = 'active', status_reason = null,
     lease_until = null, updated_at = app_now(), refreshed_at = app_now(), checked_at = app_now(), refused_since = null, refusals = 0,
     refusal_checked_at = null, linked_at = app_now(), ends_at = app_now() + make_interval(secs => :endsInSeconds),
     end_stated_at = null, used_at = null,
     refresh_failing_since = null, announced_risks = '{}',
     access_expires_at = app_now() + make_interval(secs => :expiresInSeconds)
   where organization_id = :organizationId and id = :credentialId and version = :version and status <> 'revoked'
     and exists (select from organizations o where o.id = :organizationId and o.state = 'active' for share)
   returning version`,
})
const releaseLease = statement({
  name: 'credentials.release_lease',
  parameters: { organizationId: uuid, credentialId: uuid, fence: bigint, hasFailed: boolean },
  columns: { id: uuid },
  sql: `update credentials set lease_until = null,
     refresh_failing_since = case when :hasFailed::boolean then coalesce(refresh_failing_since, app_now()) else refresh_failing_since end
   where organization_id = :organizationId and id = :credentialId and lease_fence = :fence returning id`,
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
  /** Null: the provider has stated no end of the new tokens. */
  endsInSeconds: number | null
}
export type CredentialVersion = { organizationId: string; credentialId: string; version: number }

export const credentialStore = {
  revokeAll: (tx: Queryable, organizationId: string, userId: string, reason: string) =>
    tx.query(revokeAll, { organizationId, userId, reason }),
  revokeOfConnector: (tx: Queryable, organizationId: string, slug: string) =>
    tx.query(revokeOfConnector, { organizationId, slug }),
  orphan: (tx: Queryable, organizationId: string, slug: string, apps: string[]) =>
    tx.query(orphan, { organizationId, slug, apps }),

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
      endsInSeconds: refreshed.endsInSeconds,
      restores,
    }),
  /** Null if the credential was changed or revoked meanwhile. */
  replaceSecret: (
    tx: Queryable,
    { organizationId, credentialId, version }: CredentialVersion,
    replaced: Omit<Refreshed, 'scopes'> & { endsInSeconds: number | null },
  ) =>
    one(tx, replaceSecret, {
      organizationId,
      credentialId,
      version,
      secretId: replaced.secretId,
      sealed: replaced.sealed,
      expiresInSeconds: replaced.expiresInSeconds,
      endsInSeconds: replaced.endsInSeconds,
    }),
  /** Returns false if another node holds the lease. */
  releaseLease: async (
    db: Queryable,
    { organizationId, credentialId }: CredentialVersion,
    { fence, hasFailed }: { fence: number; hasFailed: boolean },
  ) => (await one(db, releaseLease, { organizationId, credentialId, fence, hasFailed })) !== null,
  /** With a fence, only the lease holder may mark it. */
  markNeedsReauth: (
    tx: Queryable,
    { organizationId, credentialId, version }: CredentialVersion,
    reason: string,
    fence: number | null,
  ) => one(tx, markNeedsReauth, { organizationId, credentialId, version, reason, fence }),
}
