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
import { type AdmissionSql, checked, httpCall, lookUp, mcpCall } from './admission-conditions-store.ts'
import {
  accountOf,
  admissionColumns,
  type CallAdmission,
  credentialColumns,
  type McpCallAdmission,
  serverColumns,
  serverOf,
} from './admission-rows.ts'
import { limitSql } from './limit-statements-store.ts'

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
  name: 'tools.explain_target',
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

const previewColumns = {
  ...admissionColumns,
  ...credentialColumns,
  /** Null if the organization is not active. */
  servedOrganizationId: nullable(uuid),
  userId: nullable(uuid),
  userActive: nullable(boolean),
  packId: nullable(uuid),
  userInMode: boolean,
  connectorInPack: boolean,
  connectorUsable: boolean,
  toolChosen: boolean,
  callLimit: nullable(integer),
  /** Calls that the plan still allows in this cycle; null without a limit. */
  planLeft: nullable(integer),
  cycleEndsAt: nullable(timestamptz),
}
const CALLER = '(select :organizationId::uuid as organization_id, :mode::text as mode) k'

/** The read-only form of the admission: every condition as a column, for a caller without a key. Reserves nothing. */
const preview = (call: AdmissionSql, more = '') => `
   with found as materialized (${checked(call, CALLER, `o.id as served_organization_id, ${limitSql.explained}, ${more}`)})
   select f.*, ${limitSql.foreseen}
   from found f`

const previewParameters = {
  organizationId: uuid,
  mode: text,
  registeredUserId: uuid,
  toolPackId: uuid,
  connectorSlug: text,
  tool: text,
  account: nullable(text),
}
const previewHttpCall = statement({
  name: 'tools.preview_admission',
  parameters: { ...previewParameters, usableByAll: boolean, isRequest: boolean },
  columns: previewColumns,
  sql: preview(httpCall),
})

/** How the definition of a tool that waits for review differs from the accepted one. */
export type ToolReview = 'new' | 'changed' | 'removed'

const PENDING_TOOL = `(select listed from jsonb_array_elements(q.pending_tools -> 'tools') listed where listed ->> 'name' = :tool)`
const previewMcpCall = statement({
  name: 'tools.preview_mcp_admission',
  parameters: { ...previewParameters, requestsLink: boolean, inCatalog: boolean },
  columns: {
    ...previewColumns,
    ...serverColumns,
    toolKnown: boolean,
    review: nullable(typed<ToolReview>(text)),
  },
  sql: preview(
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

export type PreviewedCall = {
  organizationId: string
  mode: Mode
  registeredUserId: string
  toolPackId: string
  connectorSlug: string
  tool: string
  account: string | null
}

/** Whether a call fulfills each condition of the admission, and what it would need. */
export type AdmissionPreview = Values<typeof previewColumns> &
  Pick<CallAdmission, 'credential' | 'sharedBy'> &
  Partial<Pick<McpCallAdmission, 'server' | 'toolDefinition'>> & {
    toolKnown: boolean
    review: ToolReview | null
  }

export const admissionPreviewStore = {
  target: (db: Queryable, names: TargetNames) => one(db, selectTarget, names) as Promise<ExplainTarget>,
  http: async (
    db: Queryable,
    call: PreviewedCall,
    { usableByAll, isRequest }: { usableByAll: boolean; isRequest: boolean },
  ): Promise<AdmissionPreview> => {
    const row = (await one(db, previewHttpCall, { ...call, usableByAll, isRequest }))!
    return { ...row, ...accountOf(row), toolKnown: true, review: null }
  },
  mcp: async (
    db: Queryable,
    call: PreviewedCall,
    { requestsLink, inCatalog }: { requestsLink: boolean; inCatalog: boolean },
  ): Promise<AdmissionPreview> => {
    const row = (await one(db, previewMcpCall, { ...call, requestsLink, inCatalog }))!
    return { ...row, ...accountOf(row), server: serverOf(row) }
  },
}
