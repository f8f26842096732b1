import type { KeyGroup } from '@carabiner/contract/key-groups'
import type { Actor } from '../../core/audited-change.ts'
import type { Mode } from '../../core/mode.ts'
import type { OrganizationState } from '../../core/organization-state.ts'
import { one, type Queryable, type Transaction } from '../../platform/database/database.ts'
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
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import type { LastUse } from '../../platform/last-uses.ts'

const groups = nullable(typed<KeyGroup[]>(array(text)))

const apiKeyColumns = {
  id: uuid,
  mode: typed<Mode>(text),
  name: text,
  hint: text,
  groups,
  createdAt: timestamptz,
  createdBy: typed<Actor>(jsonb),
  lastUsedAt: nullable(timestamptz),
  expiresAt: nullable(timestamptz),
  replacedBy: nullable(uuid),
  lineage: uuid,
}
export type StoredApiKey = Values<typeof apiKeyColumns>
const COLUMNS =
  'id, mode, name, hint, groups, created_at, created_by, last_used_at, expires_at, replaced_by, lineage'

const keyOwnerColumns = {
  hash: bytea,
  organizationId: uuid,
  organizationState: typed<OrganizationState>(text),
  mode: typed<Mode>(text),
  id: uuid,
  hint: text,
  groups,
  isValid: boolean,
  isReplaced: ensured(boolean),
}

/** The key that takes the place of another one. */
const successorColumns = {
  lineage: uuid,
  mode: typed<Mode>(text),
  name: text,
  groups,
  expiresAt: nullable(timestamptz),
}
export type KeySuccessor = Values<typeof successorColumns>

const newKeyParameters = {
  organizationId: uuid,
  id: uuid,
  lineage: uuid,
  mode: typed<Mode>(text),
  name: text,
  hash: bytea,
  hint: text,
  groups,
  createdBy: typed<Actor>(jsonb),
  forDevelopment: boolean,
  expiresAt: nullable(typed<Date | string>(timestamptz)),
  /** Instead of `expiresAt`. */
  expiresInDays: nullable(integer),
}
export type NewApiKey = Values<typeof newKeyParameters>

/** Of such keys, an organization keeps one: it could not create another one by API otherwise. */
const isPermanent = (key: string): string =>
  `(${key}.mode = 'production' and ${key}.groups is null and ${key}.expires_at is null and ${key}.revoked_at is null)`

// The database compares times.
const insertKey = statement({
  name: 'api_keys.insert',
  parameters: newKeyParameters,
  columns: apiKeyColumns,
  sql: `insert into api_keys (organization_id, id, lineage, mode, name, hash, hint, groups, created_by, for_development, expires_at)
   select :organizationId, :id, :lineage, :mode, :name, :hash, :hint, :groups, :createdBy, :forDevelopment, until
   from (select coalesce(:expiresAt::timestamptz, app_now() + make_interval(days => :expiresInDays::integer)) as until) given
   where coalesce(until > app_now(), true)
   returning ${COLUMNS}`,
})
const selectKeys = statement({
  name: 'api_keys.list',
  parameters: { organizationId: uuid },
  columns: apiKeyColumns,
  sql: `select ${COLUMNS} from api_keys where organization_id = :organizationId and revoked_at is null
   and coalesce(expires_at > app_now() - interval '30 days', true) order by mode, created_at, id`,
})
const countValid = statement({
  name: 'api_keys.count_valid',
  parameters: { organizationId: uuid },
  columns: { valid: integer },
  sql: 'select count(*)::integer as valid from valid_api_keys where organization_id = :organizationId',
})
const selectPermanent = statement({
  name: 'api_keys.permanent',
  parameters: { organizationId: uuid },
  columns: { id: uuid },
  sql: `select k.id from api_keys k where k.organization_id = :organizationId and ${isPermanent('k')} order by k.created_at, k.id limit 1`,
})

// A key is replaced once, while it is valid. The new one has the same lifetime, beginning now.
const REPLACED = `with replaced as (
     select organization_id, id, expires_at - created_at as lifetime from api_keys
     where organization_id = :organizationId and id = :id and is_valid_api_key(revoked_at, expires_at) and replaced_by is null
     for no key update
   )`
const SUCCESSOR = 'k.lineage, k.mode, k.name, k.groups, app_now() + replaced.lifetime as expires_at'
const rollKey = statement({
  name: 'api_keys.roll',
  parameters: { organizationId: uuid, id: uuid, replacedBy: uuid, overlapMinutes: integer },
  columns: { ...successorColumns, overlapEndsAt: ensured(timestamptz) },
  sql: `${REPLACED}
   update api_keys k set replaced_by = :replacedBy,
     expires_at = least(k.expires_at, app_now() + make_interval(mins => :overlapMinutes))
   from replaced where k.organization_id = replaced.organization_id and k.id = replaced.id
   returning ${SUCCESSOR}, k.expires_at as overlap_ends_at`,
})
const regenerateKey = statement({
  name: 'api_keys.regenerate',
  parameters: { organizationId: uuid, id: uuid },
  columns: successorColumns,
  sql: `${REPLACED}
   update api_keys k set revoked_at = app_now()
   from replaced where k.organization_id = replaced.organization_id and k.id = replaced.id
   returning ${SUCCESSOR}`,
})
// The keys that a key has replaced and whose overlap is not over follow it.
const passPrevious = statement({
  name: 'api_keys.pass_previous',
  parameters: { organizationId: uuid, id: uuid, replacedBy: uuid },
  sql: `update api_keys set replaced_by = :replacedBy where organization_id = :organizationId and replaced_by = :id`,
})
const revokePrevious = statement({
  name: 'api_keys.revoke_previous',
  parameters: { organizationId: uuid, id: uuid },
  sql: `update api_keys set revoked_at = app_now() where organization_id = :organizationId and replaced_by = :id
   and revoked_at is null`,
})
const revokeKey = statement({
  name: 'api_keys.revoke',
  parameters: { organizationId: uuid, id: uuid },
  columns: { id: uuid },
  sql: `update api_keys k set revoked_at = app_now() where k.organization_id = :organizationId and k.id = :id and k.revoked_at is null
   and (not ${isPermanent('k')} or exists (
     select from api_keys other where other.organization_id = :organizationId and other.id <> :id and ${isPermanent('other')}))
   returning k.id`,
})
const endOverlap = statement({
  name: 'api_keys.end_overlap',
  parameters: { organizationId: uuid, id: uuid },
  columns: { id: uuid },
  sql: `update api_keys set revoked_at = app_now() where organization_id = :organizationId and id = :id
   and replaced_by is not null and is_valid_api_key(revoked_at, expires_at) returning id`,
})
const revokeDevelopmentKeys = statement({
  name: 'api_keys.revoke_development',
  columns: { organizationId: uuid, id: uuid },
  sql: `update api_keys set revoked_at = app_now() where for_development and revoked_at is null
   and organization_id not in (select id from unserved_organizations where state <> 'suspended') returning organization_id, id`,
})

