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
import { sharedAccounts, sharedWith } from './shared-account-store.ts'

/**
 * SQL: the labels of the accounts that the caller may use, by connector, for connectors with several accounts or a rule of the pack. Two
 * accounts with the same label are listed by their IDs.
 */
export const accountLabels = (caller: string) => `(
     select coalesce(jsonb_object_agg(several.connector_slug, several.labels), '{}') from (
       select connector_slug, jsonb_agg(name order by name) as labels from (
         select connector_slug, case when count(*) over (partition by connector_slug, label) > 1 then id::text else label end as name
         from (
           select connector_slug, label, id from linked_accounts
           where organization_id = ${caller}.organization_id and registered_user_id = ${caller}.user_id
           union
           ${sharedAccounts(caller)}) usable) named
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
