import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  ensured,
  integer,
  nullable,
  text,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import type { CredentialVersion, Refreshed } from './credential-store.ts'

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
/** A secret that was obtained but not stored. */
const { credentialId: _, ...unstoredParameters } = sealedColumns
export type UnstoredSecret = Values<typeof unstoredParameters>

const insertUnstored = statement({
  name: 'revocations.insert_unstored',
  parameters: unstoredParameters,
  sql: `insert into revocations
     (organization_id, registered_user_id, connector_slug, oauth_app, account, account_id, secret_id, sealed, sealed_under, reason,
      give_up_at)
   values (:organizationId, :registeredUserId, :connectorSlug, :oauthApp, :account, :accountId, :secretId, :sealed,
     'user', 'session_over', app_now() + interval '1 day')`,
})
// A token is revoked by one installation only, so organizations that are being moved are skipped. Users of a suspended one can rely on it. Taking a row postpones its due
// time, so that another worker retries it after a crash. The secret and the user's key are read in one snapshot after the update,
// because a key rotation in between would leave a key that does not match.
const takeDue = statement({
  name: 'revocations.take_due',
  parameters: { limit: bigint },
  columns: revocationColumns,
  sql: `with taken as (
     update revocations r set attempts = attempts + 1,
       due_at = app_now() + least(interval '1 hour', interval '15 seconds' * power(2, attempts))
     where (organization_id, id) in (
       select organization_id, id from revocations where outcome is null and due_at <= app_now()
         and organization_id not in (select id from unserved_organizations where state not in ('suspended', 'deleting'))
       order by due_at limit :limit for update skip locked)
     returning r.organization_id, r.id, r.attempts)
   select r.id, r.organization_id, r.registered_user_id, r.credential_id, r.connector_slug, r.oauth_app, r.account,
     r.account_id, r.secret_id, r.sealed, r.sealed_under, r.reason, t.attempts, u.data_key, r.give_up_at <= app_now() as expired
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
  sql: `delete from revocations where finished_at < app_now() - interval '30 days'
   and organization_id not in (select id from unserved_organizations)`,
})
// The credential was revoked during the refresh, so the new tokens must be revoked as well.
const revokeRefreshed = statement({
  name: 'revocations.insert_refreshed',
  parameters: { organizationId: uuid, credentialId: uuid, secretId: uuid, sealed: bytea },
  sql: `insert into revocations
     (organization_id, registered_user_id, credential_id, connector_slug, oauth_app, account, account_id, secret_id,
      sealed, sealed_under, reason, give_up_at)
   select organization_id, registered_user_id, id, connector_slug, oauth_app, account, account_id, :secretId, :sealed,
     'user', status_reason, app_now() + interval '1 day'
   from credentials where organization_id = :organizationId and id = :credentialId and status = 'revoked'`,
})
// Users in the order of their IDs. The last one, or null if there was none.
const revokeUsers = statement({
  name: 'revocations.revoke_users',
  parameters: { organizationId: uuid, after: uuid, limit: bigint },
  columns: { last: nullable(uuid) },
  sql: `with users as materialized (
     select id from registered_users where organization_id = :organizationId and id > :after order by id limit :limit
   ), ended as materialized (
     select id, revoke_credentials(:organizationId, id, 'organization_deleted') from users
   )
   select (select id from ended order by id desc limit 1) as last`,
})
const countPending = statement({
  name: 'revocations.count_pending',
  parameters: { organizationId: uuid },
  columns: { pending: bigint },
  sql: 'select count(*) as pending from revocations where organization_id = :organizationId and outcome is null',
})
const countLinked = statement({
  name: 'revocations.count_linked',
  parameters: { organizationId: uuid },
  columns: { linked: bigint },
  sql: `select count(*) as linked from credentials where organization_id = :organizationId and status <> 'revoked'`,
})

export const revocationStore = {
  /** Returns the last user of the batch, or null if there are no more. */
  revokeUsers: async (tx: Queryable, organizationId: string, page: { after: string; limit: number }) =>
    (await one(tx, revokeUsers, { organizationId, ...page }))?.last ?? null,
  countPending: async (db: Queryable, organizationId: string) =>
    (await one(db, countPending, { organizationId }))?.pending ?? 0,
  countLinked: async (db: Queryable, organizationId: string) =>
    (await one(db, countLinked, { organizationId }))?.linked ?? 0,
  sealedOfUser: (tx: Queryable, organizationId: string, userId: string) =>
    tx.query(selectSealed, { organizationId, userId }),
  dropUserRevocations: (tx: Queryable, organizationId: string, userId: string) =>
    tx.query(dropUserRevocations, { organizationId, userId }),
  insertResealed: (tx: Queryable, secret: SealedSecret) => tx.query(insertResealed, secret),
  revokeUnstored: (tx: Queryable, secret: UnstoredSecret) => tx.query(insertUnstored, secret),
  takeDue: (db: Queryable, limit: number) => db.query(takeDue, { limit }),
  finish: (
    db: Queryable,
    { organizationId, id }: { organizationId: string; id: string },
    outcome: RevocationOutcome,
  ) => db.query(finishRevocation, { organizationId, id, outcome }),
  sharesGrant: async (db: Queryable, oauthApps: string[], account: string) =>
    (await one(db, sharesGrant, { oauthApps, account }))?.shared === true,
  currentSecretsOf: (db: Queryable, revocation: PendingRevocation) => db.query(selectCurrent, revocation),
  deleteOldReceipts: (db: Queryable) => db.query(deleteOldReceipts),
  /** Has no effect unless the credential was revoked. */
  revokeRefreshed: (
    tx: Queryable,
    { organizationId, credentialId }: CredentialVersion,
    { secretId, sealed }: Pick<Refreshed, 'secretId' | 'sealed'>,
  ) => tx.query(revokeRefreshed, { organizationId, credentialId, secretId, sealed }),
}
