import type { Database } from '../../../server/src/platform/database/database.ts'
import { runSql } from '../../../server/test/support/run-sql.ts'

export const ORGANIZATION = '00000000-0000-7000-8000-000000000001'
export const USERS = 1000
export const DAYS = 700

const uuidOf = (n: string): string => `lpad(to_hex((${n})::bigint), 32, '0')::uuid`

/** IDs of existing users and Tool Packs, for filters. They are the same in both databases. */
export const userOf = (n: number): string =>
  (1_000_000 + (n % USERS))
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
export const packOf = (n: number): string =>
  (2_000_000 + (n % 20))
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

const INDEXES = `select indexname, indexdef from pg_indexes where tablename = 'tool_calls' and indexname not like '%_pkey'`

/**
 * Inserts two years of records in chronological order; a tenth of them belong to another organization. One in twenty calls fails and
 * one in a thousand is blocked. A third have a trace ID, shared by ten calls; a fifth have a header. Indexes are created afterwards.
 */
export const fillRecords = async (db: Database, size: number): Promise<void> => {
  const indexes = await runSql<{ indexname: string; indexdef: string }>(db, INDEXES)
  // For the session: filling takes minutes.
  await db.script(`set statement_timeout = 0;
    insert into organizations (id, name, routing_code, plan) values ('${ORGANIZATION}', 'Large', '0000', 'enterprise');
    select create_record_partitions(25);
    ${indexes.map(({ indexname }) => `drop index ${indexname};`).join('\n')}
    alter table tool_calls drop constraint tool_calls_pkey;
    insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, counted,
      request_id, started_at, finished_at, third_party_ms, retention_days, gateway_ms, rules_ms, arguments_bytes, result_bytes, trace_id, headers)
    select case when n % 10 = 3 then ${uuidOf('2')} else '${ORGANIZATION}' end, ${uuidOf('n')}, ${uuidOf(`1000000 + h % ${USERS}`)},
      ${uuidOf('2000000 + h % 20')}, 'production', 'connector-' || h % 30, 'tool_' || h % 120,
      case when h % 1000 = 7 then 'blocked' when h % 100 < 4 then 'error' when h % 100 = 4 then 'needs_auth' else 'success' end, true,
      'req_' || n, at, at, 12, 730, 3, 0.1, 200, 900, case when h % 3 = 0 then md5((n / 10)::text) end,
      case when h % 5 = 0 then jsonb_build_object('x-conversation', 'c-' || n / 20) end
    from generate_series(1, ${size}) n, lateral (select abs(hashint8(n)::bigint) as h) hashed,
      lateral (select app_now() - interval '1 day' * ${DAYS} * (1 - n::float8 / ${size}) - interval '1 hour' as at) t;
    alter table tool_calls add primary key (organization_id, id, retention_days, started_at);
    ${indexes.map(({ indexdef }) => `${indexdef.replace(' ON ONLY ', ' ON ')};`).join('\n')}
    update usage_progress set until = app_now() - interval '1 hour';
    insert into usage_days
    select organization_id, mode, (started_at at time zone 'UTC')::date, registered_user_id, connector_slug, tool, outcome, count(*),
      count(*) filter (where counted)
    from tool_calls where organization_id = '${ORGANIZATION}' group by 1, 2, 3, 4, 5, 6, 7;
    insert into usage_totals
    select organization_id, mode, day, connector_slug, tool, outcome, sum(calls), sum(counted) from usage_days group by 1, 2, 3, 4, 5, 6`)
  await db.script('vacuum analyze')
}
