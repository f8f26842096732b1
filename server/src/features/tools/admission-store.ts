import type { LinkBinding, Plan } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { columns } from '../../platform/coalesce.ts'
import { one, type Queryable, statement } from '../../platform/database.ts'
import type { ToolChoice } from '../connectors/tool-choice.ts'
import type { CredentialRow } from '../credentials/credential-store.ts'
import type { McpTool } from '../upstream/mcp-tools.ts'

export type CallerRow = {
  organization_id: string | null
  mode: Mode
  plan: Plan
  link_binding: LinkBinding
  runtime_callback_url: string | null
  user_id: string | null
  user_active: boolean
  user_key: Buffer
  rate_limit_per_minute: number | null
  pack_id: string | null
  /** Bytes of a result that reach the model, and whether what is beyond them is kept for an hour. */
  pack_result_limit: number
  pack_result_handles: boolean
}
export type McpServerRow = {
  id: string
  name: string
  summary: string
  url: string
  source: 'custom' | 'catalogue'
  authentication: 'none' | 'user_secret' | 'organization_secret' | 'oauth'
  header_name: string
  header_prefix: string
  sealed_secret: Buffer | null
  revision: string | null
  tools_hash: string | null
}
type McpColumns = { [K in keyof McpServerRow as `server_${K}`]: McpServerRow[K] | null } & {
  tool_definition: McpTool | null
}
export type McpAdmissionRow = AdmissionRow & McpColumns
export type AdmissionRow = CallerRow & { call_id: string | null; tool_choice: ToolChoice | null } & {
  [K in Exclude<keyof CredentialRow, 'user_key'> as `credential_${K}`]: CredentialRow[K]
}

type OfPack = { columns: string; join?: string }

/**
 * Who calls, and with which Tool Pack, for each row `q` of the source with a key's hash, a user and a pack. The look-up of the key is
 * fenced: both kinds of keys are then found by their index, however many rows ask.
 */
const callerFrom = (source: string, { columns: more, join = '' }: OfPack): string => `
  select k.organization_id, k.mode, k.plan, k.link_binding, k.runtime_callback_url, u.id as user_id, u.is_active as user_active,
    u.data_key as user_key, u.rate_limit_per_minute, p.id as pack_id, p.result_limit as pack_result_limit,
    p.result_handles as pack_result_handles${more}
  from ${source} q
  left join lateral (select * from admission_keys where hash = q.key_hash offset 0) k on true
  left join admission_users u on u.organization_id = k.organization_id and u.mode = k.mode and u.id = q.asked_user
    and (k.registered_user_id is null or u.id = k.registered_user_id)
  left join admission_packs p on p.organization_id = k.organization_id and p.id = q.asked_pack
    and (k.tool_pack_ids is null or p.id = any(k.tool_pack_ids))${join}`

/** One caller: $1 key, $2 user, $3 pack. */
export const callerWith = (ofPack: OfPack = { columns: '' }): string =>
  callerFrom('(select $1::bytea as key_hash, $2::uuid as asked_user, $3::uuid as asked_pack)', ofPack)

const selectCaller = statement<CallerRow>('tools.caller', callerWith())

// Of all that the pack chooses, what it chose of the called tool. A connector without a choice offers all its tools. A large pack's
// choices are long: `offset 0` has them read once, and none of it is sent here.
const CHOICE = {
  columns: `, w.chosen -> q.tool as tool_choice, coalesce(w.chosen ? q.tool, true) as tool_chosen,
    coalesce(q.connector = any(p.connectors), true) as in_pack`,
  join: '\n  left join lateral (select p.choices -> q.connector as chosen offset 0) w on true',
}

const CREDENTIAL = `a.id as credential_id, a.status as credential_status, a.status_reason as credential_status_reason,
     a.secret_id as credential_secret_id, a.sealed as credential_sealed, a.version as credential_version,
     a.scopes as credential_scopes, a.oauth_app as credential_oauth_app, a.access_expires_at as credential_access_expires_at,
     a.refresh_due as credential_refresh_due`

type Kind = {
  /** Parameters from $8 on, and their names. */
  given: string
  /** What is looked up besides, and what it is called in the answer. */
  columns: string
  join: string
  answer: string
  /** The rest of what must hold for a record to be reserved. */
  allowed: string
}

// Everything that decides whether a call may run, and the record that reserves it, in one round trip, for one call or many. Nothing
// here is remembered: a revoked key, user or credential holds on the very next call.
const admission = ({ given, columns: more, join, answer, allowed }: Kind): string =>
  `with asked as (
     select * from unnest($1::bytea[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], ${given}, position)
   ), caller as materialized (${callerFrom('asked', {
     columns: `, q.position, q.record_id, q.connector, q.tool, q.request_id${CHOICE.columns}${more}`,
     join: `${CHOICE.join}${join}`,
   })}
   ), record as (
     insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id)
     select organization_id, record_id, user_id, pack_id, mode, connector, tool, 'reserved', request_id from caller
     where user_active and pack_id is not null and in_pack and ${allowed}
     returning id
   )
   select c.organization_id, c.mode, c.plan, c.link_binding, c.runtime_callback_url, c.user_id, c.user_active, c.user_key,
     c.rate_limit_per_minute, c.pack_id, c.pack_result_limit, c.pack_result_handles, c.tool_choice, r.id as call_id,
     ${CREDENTIAL}${answer}
   from caller c left join record r on r.id = c.record_id
   left join admission_credentials a
     on a.organization_id = c.organization_id and a.registered_user_id = c.user_id and a.connector_slug = c.connector
   order by c.position`

