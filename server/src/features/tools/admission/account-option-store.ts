import type { Queryable } from '../../../platform/database/database.ts'
import {
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

/** The labels of the accounts of the caller `c`, by connector, for connectors with several accounts, or
 * for which the pack has a rule. */
export const accountLabels = (caller: string) => `(
     select coalesce(jsonb_object_agg(several.connector_slug, several.labels), '{}') from (
       select connector_slug, jsonb_agg(label order by label) as labels from linked_accounts
       where organization_id = ${caller}.organization_id and registered_user_id = ${caller}.user_id
       group by connector_slug having count(*) > 1 or ${caller}.pack_accounts ? connector_slug) several)`

const optionParameters = {
  organizationId: uuid,
  registeredUserId: uuid,
  toolPackId: uuid,
  connectorSlug: text,
}
const optionColumns = {
  id: uuid,
  label: text,
  account: nullable(text),
  status: typed<'active' | 'needs_reauth'>(text),
  pausedUntil: nullable(timestamptz),
}
export type AccountOptionRow = Values<typeof optionColumns>

const selectOptions = statement({
  name: 'tools.account_options',
  parameters: optionParameters,
  columns: optionColumns,
  sql: `select c.id, c.label, c.account, c.status, c.paused_until from admission_credentials c
   join admission_packs p on p.organization_id = c.organization_id and p.id = :toolPackId
   where c.organization_id = :organizationId and c.registered_user_id = :registeredUserId and c.connector_slug = :connectorSlug
     and c.status <> 'revoked' and coalesce(p.accounts -> :connectorSlug::text ->> 'fixed' in (c.label, c.id::text), true)
   order by c.label`,
})

/** The accounts that a call may name. Read only to explain a call that was not made. */
export const accountOptionStore = {
  ofUser: (db: Queryable, caller: Values<typeof optionParameters>) => db.query(selectOptions, caller),
}
