import { NIL_UUID } from '../../../core/uuid.ts'
import { PACK_OF_KEY, USER_IN_MODE, USER_OF_KEY } from './caller-store.ts'
import { limitSql } from './limit-statements-store.ts'
import { ACCOUNT_ARGUMENT } from './named-account.ts'
import { sharedWith } from './shared-account-store.ts'

// `offset 0` keeps this an index lookup: a prepared statement is planned once, maybe on nearly empty tables, and must not scan them.
export const lookUp = (alias: string, what: string) => `lateral (select ${what} offset 0) ${alias} on true`

/** The rules of a pack. The organization's own rules have no pack. */
const rulesOf = (alias: string, pack: string) =>
  lookUp(
    alias,
    `content_hash from admission_rules where organization_id = k.organization_id and tool_pack_id = ${pack}`,
  )

/**
 * Conditions by name, each written once. The admission of one call and of a batch requires all of them; the preview for Explain reads
 * each as a column.
 */
type Checks = Record<string, string>

/**
 * `account`: the label or the ID of the account that the call names, or null. `choice`: the pack's settings for the called tool. Default:
 * its entry in the choices of the connector.
 */
export type AdmissionSql = {
  columns?: string
  joins?: string
  account: string
  choice?: string
  checks: Checks
}

/** A key of an agent is valid for one user and some packs. */
const KEY_CHECKS: Checks = {
  user_of_key: USER_OF_KEY,
  pack_of_key: PACK_OF_KEY,
}
const CALL_CHECKS: Checks = {
  user_in_mode: USER_IN_MODE,
  connector_in_pack: 'coalesce(:connectorSlug = any(p.connectors), true)',
}
const USER_ACTIVE = 'u.is_active'
const CHOICE = 'p.chosen -> :tool::text'
const IS_CHOSEN = 'coalesce(p.chosen ? :tool::text, true)'

/**
 * A tool that the catalog describes. `usableByAll`: without an OAuth app of the organization. `isRequest`: a raw request, which the
 * pack allows per connector.
 */
export const httpCall: AdmissionSql = {
  account: ':account::text',
  choice: `case when :isRequest::boolean then jsonb_build_object('request', p.requests -> :connectorSlug::text)
         else ${CHOICE} end`,
  joins: `
     left join ${lookUp('w', 'true as is_own from admission_oauth_apps where organization_id = k.organization_id and connector_slug = :connectorSlug')}`,
  checks: {
    connector_usable: '(:usableByAll::boolean or w.is_own)',
    tool_chosen: `case when :isRequest::boolean then p.requests ? :connectorSlug::text else ${IS_CHOSEN} end`,
  },
}

/**
 * A tool of an MCP server, which the organization's rows describe. `requestsLink`: the tool that only returns a link; `inCatalog`: a
 * server of the catalog.
 */
export const mcpCall: AdmissionSql = {
  columns: `, s.id as server_id, s.name as server_name, s.summary as server_summary, s.url as server_url, s.source as server_source,
       s.authentication as server_authentication, s.header_name as server_header_name, s.header_prefix as server_header_prefix,
       s.sealed_secret as server_sealed_secret, s.revision as server_revision, s.tools_hash as server_tools_hash,
       t.definition as tool_definition`,
  joins: `
     left join ${lookUp('s', '* from admission_mcp_connectors where organization_id = k.organization_id and slug = :connectorSlug')}
     left join ${lookUp(
       't',
       '* from admission_server_tools where organization_id = k.organization_id and connector_id = s.id and name = :tool and not :requestsLink::boolean',
     )}`,
  // A server's own input of this name belongs to the server. Without a name, the definition is not read, which may be large.
  account: `case when :account::text is not null and not coalesce(t.definition -> 'inputSchema' -> 'properties' ? '${ACCOUNT_ARGUMENT}', false) then :account::text end`,
  checks: {
    connector_usable: '(s.id is not null or :requestsLink::boolean and :inCatalog::boolean)',
    tool_known: '(t.name is not null or :requestsLink::boolean)',
    tool_chosen: `(:requestsLink::boolean or ${IS_CHOSEN})`,
  },
}

/** The accounts of the user, and those that are shared with them. Revoked ones only explain why a user has to link again. */
const accountsOf = (named: string) => `
       select c.*, coalesce(c.label = ${named} or c.id::text = ${named}, true) as is_named
       from (
         select *, null::bytea as owner_key from admission_credentials
         where organization_id = k.organization_id and registered_user_id = :registeredUserId and connector_slug = :connectorSlug
         union all
         ${sharedWith('k.organization_id', 'u.mode')}) c
       where coalesce(p.account_rule ->> 'fixed' in (c.label, c.id::text), true)`