const ASKED = 'key_hash, asked_user, asked_pack, record_id, connector, tool, request_id'

// `usable`: without an app of the organization's.
const admitCalls = statement<AdmissionRow>(
  'tools.admit',
  admission({
    given: `$8::boolean[]) with ordinality as t(${ASKED}, usable`,
    columns: `, q.usable or exists (select from admission_oauth_apps o
      where o.organization_id = k.organization_id and o.connector_slug = q.connector) as is_usable`,
    join: '',
    answer: '',
    allowed: 'tool_chosen and is_usable',
  }),
)

const SERVER = [
  'id',
  'name',
  'summary',
  'url',
  'source',
  'authentication',
  'header_name',
  'header_prefix',
  'sealed_secret',
  'revision',
  'tools_hash',
] as const satisfies (keyof McpServerRow)[]

// A tool of an MCP server, which the organization's rows describe; fenced like the keys, so that a thousand servers are not read
// through for a few. `asks`: the tool that only asks to be linked; `known`: of a server
// that the catalogue knows.
const admitMcpCalls = statement<McpAdmissionRow>(
  'tools.admit_mcp',
  admission({
    given: `$8::boolean[], $9::boolean[]) with ordinality as t(${ASKED}, asks, known`,
    columns: `, q.asks, q.known, t.definition as tool_definition, ${SERVER.map(name => `s.${name} as server_${name}`).join(', ')}`,
    join: `
  left join lateral (select * from admission_mcp_connectors
    where organization_id = k.organization_id and slug = q.connector offset 0) s on true
  left join lateral (select definition from admission_mcp_tools
    where organization_id = k.organization_id and connector_slug = q.connector and name = q.tool offset 0) t on not q.asks`,
    answer: `, c.tool_definition, ${SERVER.map(name => `c.server_${name}`).join(', ')}`,
    allowed: `case when asks then known or server_id is not null else tool_chosen and tool_definition is not null end`,
  }),
)

export type Caller = { keyHash: Buffer; registeredUserId: string; toolPackId: string }

/** A call that wants to be made, and the record that it would have. */
export type AskedCall = Caller & { callId: string; connectorSlug: string; tool: string; requestId: string }
export type AskedHttpCall = AskedCall & { usableByAll: boolean }
export type AskedMcpCall = AskedCall & { asks: boolean; inCatalogue: boolean }

const COLUMNS = [
  'keyHash',
  'registeredUserId',
  'toolPackId',
  'callId',
  'connectorSlug',
  'tool',
  'requestId',
] as const

export const admissionStore = {
  caller: (db: Queryable, { keyHash, registeredUserId, toolPackId }: Caller) =>
    one(db, selectCaller, [keyHash, registeredUserId, toolPackId]) as Promise<CallerRow>,
  /** In the order in which they were asked for, as below. */
  admit: (db: Queryable, calls: AskedHttpCall[]) =>
    db.query(admitCalls, columns(calls, [...COLUMNS, 'usableByAll'])),
  admitMcp: (db: Queryable, calls: AskedMcpCall[]) =>
    db.query(admitMcpCalls, columns(calls, [...COLUMNS, 'asks', 'inCatalogue'])),
}

export const credentialOf = (row: AdmissionRow): CredentialRow | null =>
  row.credential_id === null
    ? null
    : {
        id: row.credential_id,
        status: row.credential_status,
        status_reason: row.credential_status_reason,
        secret_id: row.credential_secret_id,
        sealed: row.credential_sealed,
        user_key: row.user_key,
        version: row.credential_version,
        scopes: row.credential_scopes,
        oauth_app: row.credential_oauth_app,
        access_expires_at: row.credential_access_expires_at,
        refresh_due: row.credential_refresh_due,
      }

export const serverOf = (row: McpAdmissionRow): McpServerRow | null =>
  row.server_id === null
    ? null
    : {
        id: row.server_id,
        name: row.server_name as string,
        summary: row.server_summary as string,
        url: row.server_url as string,
        source: row.server_source as McpServerRow['source'],
        authentication: row.server_authentication as McpServerRow['authentication'],
        header_name: row.server_header_name as string,
        header_prefix: row.server_header_prefix as string,
        sealed_secret: row.server_sealed_secret,
        revision: row.server_revision,
        tools_hash: row.server_tools_hash,
      }
