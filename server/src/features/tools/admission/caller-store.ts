import type { LinkBinding, Plan } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import type { OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  boolean,
  bytea,
  integer,
  nullable,
  text,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { PackServing } from '../../connectors/tool-packs/tool-pack-settings.ts'

/** Who calls: the key, the Registered User and the Tool Pack that the request names. */
export type Caller = { keyHash: Buffer; registeredUserId: string; toolPackId: string }

export const callerParameters = { keyHash: bytea, registeredUserId: uuid, toolPackId: uuid }

/** The IDs are null where the key, the user or the pack does not exist; the fields that depend on them are then null too. */
export const callerColumns = {
  organizationId: nullable(uuid),
  organizationState: typed<OrganizationState>(text),
  mode: typed<Mode>(text),
  plan: typed<Plan>(text),
  linkBinding: typed<LinkBinding>(text),
  runtimeCallbackUrl: nullable(text),
  userId: nullable(uuid),
  userActive: boolean,
  userKey: bytea,
  rateLimitPerMinute: nullable(integer),
  packId: nullable(uuid),
  /** Maximum result size in bytes for the model, and whether larger results are stored for an hour. */
  packResultLimit: integer,
  packResultHandles: boolean,
  packExplainAccess: boolean,
  /** Whether results say that the account ends soon. */
  packRenewalNotices: boolean,
  /** Whether calls that wait for an approval become tasks. */
  packTasks: boolean,
  packServing: typed<PackServing>(text),
}
export type FoundCaller = Values<typeof callerColumns>
/** The same for a valid key, an existing user and an existing pack. */
export type Known<Found> = Omit<Found, 'organizationState'> & {
  organizationId: string
  userId: string
  packId: string
}

// Conditions that the admission of a call requires too. An MCP key or an access token has the mode of its user.
export const USER_IN_MODE = 'u.mode = coalesce(k.mode, u.mode)'
export const USER_OF_KEY = '(k.registered_user_id is null or u.id = k.registered_user_id)'
export const PACK_OF_KEY = '(k.tool_pack_ids is null or p.id = any(k.tool_pack_ids))'

/** The caller and its Tool Pack. */
export const callerWith = (columnsOfPack = '') => `
  select k.organization_id, k.organization_state, k.mode, k.plan, k.link_binding, k.runtime_callback_url,
    u.id as user_id, u.is_active as user_active, u.data_key as user_key, u.rate_limit_per_minute, p.id as pack_id, p.result_limit as pack_result_limit,
    p.result_handles as pack_result_handles, p.explain_access as pack_explain_access, p.renewal_notices as pack_renewal_notices, p.tasks as pack_tasks,
    p.serving as pack_serving${columnsOfPack}
  from (select) nothing
  left join admission_keys k on k.hash = :keyHash
  left join admission_users u on u.organization_id = k.organization_id and u.id = :registeredUserId
    and ${USER_IN_MODE} and ${USER_OF_KEY}
  left join admission_packs p on p.organization_id = k.organization_id and p.id = :toolPackId
    and ${PACK_OF_KEY}`

const selectCaller = statement({
  name: 'tools.caller',
  parameters: callerParameters,
  columns: callerColumns,
  sql: callerWith(),
})

export const callerStore = {
  find: (db: Queryable, caller: Caller) => one(db, selectCaller, caller) as Promise<FoundCaller>,
}
