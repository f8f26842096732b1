import { columns } from '../../../platform/database/coalesce.ts'
import { one, type Parameter, type Queryable, statement } from '../../../platform/database/database.ts'

export type RotationRow = {
  id: number
  vault_key_id: Buffer
  users_total: number
  users_done: number
  secrets_done: number
  organization_id: string | null
  user_id: string | null
  started_at: Date
}
export type UserKeyRow = { id: string; data_key: Buffer }
export type SecretKind = 'credential' | 'waiting' | 'revocation'
export type UserSecretRow = {
  kind: SecretKind
  registered_user_id: string
  connector_slug: string
  secret_id: string
  sealed: Buffer
  credential_id: string | null
  leased: boolean
}
export type OrganizationSecretRow = { purpose: string; id: string; sealed: Buffer }

const ROTATION =
  'id, vault_key_id, users_total, users_done, secrets_done, organization_id, user_id, started_at'

const running = statement<RotationRow>(
  'key_rotations.running',
  `select ${ROTATION} from key_rotations where finished_at is null`,
)
const start = statement<RotationRow>(
  'key_rotations.start',
  `insert into key_rotations (vault_key_id, users_total) select $1, count(*) from registered_users returning ${ROTATION}`,
)
// Concurrent runs alternate by locking this row; each step continues where the last one ended.
const lock = statement<RotationRow>(
  'key_rotations.lock',
  `select ${ROTATION} from key_rotations where id = $1 and finished_at is null for update`,
)
const enterOrganization = statement<never>(
  'key_rotations.enter',
  'update key_rotations set organization_id = $2, user_id = null where id = $1',
)
const advance = statement<RotationRow>(
  'key_rotations.advance',
  `update key_rotations set user_id = $2, users_done = users_done + $3, secrets_done = secrets_done + $4 where id = $1
   returning ${ROTATION}`,
)
const finish = statement<never>(
  'key_rotations.finish',
  'update key_rotations set finished_at = app_now(), organization_id = null, user_id = null where id = $1',
)
const nextOrganization = statement<{ id: string }>(
  'key_rotations.next_organization',
  'select id from organizations where $1::uuid is null or id > $1 order by id limit 1',
)

// Locked users are skipped and retried later, so that neither the rotation nor a call waits for the other.
const takeUsers = statement<UserKeyRow>(
  'key_rotations.take_users',
  `select id, data_key from registered_users
   where organization_id = $1 and id > $2 and sealing_key(data_key) <> $3
   order by id limit $4 for no key update skip locked`,
)
const countLeft = statement<{ count: number }>(
  'key_rotations.count_left',
  'select count(*) from registered_users where organization_id = $1 and sealing_key(data_key) <> $2',
)
// Every secret sealed under a user's data key: the same three tables as in the view sealed_secrets.
const selectSecrets = statement<UserSecretRow>(
  'key_rotations.user_secrets',
  `select 'credential' as kind, registered_user_id, connector_slug, secret_id, sealed, id as credential_id,
     coalesce(lease_until > app_now(), false) as leased
   from credentials where organization_id = $1 and registered_user_id = any($2::uuid[]) and sealed is not null
   union all
   select 'waiting', registered_user_id, connector_slug, secret_id, sealed, null, false
   from waiting_secrets where organization_id = $1 and registered_user_id = any($2::uuid[])
   union all
   select 'revocation', registered_user_id, connector_slug, secret_id, sealed, null, false
   from revocations
   where organization_id = $1 and registered_user_id = any($2::uuid[]) and outcome is null and sealed_under = 'user'`,
)
// A revocation may finish concurrently and delete its secret. All other rows are stable while the user's row is locked.
const rekey = statement<{ users: number; kept: number }>(
  'key_rotations.rekey',
  `with fresh as materialized (
     select * from unnest($4::text[], $5::uuid[], $6::uuid[], $7::bytea[]) as t(kind, user_id, secret_id, sealed)
   ), users as (
     update registered_users u set data_key = k.data_key from unnest($2::uuid[], $3::bytea[]) as k(id, data_key)
     where u.organization_id = $1 and u.id = k.id returning u.id
   ), stored as (
     update credentials c set sealed = f.sealed from fresh f
     where f.kind = 'credential' and c.organization_id = $1 and c.registered_user_id = f.user_id and c.secret_id = f.secret_id
       and c.sealed is not null
     returning c.id
   ), waiting as (
     update waiting_secrets w set sealed = f.sealed from fresh f
     where f.kind = 'waiting' and w.organization_id = $1 and w.registered_user_id = f.user_id and w.secret_id = f.secret_id
     returning w.secret_id
   ), revoked as (
     update revocations r set sealed = f.sealed from fresh f
     where f.kind = 'revocation' and r.organization_id = $1 and r.registered_user_id = f.user_id and r.secret_id = f.secret_id
       and r.outcome is null and r.sealed_under = 'user'
     returning r.id
   )
   select (select count(*) from users) as users, (select count(*) from stored) + (select count(*) from waiting) as kept,
     (select count(*) from revoked) as revoked`,
)
const selectOrganizationSecrets = statement<OrganizationSecretRow>(
  'key_rotations.organization_secrets',
  'select purpose, id, sealed from organization_secrets where organization_id = $1 and sealing_key(sealed) <> $2',
)
const resealOrganizationSecret = statement<never>(
  'key_rotations.reseal_organization_secret',
  'select reseal_organization_secret($1, $2, $3, $4, $5)',
)
// Stored responses are kept for a day and keys are cached for minutes, so after this time only overlooked secrets need the
// old key.
const superseded = statement<{ organization_id: string; generations: number[] }>(
  'key_rotations.superseded',
  `select organization_id, array_agg(generation) as generations from (
     select organization_id, generation, lag(created_at) over (partition by organization_id order by generation desc) as superseded_at
     from organization_keys) k
   where superseded_at < app_now() - interval '25 hours' and not exists (select from key_rotations where finished_at is null)
   group by organization_id`,
)