// Queried for each request and never cached, so that a revoked or expired key is rejected at once on every node.
const selectKeyOwners = statement({
  name: 'api_keys.owners',
  parameters: { hashes: array(bytea) },
  columns: keyOwnerColumns,
  sql: `select k.hash, k.organization_id, o.state as organization_state, k.mode, k.id, k.hint, k.groups,
     is_valid_api_key(k.revoked_at, k.expires_at) as is_valid, k.replaced_by is not null as is_replaced
   from api_keys k join organizations o on o.id = k.organization_id
   where k.hash = any(:hashes::bytea[]) and k.revoked_at is null`,
})
// Rows are locked in order, so that two processes cannot deadlock.
const markUsed = statement({
  name: 'api_keys.mark_used',
  parameters: { hashes: array(bytea), msAgo: array(double) },
  sql: `with used as (
     select k.organization_id, k.id, app_now() - u.ms_ago * interval '1 millisecond' as used_at
     from unnest(:hashes::bytea[], :msAgo::float8[]) u(hash, ms_ago)
     join api_keys k on k.hash = u.hash and k.revoked_at is null
     where k.organization_id not in (select id from unserved_organizations)
     order by k.organization_id, k.id for no key update of k
   )
   update api_keys k set last_used_at = greatest(k.last_used_at, used.used_at) from used
   where k.organization_id = used.organization_id and k.id = used.id`,
})
const takeExpiring = statement({
  name: 'api_keys.take_expiring',
  columns: {
    organizationId: uuid,
    id: uuid,
    mode: typed<Mode>(text),
    name: text,
    expiresAt: ensured(timestamptz),
  },
  sql: `update api_keys set expiry_reported_at = app_now()
   where is_valid_api_key(revoked_at, expires_at) and replaced_by is null and expiry_reported_at is null
     and expires_at <= app_now() + interval '7 days' and expires_at > created_at + interval '7 days'
     and organization_id not in (select id from unserved_organizations)
   returning organization_id, id, mode, name, expires_at`,
})
const deleteEnded = statement({
  name: 'api_keys.delete_ended',
  sql: `delete from api_keys where least(revoked_at, expires_at) < app_now() - interval '30 days'
   and organization_id not in (select id from unserved_organizations)`,
})

type KeyId = { organizationId: string; id: string }

export const apiKeyStore = {
  /** Null if the expiry is not in the future. */
  insert: (tx: Queryable, key: NewApiKey) => one(tx, insertKey, key),
  /** Expired keys stay listed for a month, so that their owner can find out why requests fail. */
  list: (db: Queryable, organizationId: string) => db.query(selectKeys, { organizationId }),
  countValid: async (tx: Transaction, organizationId: string) =>
    (await one(tx, countValid, { organizationId }))?.valid ?? 0,
  /** The oldest unrestricted production key without an expiry. */
  permanent: (tx: Transaction, organizationId: string) => one(tx, selectPermanent, { organizationId }),
  roll: async (tx: Transaction, key: KeyId, replacedBy: string, overlapMinutes: number) => {
    const rolled = await one(tx, rollKey, { ...key, replacedBy, overlapMinutes })
    if (rolled) await tx.query(passPrevious, { ...key, replacedBy })
    return rolled
  },
  regenerate: async (tx: Transaction, key: KeyId) => {
    const regenerated = await one(tx, regenerateKey, key)
    if (regenerated) await tx.query(revokePrevious, key)
    return regenerated
  },
  /** Null if there is no such key, or if it is the last permanent one. */
  revoke: async (tx: Transaction, key: KeyId) => {
    const revoked = await one(tx, revokeKey, key)
    if (revoked) await tx.query(revokePrevious, key)
    return revoked
  },
  endOverlap: (db: Queryable, key: KeyId) => one(db, endOverlap, key),
  revokeDevelopmentKeys: (tx: Queryable) => tx.query(revokeDevelopmentKeys),
  owners: (db: Queryable, hashes: Buffer[]) => db.query(selectKeyOwners, { hashes }),
  markUsed: (db: Queryable, uses: LastUse[]) =>
    db.query(markUsed, { hashes: uses.map(({ hash }) => hash), msAgo: uses.map(({ msAgo }) => msAgo) }),
  /** Each key is returned once. */
  takeExpiring: (tx: Transaction) => tx.query(takeExpiring),
  deleteEnded: (db: Queryable) => db.query(deleteEnded),
}
