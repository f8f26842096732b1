import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  boolean,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import {
  type AdmissionSql,
  checked,
  httpCall,
  lookUp,
  mcpCall,
  RATE_TOKEN,
  rateAllows,
  rateLeft,
  rateWaitMs,
} from '../admission/admission-reading-store.ts'
import {
  accountOf,
  admissionColumns,
  type CallAdmission,
  credentialColumns,
  type McpCallAdmission,
  serverColumns,
  serverOf,
} from '../admission/admission-rows.ts'

const targetColumns = {
  userId: nullable(uuid),
  userMode: nullable(typed<Mode>(text)),
  originUserId: nullable(text),
  originUserName: nullable(text),
  packId: nullable(uuid),
  packName: nullable(text),
}
/** The user and the pack that a request names. The IDs are null where there is none. */
export type ExplainTarget = Values<typeof targetColumns>
export type TargetNames = {
  organizationId: string
  mode: Mode
  /** The modes whose users may be named to the caller. */
  visibleModes: Mode[]
  registeredUserId: string | null
  originUserId: string | null
  /** Null: the default pack. */
  toolPackId: string | null
}

const NAMED_USER = 'select id, mode, origin_user_id, origin_user_name from registered_users'

const selectTarget = statement({
  name: 'explain.target',
  parameters: {
    organizationId: uuid,
    mode: text,
    visibleModes: array(text),
    registeredUserId: nullable(uuid),
    originUserId: nullable(text),
    toolPackId: nullable(uuid),
  },
  columns: targetColumns,
  sql: `select u.id as user_id, u.mode as user_mode, u.origin_user_id, u.origin_user_name, p.id as pack_id, p.name as pack_name
   from (select) nothing
   left join lateral (
     select * from (
       ${NAMED_USER} where organization_id = :organizationId and id = :registeredUserId and mode = any(:visibleModes::text[])
       union all
       ${NAMED_USER} where organization_id = :organizationId and origin_user_id = :originUserId and mode = any(:visibleModes::text[])
     ) named order by mode = :mode desc limit 1) u on true
   left join tool_packs p on p.organization_id = :organizationId
     and (p.id = :toolPackId or (:toolPackId::uuid is null and p.is_default))`,
})

const explainedColumns = {
  ...admissionColumns,
  ...credentialColumns,
  /** Null if the organization is not active. */
  servedOrganizationId: nullable(uuid),
  userId: nullable(uuid),
  userActive: nullable(boolean),
  packId: nullable(uuid),
  userInMode: boolean,
  userOfKey: boolean,
  packOfKey: boolean,
  connectorInPack: boolean,
  connectorUsable: boolean,
  toolChosen: boolean,
  callLimit: nullable(integer),
  /** Calls that the plan still allows in this cycle; null without a limit. */
  planLeft: nullable(integer),
  cycleEndsAt: nullable(timestamptz),
}
const EXPLAINED = `o.id as served_organization_id, o.call_limit,
       case when o.call_limit is not null and u.mode = 'production'
         then remaining_allowance(o.id, cycle_of(o.cycle_day, app_now()), o.call_limit) end as plan_left,
       cycle_of(o.cycle_day, (cycle_of(o.cycle_day, app_now())::timestamp at time zone 'UTC') + interval '1 month 3 days')::timestamp
         at time zone 'UTC' as cycle_ends_at, `
const CALLER = `(select :organizationId::uuid as organization_id, :mode::text as mode, null::uuid as registered_user_id,
       null::uuid[] as tool_pack_ids) k`

/** Reads what the admission of a call reads, and reserves nothing. */
const explained = (call: AdmissionSql, more = '') => `
   with found as materialized (${checked(call, CALLER, `${EXPLAINED}${more}`)})
   select f.*, null::smallint as slot,
     case when not (${rateAllows('f.free_at', RATE_TOKEN)}) then ${rateWaitMs('f.free_at')} end as rate_wait_ms,
     greatest(${rateLeft('greatest(f.free_at, app_now())')}, 0) as rate_left
   from found f`

const explainedParameters = {
  organizationId: uuid,
  mode: text,
  registeredUserId: uuid,
  toolPackId: uuid,
  connectorSlug: text,
  tool: text,
  account: nullable(text),
}
const explainHttpCall = statement({
  name: 'explain.http_call',
  parameters: { ...explainedParameters, usableByAll: boolean, isRequest: boolean },
  columns: explainedColumns,
  sql: explained(httpCall),
})

/** How the definition of a tool that waits for review differs from the accepted one. */
export type ToolReview = 'new' | 'changed' | 'removed'

const PENDING_TOOL = `(select listed from jsonb_array_elements(q.pending_tools -> 'tools') listed where listed ->> 'name' = :tool)`
const explainMcpCall = statement({
  name: 'explain.mcp_call',
  parameters: { ...explainedParameters, requestsLink: boolean, inCatalog: boolean },
  columns: {
    ...explainedColumns,
    ...serverColumns,
    toolKnown: boolean,
    review: nullable(typed<ToolReview>(text)),
  },
  sql: explained(
    {
      ...mcpCall,
      joins: `${mcpCall.joins}
     left join ${lookUp('q', 'pending_tools from mcp_connectors where organization_id = k.organization_id and id = s.id')}`,
    },
    `case when q.pending_tools is null then null
         when ${PENDING_TOOL} is null then case when t.name is not null then 'removed' end
         when t.name is null then 'new'
         when ${PENDING_TOOL} is distinct from t.definition then 'changed' end as review, `,
  ),
})

export type ExplainedCaller = {
  organizationId: string
  mode: Mode
  registeredUserId: string
  toolPackId: string
  connectorSlug: string
  tool: string
  account: string | null
}

/** The checks of a call, and what it would need. */
export type ExplainedCall = Values<typeof explainedColumns> &
  Pick<CallAdmission, 'credential' | 'sharedBy'> &
  Partial<Pick<McpCallAdmission, 'server' | 'toolDefinition'>> & {
    toolKnown: boolean
    review: ToolReview | null
  }

export const explainedCallStore = {
  target: (db: Queryable, names: TargetNames) => one(db, selectTarget, names) as Promise<ExplainTarget>,
  http: async (
    db: Queryable,
    call: ExplainedCaller,
    { usableByAll, isRequest }: { usableByAll: boolean; isRequest: boolean },
  ): Promise<ExplainedCall> => {
    const row = (await one(db, explainHttpCall, { ...call, usableByAll, isRequest }))!
    return { ...row, ...accountOf(row), toolKnown: true, review: null }
  },
  mcp: async (
    db: Queryable,
    call: ExplainedCaller,
    { requestsLink, inCatalog }: { requestsLink: boolean; inCatalog: boolean },
  ): Promise<ExplainedCall> => {
    const row = (await one(db, explainMcpCall, { ...call, requestsLink, inCatalog }))!
    return { ...row, ...accountOf(row), server: serverOf(row) }
  },
}
