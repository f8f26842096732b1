import type { OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

const selectServer = statement({
  name: 'diagnostics.server',
  columns: { version: text, versionNumber: integer, isReplica: boolean, processId: integer },
  sql: `select current_setting('server_version') as version, current_setting('server_version_num')::integer as version_number,
     pg_is_in_recovery() as is_replica, pg_backend_pid() as process_id`,
})
const selectClock = statement({
  name: 'diagnostics.clock',
  columns: { now: timestamptz },
  sql: 'select clock_timestamp() as now',
})
const selectSettings = statement({
  name: 'diagnostics.settings',
  parameters: { names: array(text) },
  columns: { name: text, setting: text },
  sql: `select name, setting || coalesce(' ' || unit, '') as setting from pg_settings where name = any(:names) order by name`,
})
const selectTables = statement({
  name: 'diagnostics.tables',
  columns: { name: text, bytes: bigint, rows: bigint },
  sql: `select t.name, sum(pg_total_relation_size(p.id))::bigint as bytes, sum(greatest(c.reltuples, 0))::bigint as rows
   from own_tables t cross join lateral (
     select t.id union select relid::oid from pg_partition_tree(t.id) where isleaf) p (id)
   join pg_class c on c.oid = p.id group by t.name order by bytes desc`,
})
const selectStates = statement({
  name: 'diagnostics.organizations',
  columns: { state: typed<OrganizationState>(text), count: bigint },
  sql: 'select state, count(*) as count from organizations group by state order by state',
})
// The codes of the service, without names that customers have chosen.
const selectFailures = statement({
  name: 'diagnostics.failures',
  columns: { outcome: text, errorCode: nullable(text), count: bigint },
  sql: `select outcome, error_code, count(*) as count from tool_calls where started_at > app_now() - interval '1 day'
   group by outcome, error_code order by count desc limit 50`,
})

/** What the doctor and the support bundle read. Nothing is changed. */
export const diagnosticsStore = {
  server: async (db: Queryable) => {
    const server = await one(db, selectServer)
    if (!server) throw new Error('the server did not answer')
    return server
  },
  clock: async (db: Queryable): Promise<Date> => (await one(db, selectClock))?.now ?? new Date(Number.NaN),
  settings: async (db: Queryable, names: string[]): Promise<Map<string, string>> =>
    new Map((await db.query(selectSettings, { names })).map(({ name, setting }) => [name, setting])),
  /** Sizes and estimated numbers of rows. */
  tables: (db: Queryable) => db.query(selectTables),
  organizations: (db: Queryable) => db.query(selectStates),
  /** Calls of the last day by outcome. */
  failures: (db: Queryable) => db.query(selectFailures),
}
