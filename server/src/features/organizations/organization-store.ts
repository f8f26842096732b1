import type { Capture, LinkBinding, Plan } from '@carabiner/contract'
import type { OrganizationState } from '../../core/organization-state.ts'
import { routingCode } from '../../core/token.ts'
import { one, type Queryable, type Transaction } from '../../platform/database/database.ts'
import {
  array,
  boolean,
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
// Changes of the organization's API keys are serialized, so that their limit holds and the last production key remains.
const lockOrganization = statement({
  name: 'organizations.lock',
  parameters: { id: uuid },
  sql: 'select from organizations where id = :id for no key update',
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
  lock: (tx: Transaction, id: string) => tx.query(lockOrganization, { id }),
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

  addOrigin: (db: Queryable, organizationId: string, origin: string) =>
    one(db, insertOrigin, { organizationId, origin }),
  listOrigins: (db: Queryable, organizationId: string) => db.query(selectOrigins, { organizationId }),
  removeOrigin: (db: Queryable, organizationId: string, origin: string) =>
    one(db, deleteOrigin, { organizationId, origin }),
}
