import type { Mode } from '../../core/mode.ts'
import type { OrganizationState } from '../../core/organization-state.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const organizationColumns = {
  id: uuid,
  name: text,
  routingCode: text,
  state: typed<OrganizationState>(text),
}

const selectOrganization = statement({
  name: 'portability.organization',
  parameters: { organizationId: uuid },
  columns: organizationColumns,
  sql: 'select id, name, routing_code, state from organizations where id = :organizationId',
})
const selectByRoutingCode = statement({
  name: 'portability.organization_by_routing_code',
  parameters: { routingCode: text },
  columns: organizationColumns,
  sql: 'select id, name, routing_code, state from organizations where routing_code = :routingCode',
})
const selectTables = statement({
  name: 'portability.tables',
  columns: { name: text },
  sql: 'select name from tenant_tables order by name',
})
const selectColumns = statement({
  name: 'portability.columns',
  columns: { table: text, names: array(text) },
  sql: 'select table_name as table, array_agg(name order by position) as names from tenant_columns group by table_name',
})
const readRows = statement({
  name: 'portability.read_rows',
  parameters: {
    table: text,
    organizationId: uuid,
    without: array(text),
    after: nullable(array(text)),
    limit: integer,
    bytes: integer,
  },
  columns: { line: text, key: array(text) },
  sql: 'select line, key from read_tenant_rows(:table, :organizationId, :without, :after, :limit, :bytes)',
})
const readDocuments = statement({
  name: 'portability.read_documents',
  parameters: {
    table: text,
    organizationId: uuid,
    columns: array(text),
    after: nullable(array(text)),
    limit: integer,
  },
  columns: { line: text, key: array(text) },
  sql: 'select line, key from read_tenant_documents(:table, :organizationId, :columns, :after, :limit)',
})
const insertRows = statement({
  name: 'portability.insert_rows',
  parameters: { table: text, organizationId: uuid, columns: array(text), rows: text },
  sql: 'select insert_tenant_rows(:table, :organizationId, :columns, :rows::text::jsonb)',
})
const deletePage = statement({
  name: 'portability.delete_rows',
  parameters: { table: text, organizationId: uuid, after: nullable(array(text)), limit: integer },
  columns: { deleted: bigint, lastKey: nullable(array(text)) },
  sql: 'select deleted, last_key from delete_tenant_rows(:table, :organizationId, :after, :limit)',
})
const deleteRecordPage = statement({
  name: 'portability.delete_records',
  parameters: { organizationId: uuid, mode: text, from: text, limit: integer },
  columns: { deleted: bigint, lastTime: nullable(text) },
  sql: 'select deleted, last_time from delete_record_page(:organizationId, :mode, :from, :limit)',
})
const selectUsageUntil = statement({
  name: 'portability.usage_until',
  parameters: { organizationId: uuid },
  columns: { until: text },
  sql: 'select summed_usage_until(:organizationId) as until',
})
const selectMissingPartitions = statement({
  name: 'portability.missing_partitions',
  parameters: { days: array(integer), times: array(typed<string>(timestamptz)) },
  columns: { days: integer, begins: text },
  sql: `select days, begins::text as begins from (
     select distinct days, date_trunc(record_period(days), at at time zone 'UTC') as begins
     from unnest(:days::integer[], :times::timestamptz[]) as wanted (days, at)) periods
   where to_regclass(record_partition_name(days, begins)) is null order by 1, 2`,
})
const createPartition = statement({
  name: 'portability.create_partition',
  parameters: { days: integer, begins: text, lockTimeoutMs: integer },
  sql: 'select create_missing_partition(:days, (:begins::text)::timestamp, :lockTimeoutMs)',
})

/** A period for which there is no partition of records. */
export type MissingPartition = { days: number; begins: string }

export type DeletedRows = { deleted: number; lastKey: string[] | null }
export type DeletedRecords = { deleted: number; lastTime: string | null }
export type TenantRow = { line: string; key: string[] }

/** Rows of any table that belong to one organization. */
export const tenantRowsStore = {
  organization: (db: Queryable, organizationId: string) => one(db, selectOrganization, { organizationId }),
  organizationByRoutingCode: (db: Queryable, routingCode: string) =>
    one(db, selectByRoutingCode, { routingCode }),
  tables: async (db: Queryable): Promise<string[]> => (await db.query(selectTables)).map(({ name }) => name),
  /** The columns of each table. */
  columns: async (db: Queryable): Promise<Map<string, string[]>> =>
    new Map((await db.query(selectColumns)).map(({ table, names }) => [table, names])),
  read: (
    db: Queryable,
    organizationId: string,
    page: { table: string; without: string[]; after: string[] | null; limit: number; bytes: number },
  ): Promise<TenantRow[]> => db.query(readRows, { organizationId, ...page }),
  /** Rows as JSON objects. */
  readDocuments: (
    db: Queryable,
    organizationId: string,
    page: { table: string; columns: string[]; after: string[] | null; limit: number },
  ): Promise<TenantRow[]> => db.query(readDocuments, { organizationId, ...page }),
  /** `lines` in the form in which they were read. */
  insert: (tx: Queryable, organizationId: string, table: string, columns: string[], lines: string[]) =>
    tx.query(insertRows, { organizationId, table, columns, rows: `[${lines.join(',')}]` }),
  /** Deletes a page of rows after the row with the given key. `lastKey` is null if there was none. Not for records. */
  deletePage: (
    tx: Queryable,
    organizationId: string,
    page: { table: string; after: string[] | null; limit: number },
  ) => one(tx, deletePage, { organizationId, ...page }) as Promise<DeletedRows>,
  /** Deletes a page of records from a time on. `lastTime` is null if there was none. */
  deleteRecordPage: (
    tx: Queryable,
    organizationId: string,
    page: { mode: Mode; from: string; limit: number },
  ) => one(tx, deleteRecordPage, { organizationId, ...page }) as Promise<DeletedRecords>,
  usageUntil: async (db: Queryable, organizationId: string): Promise<string | null> =>
    (await one(db, selectUsageUntil, { organizationId }))?.until ?? null,
  missingPartitions: (
    db: Queryable,
    periods: readonly { days: number; at: string }[],
  ): Promise<MissingPartition[]> =>
    db.query(selectMissingPartitions, {
      days: periods.map(({ days }) => days),
      times: periods.map(({ at }) => at),
    }),
  createPartition: (db: Queryable, missing: MissingPartition & { lockTimeoutMs: number }) =>
    db.query(createPartition, missing),
}
