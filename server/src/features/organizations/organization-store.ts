import type { Capture, LinkBinding, Plan } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import type { OrganizationState } from '../../core/organization-state.ts'
import { routingCode } from '../../core/token.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
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
import type { LastUse } from '../../platform/last-uses.ts'

const organizationColumns = {
  id: uuid,
  name: text,
  state: typed<OrganizationState>(text),
  plan: typed<Plan>(text),
  linkBinding: typed<LinkBinding>(text),
  runtimeCallbackUrl: nullable(text),
  capture: typed<Capture>(text),
  /** The limit set by the operator. Null: the limit of the plan. */
  callLimit: nullable(integer),
  createdAt: timestamptz,
}
export type StoredOrganization = Values<typeof organizationColumns>
export type NewOrganization = { name: string; plan: Plan; callLimit: number | null }
const apiKeyColumns = {
  id: uuid,
  mode: typed<Mode>(text),
  name: text,
  hint: text,
  createdAt: timestamptz,
  lastUsedAt: nullable(timestamptz),
}
export type StoredApiKey = Values<typeof apiKeyColumns>
export type NewApiKey = {
  organizationId: string
  id: string
  mode: Mode
  name: string
  hash: Buffer
  hint: string
  forDevelopment: boolean
}
const keyOwnerColumns = {
  hash: bytea,
  organizationId: uuid,
  organizationState: typed<OrganizationState>(text),
  mode: typed<Mode>(text),
  id: uuid,
  hint: text,
}
export type StoredKeyOwner = Values<typeof keyOwnerColumns>

const ORGANIZATION =
  'id, name, state, plan, link_binding, runtime_callback_url, capture, call_limit, created_at'

