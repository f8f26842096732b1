import type { Capture, LinkBinding, Plan } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { one, type Queryable, statement } from '../../platform/database/database.ts'

export type OrganizationRow = {
  id: string
  name: string
  plan: Plan
  link_binding: LinkBinding
  runtime_callback_url: string | null
  capture: Capture
  /** The limit set by the operator. Null: the limit of the plan. */
  call_limit: number | null
  created_at: Date
}
export type ApiKeyRow = { id: string; mode: Mode; name: string; hint: string; created_at: Date }
export type NewApiKeyRow = {
  organizationId: string
  id: string
  mode: Mode
  name: string
  hash: Buffer
  hint: string
  forDevelopment: boolean
}
export type KeyOwnerRow = { hash: Buffer; organization_id: string; mode: Mode; id: string; hint: string }

const ORGANIZATION = 'id, name, plan, link_binding, runtime_callback_url, capture, call_limit, created_at'

const insertOrganization = statement<OrganizationRow>(
  'organizations.insert',
  `insert into organizations (id, name) values ($1, $2) returning ${ORGANIZATION}`,
)
const selectOrganization = statement<OrganizationRow>(
  'organizations.select',
  `select ${ORGANIZATION} from organizations where id = $1`,
)
const selectOrganizations = statement<OrganizationRow>(
  'organizations.list',
  `select ${ORGANIZATION} from organizations order by created_at, id`,
)
const updateOrganization = statement<OrganizationRow>(
  'organizations.update',
  `update organizations set name = coalesce($2, name), link_binding = coalesce($3, link_binding),
     runtime_callback_url = case when $6::boolean then $4 else runtime_callback_url end, capture = coalesce($5, capture)
   where id = $1 returning ${ORGANIZATION}`,
)
// Null resets the limit to that of the plan.
const updatePlan = statement<OrganizationRow>(
  'organizations.set_plan',
  `update organizations set plan = $2, call_limit = $3 where id = $1 returning ${ORGANIZATION}`,
)
const insertKey = statement<ApiKeyRow>(
  'api_keys.insert',
  `insert into api_keys (organization_id, id, mode, name, hash, hint, for_development) values ($1, $2, $3, $4, $5, $6, $7)
   returning id, mode, name, hint, created_at`,
)
const selectKeys = statement<ApiKeyRow>(
  'api_keys.list',
  'select id, mode, name, hint, created_at from api_keys where organization_id = $1 and revoked_at is null order by mode, created_at',
)
const revokeKey = statement<ApiKeyRow>(
  'api_keys.revoke',
  `update api_keys set revoked_at = app_now() where organization_id = $1 and id = $2 and revoked_at is null
   returning id, mode, name, hint, created_at`,
)
const revokeProductionKey = statement<{ id: string }>(
  'api_keys.revoke_production',
  `update api_keys set revoked_at = app_now() where organization_id = $1 and mode = 'production' and revoked_at is null returning id`,
)
const revokeDevelopmentKeys = statement<{ organization_id: string; id: string }>(
  'api_keys.revoke_development',
  'update api_keys set revoked_at = app_now() where for_development and revoked_at is null returning organization_id, id',
)
// Queried for each request and never cached, so that a regenerated key is rejected at once on every node.
const selectKeyOwners = statement<KeyOwnerRow>(
  'api_keys.owners',
  'select hash, organization_id, mode, id, hint from api_keys where hash = any($1::bytea[]) and revoked_at is null',
)
const insertOrigin = statement<{ origin: string; created_at: Date }>(
  'callback_origins.insert',
  `with added as (
     insert into callback_origins (organization_id, origin) values ($1, $2) on conflict do nothing returning origin, created_at
   )
   select * from added union all
   select origin, created_at from callback_origins where organization_id = $1 and origin = $2 limit 1`,
)
const selectOrigins = statement<{ origin: string; created_at: Date }>(
  'callback_origins.list',
  'select origin, created_at from callback_origins where organization_id = $1 order by created_at, origin',
)
const deleteOrigin = statement<{ origin: string }>(
  'callback_origins.delete',
  'delete from callback_origins where organization_id = $1 and origin = $2 returning origin',
)

// Tool Packs belong to the connectors; their migration publishes this function.
const createDefaultPack = statement<never>(
  'tool_packs.create_default',
  'select create_default_tool_pack($1, $2)',
)

export const organizationStore = {
  createDefaultPack: (tx: Queryable, organizationId: string, packId: string) =>
    tx.query(createDefaultPack, [organizationId, packId]),
  insert: (tx: Queryable, id: string, name: string) =>
    one(tx, insertOrganization, [id, name]) as Promise<OrganizationRow>,
  find: (db: Queryable, id: string) => one(db, selectOrganization, [id]),
  list: (db: Queryable) => db.query(selectOrganizations),
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
    one(db, updateOrganization, [
      id,
      patch.name ?? null,
      patch.link_binding ?? null,
      patch.runtime_callback_url ?? null,
      patch.capture ?? null,
      patch.runtime_callback_url !== undefined,
    ]),
  setPlan: (db: Queryable, id: string, plan: Plan, callLimit: number | null) =>
    one(db, updatePlan, [id, plan, callLimit]),

  insertKey: (tx: Queryable, key: NewApiKeyRow) =>
    one(tx, insertKey, [
      key.organizationId,
      key.id,
      key.mode,
      key.name,
      key.hash,
      key.hint,
      key.forDevelopment,
    ]) as Promise<ApiKeyRow>,
  listKeys: (db: Queryable, organizationId: string) => db.query(selectKeys, [organizationId]),
  revokeKey: (tx: Queryable, organizationId: string, id: string) => one(tx, revokeKey, [organizationId, id]),
  revokeProductionKey: (tx: Queryable, organizationId: string) =>
    one(tx, revokeProductionKey, [organizationId]),
  revokeDevelopmentKeys: (tx: Queryable) => tx.query(revokeDevelopmentKeys),
  keyOwners: (db: Queryable, hashes: Buffer[]) => db.query(selectKeyOwners, [hashes]),

  addOrigin: (db: Queryable, organizationId: string, origin: string) =>
    one(db, insertOrigin, [organizationId, origin]),
  listOrigins: (db: Queryable, organizationId: string) => db.query(selectOrigins, [organizationId]),
  removeOrigin: (db: Queryable, organizationId: string, origin: string) =>
    one(db, deleteOrigin, [organizationId, origin]),
}