/**
 * The account that the call uses: the one that the pack fixes, that the call names, or the only one. `account_problem` is set if none is;
 * the call must then not use the row.
 */
const chosenAccount = (named: string) => `lateral (
       select c.*, case
           when c.accounts = 0 then null
           when p.account_rule ? 'required' and ${named} is null then 'required'
           when c.named = 0 then 'unknown'
           when c.named > 1 then 'ambiguous' end as account_problem
       from (
         select c.*, count(*) filter (where c.status <> 'revoked') over () as accounts,
           count(*) filter (where c.status <> 'revoked' and c.is_named) over () as named
         from (${accountsOf(named)}) c) c
       order by c.status <> 'revoked' desc, c.is_named desc, c.owner_key is null desc, c.updated_at desc limit 1) a on true`

/**
 * Everything that decides whether a call may run, and what it needs. `callers`: the key, as `k`. `tool_choice` is the pack's choice for
 * the called tool; a connector without a choice offers all its tools.
 */
const readingOf = (
  { columns = '', joins = '', account, choice = CHOICE }: AdmissionSql,
  callers: string,
  join: string,
  more: string,
) => `
     select ${more}k.organization_id, u.mode, o.plan, o.link_binding, o.runtime_callback_url, u.id as user_id,
       ${USER_ACTIVE} as user_active,
       u.data_key as user_key, p.id as pack_id, p.result_limit as pack_result_limit,
       p.result_handles as pack_result_handles, p.explain_access as pack_explain_access, p.renewal_notices as pack_renewal_notices, p.tasks as pack_tasks, p.serving as pack_serving, ${choice} as tool_choice, p.account_rule ->> 'fixed' as fixed_account, a.account_problem, a.id as credential_id,
       a.label as credential_label, a.status as credential_status, a.status_reason as credential_status_reason, a.secret_id as credential_secret_id,
       a.sealed as credential_sealed, a.version as credential_version, a.scopes as credential_scopes,
       a.oauth_app as credential_oauth_app, a.access_expires_at as credential_access_expires_at,
       a.refresh_due as credential_refresh_due, a.paused_until as credential_paused_until,
       case when p.renewal_notices then (
         select h.facts from admission_health h where h.organization_id = k.organization_id and h.registered_user_id = :registeredUserId
           and h.connector_slug = :connectorSlug and h.id = a.id) end as credential_health,
       a.owner_key as credential_owner_key, a.registered_user_id as credential_owner_id, o.retention_days, o.captures,
       ${limitSql.columns},
       concat(ro.content_hash, ':', rp.content_hash) as rules_hash,
       o.policy_hash as organization_policy_hash, p.policy_hash as pack_policy_hash${columns}
     from ${callers}
     ${join} ${lookUp('o', '* from admission_organizations where id = k.organization_id')}
     ${join} ${lookUp('u', '* from admission_users where organization_id = k.organization_id and id = :registeredUserId')}
     ${join} ${lookUp('p', `*, choices -> :connectorSlug::text as chosen, accounts -> :connectorSlug::text as account_rule from admission_packs where organization_id = k.organization_id and id = :toolPackId`)}
     ${limitSql.joins}${joins}
     left join ${chosenAccount(account)}
     left join ${rulesOf('ro', `'${NIL_UUID}'`)}
     left join ${rulesOf('rp', ':toolPackId')}`

/** Returns the row of a call that may run, and nothing otherwise. `requested`: columns of a batch's requests. */
export const admissible = (call: AdmissionSql, callers: string, requested = ''): string => {
  const checks = Object.values({ ...KEY_CHECKS, ...CALL_CHECKS, ...call.checks })
  return `${readingOf(call, callers, 'join', requested)}
     where ${[USER_ACTIVE, ...checks].join(' and ')}`
}

/** Returns one row for every call, with the result of each check. The caller is not a key, so nothing is restricted by one. */
export const checked = (call: AdmissionSql, callers: string, more: string): string => {
  const checks = Object.entries({ ...CALL_CHECKS, ...call.checks }).map(
    ([name, check]) => `coalesce(${check}, false) as ${name}, `,
  )
  return readingOf(call, callers, 'left join', `${checks.join('')}${more}`)
}
