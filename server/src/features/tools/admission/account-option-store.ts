import type { Queryable } from '../../../platform/database/database.ts'
import {
  boolean,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import { sharedWith } from './shared-account-store.ts'

/** The labels of the accounts that the caller may use (IDs where two have the same label), by connector, for connectors with several accounts, or
 * for which the pack has a rule. */
export const accountLabels = (caller: string) => `(
     select coalesce(jsonb_object_agg(several.connector_slug, several.labels), '{}') from (
       select connector_slug, jsonb_agg(name order by name) as labels from (
         select connector_slug, case when count(*) over (partition by connector_slug, label) > 1 then id::text else label end as name
         from (
           select connector_slug, label, id from linked_accounts
           where organization_id = ${caller}.organization_id and registered_user_id = ${caller}.user_id
           union
           select l.connector_slug, l.label, l.id from admission_shares s
           join linked_accounts l on l.organization_id = s.organization_id and l.id = s.credential_id
             and l.registered_user_id <> ${caller}.user_id
           join admission_users o on o.organization_id = l.organization_id and o.id = l.registered_user_id and o.is_active
             and o.mode = ${caller}.mode
           where s.organization_id = ${caller}.organization_id and (s.registered_user_id = ${caller}.user_id
             or s.tool_pack_id = ${caller}.pack_id or s.registered_user_id is null and s.tool_pack_id is null)) usable) named
       group by connector_slug having count(*) > 1 or ${caller}.pack_accounts ? connector_slug) several)`

const optionParameters = {
  organizationId: uuid,
  registeredUserId: uuid,
  mode: text,
  toolPackId: uuid,
  connectorSlug: text,
}
const optionColumns = {
  id: uuid,
  label: text,
  account: nullable(text),
  status: typed<'active' | 'needs_reauth'>(text),
  pausedUntil: nullable(timestamptz),
  shared: boolean,
}
export type AccountOptionRow = Values<typeof optionColumns>

const selectOptions = statement({
  name: 'tools.account_options',
  parameters: optionParameters,
  columns: optionColumns,
  sql: `select c.id, c.label, c.account, c.status, c.paused_until, c.owner_key is not null as shared from (
     select *, null::bytea as owner_key from admission_credentials
     where organization_id = :organizationId and registered_user_id = :registeredUserId and connector_slug = :connectorSlug
     union all
     ${sharedWith(':organizationId', ':mode')}) c
   join admission_packs p on p.organization_id = c.organization_id and p.id = :toolPackId
   where c.status <> 'revoked' and coalesce(p.accounts -> :connectorSlug::text ->> 'fixed' in (c.label, c.id::text), true)
   order by shared, c.label`,
})

/** The accounts that a call may name. Read only to explain a call that was not made. */
export const accountOptionStore = {
  ofUser: (db: Queryable, caller: Values<typeof optionParameters>) => db.query(selectOptions, caller),
}