export type ResealedSecret = { kind: SecretKind; userId: string; secretId: string; sealed: Buffer }
export type NewUserKey = { id: string; dataKey: Buffer }

export const rotateStore = {
  running: (db: Queryable) => one(db, running, []),
  start: (tx: Queryable, vaultKeyId: Buffer) => one(tx, start, [vaultKeyId]),
  lock: (tx: Queryable, id: number) => one(tx, lock, [id]),
  enterOrganization: (tx: Queryable, id: number, organizationId: string) =>
    tx.query(enterOrganization, [id, organizationId]),
  advance: (tx: Queryable, id: number, userId: string | null, users: number, secrets: number) =>
    one(tx, advance, [id, userId, users, secrets]) as Promise<RotationRow>,
  finish: (tx: Queryable, id: number) => tx.query(finish, [id]),
  nextOrganization: (db: Queryable, after: string | null) => one(db, nextOrganization, [after]),
  takeUsers: (tx: Queryable, organizationId: string, after: string, newestKeyId: Buffer, limit: number) =>
    tx.query(takeUsers, [organizationId, after, newestKeyId, limit]),
  countLeft: async (db: Queryable, organizationId: string, newestKeyId: Buffer): Promise<number> =>
    (await one(db, countLeft, [organizationId, newestKeyId]))?.count ?? 0,
  secretsOf: (tx: Queryable, organizationId: string, userIds: string[]) =>
    tx.query(selectSecrets, [organizationId, userIds]),
  rekey: (tx: Queryable, organizationId: string, users: NewUserKey[], secrets: ResealedSecret[]) =>
    one(tx, rekey, [
      organizationId,
      ...(columns(users, ['id', 'dataKey']) as Parameter[][]),
      ...(columns(secrets, ['kind', 'userId', 'secretId', 'sealed']) as Parameter[][]),
    ]) as Promise<{ users: number; kept: number }>,
  organizationSecrets: (tx: Queryable, organizationId: string, newestKeyId: Buffer) =>
    tx.query(selectOrganizationSecrets, [organizationId, newestKeyId]),
  resealOrganizationSecret: (
    tx: Queryable,
    organizationId: string,
    { purpose, id, sealed }: OrganizationSecretRow,
    next: Buffer,
  ) => tx.query(resealOrganizationSecret, [organizationId, purpose, id, sealed, next]),
  superseded: (db: Queryable) => db.query(superseded),
}
