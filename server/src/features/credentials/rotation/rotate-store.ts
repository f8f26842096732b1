import type { OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  arraysOf,
  bigint,
  boolean,
  bytea,
  integer,
  nullable,
  text,
  timestamptz,
  toArrays,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

const rotationColumns = {
  id: integer,
  vaultKeyId: bytea,
  usersTotal: bigint,
  usersDone: bigint,
  secretsDone: bigint,
  organizationId: nullable(uuid),
  userId: nullable(uuid),
  startedAt: timestamptz,
}
export type KeyRotation = Values<typeof rotationColumns>
const userKeyColumns = {
  id: uuid,
  dataKey: bytea,
}
export type UserKey = Values<typeof userKeyColumns>
export type SecretKind = 'credential' | 'waiting' | 'revocation'
const userSecretColumns = {
  kind: typed<SecretKind>(text),
  registeredUserId: uuid,
  connectorSlug: text,
  secretId: uuid,
  sealed: bytea,
  credentialId: nullable(uuid),
  leased: boolean,
}
export type UserSecret = Values<typeof userSecretColumns>
const organizationSecretColumns = {
  purpose: text,
  id: uuid,
  sealed: bytea,
}
export type OrganizationSecret = Values<typeof organizationSecretColumns>

const newKeyColumns = { id: uuid, dataKey: bytea }
export type NewUserKey = Values<typeof newKeyColumns>

const resealedColumns = { kind: typed<SecretKind>(text), userId: uuid, secretId: uuid, sealed: bytea }
export type ResealedSecret = Values<typeof resealedColumns>

const ROTATION =
  'id, vault_key_id, users_total, users_done, secrets_done, organization_id, user_id, started_at'

const running = statement({
  name: 'key_rotations.running',
  columns: rotationColumns,
  sql: `select ${ROTATION} from key_rotations where finished_at is null`,
})
// The rows of these organizations are being copied or deleted, and must not change meanwhile.
const findUnstable = statement({
  name: 'key_rotations.unstable_organization',
  columns: { id: uuid },
  sql: `select id from unserved_organizations where state not in ('moved', 'suspended')
   union all select organization_id as id from organization_imports limit 1`,
})
const start = statement({
  name: 'key_rotations.start',
  parameters: { vaultKeyId: bytea },
  columns: rotationColumns,
  sql: `insert into key_rotations (vault_key_id, users_total) select :vaultKeyId, count(*) from registered_users
   returning ${ROTATION}`,
})
// Concurrent runs alternate by locking this row; each step continues where the last one ended.
const lock = statement({
  name: 'key_rotations.lock',
  parameters: { id: integer },
  columns: rotationColumns,
  sql: `select ${ROTATION} from key_rotations where id = :id and finished_at is null for update`,
})
const enterOrganization = statement({
  name: 'key_rotations.enter',
  parameters: { id: integer, organizationId: uuid },
  sql: 'update key_rotations set organization_id = :organizationId, user_id = null where id = :id',
})
const advance = statement({
  name: 'key_rotations.advance',
  parameters: { id: integer, userId: nullable(uuid), users: bigint, secrets: bigint },
  columns: rotationColumns,
  sql: `update key_rotations set user_id = :userId, users_done = users_done + :users,
   secrets_done = secrets_done + :secrets where id = :id
   returning ${ROTATION}`,
})
const finish = statement({
  name: 'key_rotations.finish',
  parameters: { id: integer },
  sql: 'update key_rotations set finished_at = app_now(), organization_id = null, user_id = null where id = :id',
})
// The share lock delays a change of the state until the step is committed.
const lockState = statement({
  name: 'key_rotations.lock_organization',
  parameters: { organizationId: uuid },
  columns: { state: typed<OrganizationState>(text) },
  sql: 'select state from organizations where id = :organizationId for share',
})
// An organization that was moved may have no keys left.
const nextOrganization = statement({
  name: 'key_rotations.next_organization',
  parameters: { after: nullable(uuid) },
  columns: { id: uuid },
  sql: `select id from organizations o where (:after::uuid is null or id > :after)
     and (state <> 'moved' or exists (select from organization_keys k where k.organization_id = o.id))
   order by id limit 1`,
})

// Locked users are skipped and retried later, so that neither the rotation nor a call waits for the other.
const takeUsers = statement({
  name: 'key_rotations.take_users',
  parameters: { organizationId: uuid, after: uuid, newestKeyId: bytea, limit: bigint },
  columns: userKeyColumns,
  sql: `select id, data_key from registered_users
   where organization_id = :organizationId and id > :after and sealing_key(data_key) <> :newestKeyId
   order by id limit :limit for no key update skip locked`,
})
const countLeft = statement({
  name: 'key_rotations.count_left',
  parameters: { organizationId: uuid, newestKeyId: bytea },
  columns: { count: bigint },
  sql: `select count(*) from registered_users where organization_id = :organizationId and sealing_key(data_key) <> :newestKeyId`,
})
// Every secret sealed under a user's data key: the same three tables as in the view sealed_secrets.
const selectSecrets = statement({
  name: 'key_rotations.user_secrets',
  parameters: { organizationId: uuid, userIds: array(uuid) },
  columns: userSecretColumns,
  sql: `select 'credential' as kind, registered_user_id, connector_slug, secret_id, sealed, id as credential_id,
     coalesce(lease_until > app_now(), false) as leased
   from credentials where organization_id = :organizationId and registered_user_id = any(:userIds::uuid[]) and sealed is not null
   union all
   select 'waiting', registered_user_id, connector_slug, secret_id, sealed, null, false
   from pending_secrets where organization_id = :organizationId and registered_user_id = any(:userIds::uuid[])
   union all
   select 'revocation', registered_user_id, connector_slug, secret_id, sealed, null, false
   from revocations
   where organization_id = :organizationId and registered_user_id = any(:userIds::uuid[]) and outcome is null
     and sealed_under = 'user'`,
})
// A revocation may finish concurrently and delete its secret. All other rows are stable while the user's row is locked.
const rekey = statement({
  name: 'key_rotations.rekey',
  parameters: { organizationId: uuid, ...arraysOf(newKeyColumns), ...arraysOf(resealedColumns) },
  columns: { users: bigint, kept: bigint },
  sql: `with fresh as materialized (
     select * from unnest(:kind::text[], :userId::uuid[], :secretId::uuid[], :sealed::bytea[]) as t(kind, user_id,
       secret_id, sealed)
   ), users as (
     update registered_users u set data_key = k.data_key from unnest(:id::uuid[], :dataKey::bytea[]) as k(id, data_key)
     where u.organization_id = :organizationId and u.id = k.id returning u.id
   ), stored as (
     update credentials c set sealed = f.sealed from fresh f
     where f.kind = 'credential' and c.organization_id = :organizationId and c.registered_user_id = f.user_id
       and c.secret_id = f.secret_id
       and c.sealed is not null
     returning c.id
   ), waiting as (
     update pending_secrets w set sealed = f.sealed from fresh f
     where f.kind = 'waiting' and w.organization_id = :organizationId and w.registered_user_id = f.user_id
       and w.secret_id = f.secret_id
     returning w.secret_id
   ), revoked as (
     update revocations r set sealed = f.sealed from fresh f
     where f.kind = 'revocation' and r.organization_id = :organizationId and r.registered_user_id = f.user_id
       and r.secret_id = f.secret_id
       and r.outcome is null and r.sealed_under = 'user'
     returning r.id
   )
   select (select count(*) from users) as users, (select count(*) from stored) + (select count(*) from waiting) as kept,
     (select count(*) from revoked) as revoked`,
})
const selectOrganizationSecrets = statement({
  name: 'key_rotations.organization_secrets',
  parameters: { organizationId: uuid, newestKeyId: bytea },
  columns: organizationSecretColumns,
  sql: `select purpose, id, sealed from organization_secrets where organization_id = :organizationId
   and sealing_key(sealed) <> :newestKeyId`,
})
const resealOrganizationSecret = statement({
  name: 'key_rotations.reseal_organization_secret',
  parameters: { organizationId: uuid, purpose: text, id: uuid, sealed: bytea, next: bytea },
  sql: 'select reseal_organization_secret(:organizationId, :purpose, :id, :sealed, :next)',
})
// Stored responses are kept for a day and keys are cached for minutes, so after this time only overlooked secrets need the
// old key.
const superseded = statement({
  name: 'key_rotations.superseded',
  columns: { organizationId: uuid, generations: array(integer) },
  sql: `select organization_id, array_agg(generation) as generations from (
     select organization_id, generation, lag(created_at) over (partition by organization_id
       order by generation desc) as superseded_at
     from organization_keys) k
   where superseded_at < app_now() - interval '25 hours' and not exists (select from key_rotations where finished_at is null)
     and organization_id not in (select id from unserved_organizations)
   group by organization_id`,
})

export const rotateStore = {
  running: (db: Queryable) => one(db, running),
  /** An organization that is being imported, moved or deleted. */
  findUnstable: (tx: Queryable) => one(tx, findUnstable),
  start: (tx: Queryable, vaultKeyId: Buffer) => one(tx, start, { vaultKeyId }),
  lock: (tx: Queryable, id: number) => one(tx, lock, { id }),
  enterOrganization: (tx: Queryable, id: number, organizationId: string) =>
    tx.query(enterOrganization, { id, organizationId }),
  advance: (tx: Queryable, id: number, userId: string | null, users: number, secrets: number) =>
    one(tx, advance, { id, userId, users, secrets }) as Promise<KeyRotation>,
  finish: (tx: Queryable, id: number) => tx.query(finish, { id }),
  /** Null if the organization was deleted. */
  lockState: async (tx: Queryable, organizationId: string): Promise<OrganizationState | null> =>
    (await one(tx, lockState, { organizationId }))?.state ?? null,
  nextOrganization: (db: Queryable, after: string | null) => one(db, nextOrganization, { after }),
  takeUsers: (tx: Queryable, organizationId: string, after: string, newestKeyId: Buffer, limit: number) =>
    tx.query(takeUsers, { organizationId, after, newestKeyId, limit }),
  countLeft: async (db: Queryable, organizationId: string, newestKeyId: Buffer): Promise<number> =>
    (await one(db, countLeft, { organizationId, newestKeyId }))?.count ?? 0,
  secretsOf: (tx: Queryable, organizationId: string, userIds: string[]) =>
    tx.query(selectSecrets, { organizationId, userIds }),
  rekey: (tx: Queryable, organizationId: string, users: NewUserKey[], secrets: ResealedSecret[]) =>
    one(tx, rekey, {
      organizationId,
      ...toArrays(newKeyColumns, users),
      ...toArrays(resealedColumns, secrets),
    }) as Promise<{ users: number; kept: number }>,
  organizationSecrets: (tx: Queryable, organizationId: string, newestKeyId: Buffer) =>
    tx.query(selectOrganizationSecrets, { organizationId, newestKeyId }),
  resealOrganizationSecret: (
    tx: Queryable,
    organizationId: string,
    { purpose, id, sealed }: OrganizationSecret,
    next: Buffer,
  ) => tx.query(resealOrganizationSecret, { organizationId, purpose, id, sealed, next }),
  superseded: (db: Queryable) => db.query(superseded),
}