const insertOrganization = statement({
  name: 'organizations.insert',
  parameters: { id: uuid, name: text, routingCode: text, plan: text, callLimit: nullable(integer) },
  columns: organizationColumns,
  sql: `insert into organizations (id, name, routing_code, plan, call_limit) values (:id, :name, :routingCode, :plan, :callLimit)
   on conflict (routing_code) do nothing returning ${ORGANIZATION}`,
})
const selectOrganization = statement({
  name: 'organizations.select',
  parameters: { id: uuid },
  columns: organizationColumns,
  sql: `select ${ORGANIZATION} from organizations where id = :id`,
})
const selectOrganizations = statement({
  name: 'organizations.list',
  columns: organizationColumns,
  sql: `select ${ORGANIZATION} from organizations order by created_at, id`,
})
const listedColumns = {
  id: uuid,
  name: text,
  routingCode: text,
  state: typed<OrganizationState>(text),
}
export type ListedOrganization = Values<typeof listedColumns>
const selectDirectory = statement({
  name: 'organizations.directory',
  columns: listedColumns,
  sql: 'select id, name, routing_code, state from organizations order by created_at, id',
})
const updateOrganization = statement({
  name: 'organizations.update',
  parameters: {
    id: uuid,
    name: nullable(text),
    linkBinding: nullable(text),
    runtimeCallbackUrl: nullable(text),
    capture: nullable(text),
    setsRuntimeCallbackUrl: boolean,
  },
  columns: organizationColumns,
  sql: `update organizations set name = coalesce(:name, name), link_binding = coalesce(:linkBinding, link_binding),
     runtime_callback_url = case when :setsRuntimeCallbackUrl::boolean then :runtimeCallbackUrl else runtime_callback_url end, capture = coalesce(:capture, capture)
   where id = :id returning ${ORGANIZATION}`,
})
// Null resets the limit to that of the plan.
const updatePlan = statement({
  name: 'organizations.set_plan',
  parameters: { id: uuid, plan: text, callLimit: nullable(integer) },
  columns: organizationColumns,
  sql: `update organizations set plan = :plan, call_limit = :callLimit where id = :id returning ${ORGANIZATION}`,
})
const updateState = statement({
  name: 'organizations.set_state',
  parameters: { id: uuid, from: array(text), to: text },
  columns: { changed: boolean },
  sql: 'select set_organization_state(:id, :from, :to) as changed',
})
const updatePendingDeletion = statement({
  name: 'organizations.set_pending_deletion',
  parameters: { id: uuid, pendingDeletion: text },
  sql: `update organizations set pending_deletion = :pendingDeletion where id = :id and state = 'deleting'`,
})
const selectPendingDeletions = statement({
  name: 'organizations.pending_deletions',
  columns: { id: uuid, name: text, revokes: ensured(boolean) },
  sql: `select id, name, pending_deletion = 'revoke' as revokes from organizations
   where state = 'deleting' and pending_deletion is not null order by id limit 100`,
})
const insertKey = statement({
  name: 'api_keys.insert',
  parameters: {
    organizationId: uuid,
    id: uuid,
    mode: text,
    name: text,
    hash: bytea,
    hint: text,
    forDevelopment: boolean,
  },
  columns: apiKeyColumns,
  sql: `insert into api_keys (organization_id, id, mode, name, hash, hint, for_development)
   values (:organizationId, :id, :mode, :name, :hash, :hint, :forDevelopment)
   returning id, mode, name, hint, created_at, last_used_at`,
})
const selectKeys = statement({
  name: 'api_keys.list',
  parameters: { organizationId: uuid },
  columns: apiKeyColumns,
  sql: `select id, mode, name, hint, created_at, last_used_at from api_keys where organization_id = :organizationId
   and revoked_at is null order by mode, created_at`,
})
const revokeKey = statement({
  name: 'api_keys.revoke',
  parameters: { organizationId: uuid, id: uuid },
  columns: apiKeyColumns,
  sql: `update api_keys set revoked_at = app_now() where organization_id = :organizationId and id = :id and revoked_at is null
   returning id, mode, name, hint, created_at, last_used_at`,
})
const revokeProductionKey = statement({
  name: 'api_keys.revoke_production',
  parameters: { organizationId: uuid },
  columns: { id: uuid },
  sql: `update api_keys set revoked_at = app_now() where organization_id = :organizationId and mode = 'production'
   and revoked_at is null returning id`,
})
const revokeDevelopmentKeys = statement({
  name: 'api_keys.revoke_development',
  columns: { organizationId: uuid, id: uuid },
  sql: `update api_keys set revoked_at = app_now() where for_development and revoked_at is null
   and organization_id not in (select id from unserved_organizations where state <> 'suspended') returning organization_id, id`,
})
// Queried for each request and never cached, so that a regenerated key is rejected at once on every node.
const selectKeyOwners = statement({
  name: 'api_keys.owners',
  parameters: { hashes: array(bytea) },
  columns: keyOwnerColumns,
  sql: `select k.hash, k.organization_id, o.state as organization_state, k.mode, k.id, k.hint
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
const selectState = statement({
  name: 'organizations.state_by_routing_code',
  parameters: { routingCode: text },
  columns: { state: typed<OrganizationState>(text) },
  sql: 'select state from organizations where routing_code = :routingCode',
})
const insertOrigin = statement({
  name: 'callback_origins.insert',
  parameters: { organizationId: uuid, origin: text },
  columns: { origin: text, createdAt: timestamptz },
  sql: `with added as (
     insert into callback_origins (organization_id, origin) values (:organizationId, :origin) on conflict do nothing
       returning origin, created_at
   )
   select * from added union all
   select origin, created_at from callback_origins where organization_id = :organizationId and origin = :origin limit 1`,
})
const selectOrigins = statement({
  name: 'callback_origins.list',
  parameters: { organizationId: uuid },
  columns: { origin: text, createdAt: timestamptz },
  sql: `select origin, created_at from callback_origins where organization_id = :organizationId order by created_at, origin`,
})
const deleteOrigin = statement({
  name: 'callback_origins.delete',
  parameters: { organizationId: uuid, origin: text },
  columns: { origin: text },
  sql: 'delete from callback_origins where organization_id = :organizationId and origin = :origin returning origin',
})

// Tool Packs belong to the connectors; their migration publishes this function.
const createDefaultPack = statement({
  name: 'tool_packs.create_default',
  parameters: { organizationId: uuid, packId: uuid },
  sql: 'select create_default_tool_pack(:organizationId, :packId)',
})

export const organizationStore = {
  createDefaultPack: (tx: Queryable, organizationId: string, packId: string) =>
    tx.query(createDefaultPack, { organizationId, packId }),
  /** Returns null if another organization has the same routing code. */
  insert: (tx: Queryable, id: string, organization: NewOrganization) =>
    one(tx, insertOrganization, { id, ...organization, routingCode: routingCode(id) }),
  find: (db: Queryable, id: string) => one(db, selectOrganization, { id }),
  stateByRoutingCode: (db: Queryable, code: string) => one(db, selectState, { routingCode: code }),
  list: (db: Queryable) => db.query(selectOrganizations),
  directory: (db: Queryable) => db.query(selectDirectory),
  update: (
    db: Queryable,
    id: string,
    patch: {
      name?: string
      link_binding?: LinkBinding
      runtime_callback_url?: string | null
      capture?: Capture
    },
  ) =>
    one(db, updateOrganization, {
      id,
      name: patch.name ?? null,
      linkBinding: patch.link_binding ?? null,
      runtimeCallbackUrl: patch.runtime_callback_url ?? null,
      setsRuntimeCallbackUrl: patch.runtime_callback_url !== undefined,
      capture: patch.capture ?? null,
    }),
  setPlan: (db: Queryable, id: string, plan: Plan, callLimit: number | null) =>
    one(db, updatePlan, { id, plan, callLimit }),
  /** False if the organization has none of the states `from`. */
  setState: async (
    tx: Queryable,
    id: string,
    from: OrganizationState[],
    to: OrganizationState,
  ): Promise<boolean> => (await one(tx, updateState, { id, from, to }))?.changed ?? false,
  setPendingDeletion: (tx: Queryable, id: string, pendingDeletion: 'revoke' | 'keep_tokens') =>
    tx.query(updatePendingDeletion, { id, pendingDeletion }),
  pendingDeletions: (db: Queryable) => db.query(selectPendingDeletions),

  insertKey: (tx: Queryable, key: NewApiKey) => one(tx, insertKey, key) as Promise<StoredApiKey>,
  listKeys: (db: Queryable, organizationId: string) => db.query(selectKeys, { organizationId }),
  revokeKey: (tx: Queryable, organizationId: string, id: string) =>
    one(tx, revokeKey, { organizationId, id }),
  revokeProductionKey: (tx: Queryable, organizationId: string) =>
    one(tx, revokeProductionKey, { organizationId }),
  revokeDevelopmentKeys: (tx: Queryable) => tx.query(revokeDevelopmentKeys),
  markUsed: (db: Queryable, uses: LastUse[]) =>
    db.query(markUsed, { hashes: uses.map(({ hash }) => hash), msAgo: uses.map(({ msAgo }) => msAgo) }),
  keyOwners: (db: Queryable, hashes: Buffer[]) => db.query(selectKeyOwners, { hashes }),

  addOrigin: (db: Queryable, organizationId: string, origin: string) =>
    one(db, insertOrigin, { organizationId, origin }),
  listOrigins: (db: Queryable, organizationId: string) => db.query(selectOrigins, { organizationId }),
  removeOrigin: (db: Queryable, organizationId: string, origin: string) =>
    one(db, deleteOrigin, { organizationId, origin }),
}
