import type { Database } from '../../../server/src/platform/database/database.ts'
import { runSql } from '../../../server/test/support/run-sql.ts'
import { MCP_SLUG } from '../mcp/gateway.ts'

/** One kind of data that grows over years of use, and a function that fills a database with it. */
export type Growth = { name: string; grow(db: Database, size: number): Promise<void> }

/** For the session: filling takes minutes. */
const WITHOUT_TIMEOUT = 'set statement_timeout = 0;'

const uuidOf = (n: string): string => `lpad(to_hex((${n})::bigint), 32, '0')::uuid`

/**
 * Copies of the first custom connector, with its tools. They are marked as just checked, so that the service does not check their
 * servers for changes during the measurement.
 */
const connectors: Growth = {
  name: 'connectors',
  grow: (db, size) =>
    db.script(`${WITHOUT_TIMEOUT}
      insert into mcp_connectors (organization_id, id, slug, name, summary, source, url, authentication, revision, tools_hash,
        checked_at)
      select organization_id, ${uuidOf('n')}, 'grown-' || n, 'Grown ' || n, summary, source, url, authentication, revision, tools_hash,
        app_now()
      from mcp_connectors, generate_series(1, ${size}) n where slug = '${MCP_SLUG}';
      insert into mcp_tools (organization_id, connector_id, name, upstream_name, position, definition)
      select t.organization_id, c.id, t.name, t.upstream_name, t.position, t.definition
      from mcp_tools t join mcp_connectors o on o.id = t.connector_id and o.slug = '${MCP_SLUG}'
      join mcp_connectors c on c.slug like 'grown-%'`),
}

/**
 * Users with one credential each, some of which have a known end. Foreign keys are not checked, because PostgreSQL would cache plans for those checks while the tables
 * are still small.
 */
const users: Growth = {
  name: 'users',
  grow: (db, size) =>
    db.script(`${WITHOUT_TIMEOUT}
      insert into registered_users (organization_id, id, mode, origin_user_id, data_key)
      select o.id, ${uuidOf('n')}, 'production', 'grown-' || n, sha256(n::text::bytea)
      from organizations o, generate_series(1, ${size}) n;
      set session_replication_role = replica;
      insert into credentials (organization_id, id, registered_user_id, connector_slug, status, secret_id, sealed, method, scopes, ends_at)
      select organization_id, id, id, '${MCP_SLUG}', 'active', id, sha256(id::text::bytea), 'api_key', '{}',
        case when hashtext(id::text) % 10 = 0 then app_now() + interval '1 hour' * (hashtext(id::text) / 10 % 10000) end
      from registered_users where origin_user_id like 'grown-%';
      set session_replication_role = default`),
}

const INDEXES = `select indexname, indexdef from pg_indexes where tablename = 'tool_calls' and indexname not like '%_pkey'`
const MONTHS = 25

/**
 * Records of the callers themselves, over two years and in chronological order. Indexes are created afterwards and foreign keys are
 * not checked, which takes minutes instead of an hour. The table is locked first: jobs of the service that read it would otherwise cause
 * a deadlock.
 */
const records: Growth = {
  name: 'records',
  grow: async (db, size) => {
    const indexes = await runSql<{ indexname: string; indexdef: string }>(db, INDEXES)
    await db.script(`${WITHOUT_TIMEOUT}
      lock table tool_calls;
      select create_record_partitions(${MONTHS});
      ${indexes.map(({ indexname }) => `drop index ${indexname};`).join('\n')}
      alter table tool_calls drop constraint tool_calls_pkey;
      set session_replication_role = replica;
      with callers as (
        select array_agg(id) as ids, count(*)::integer as many from registered_users where mode = 'production'
      )
      insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, counted,
        request_id, started_at, finished_at, third_party_ms, retention_days)
      select o.id, ${uuidOf('n')}, c.ids[1 + n % c.many], p.id, 'production', '${MCP_SLUG}', 'echo', 'success', true,
        'req_' || n, at, at, 12, 730
      from generate_series(1, ${size}) n, callers c, organizations o, tool_packs p,
        lateral (select app_now() - interval '730 days' * (1 - n::float8 / ${size}) - interval '1 hour' as at) t
      where p.organization_id = o.id and p.is_default;
      set session_replication_role = default;
      alter table tool_calls add primary key (organization_id, id, retention_days, started_at);
      ${indexes.map(({ indexdef }) => `${indexdef.replace(' ON ONLY ', ' ON ')};`).join('\n')}`)
  },
}

const ENDPOINTS = 200
const DAYS = 30

/** Events of the users, and deliveries of them to many endpoints, most of which are done. */
const webhooks: Growth = {
  name: 'webhooks',
  grow: (db, size) =>
    db.script(`${WITHOUT_TIMEOUT}
      insert into webhook_endpoints (organization_id, id, mode, url, format, signature, sealed_secret)
      select o.id, ${uuidOf('n')}, 'production', 'https://example.com/' || n, case when n % 10 = 0 then 'batch' else 'single' end, 'v1', ''
      from organizations o, generate_series(1, ${ENDPOINTS}) n;
      with callers as (
        select array_agg(id) as ids, count(*)::integer as many from registered_users where mode = 'production'
      )
      insert into events (organization_id, id, mode, registered_user_id, sequence, type, payload, created_at, committed_in)
      select o.id, ${uuidOf('n')}, 'production', c.ids[1 + n % c.many], n, 'registered_user.updated', '{}', at, n::text::xid8
      from generate_series(1, ${size}) n, callers c, organizations o,
        lateral (select app_now() - interval '${DAYS} days' * (1 - n::float8 / ${size}) as at) t;
      set session_replication_role = replica;
      insert into webhook_deliveries (organization_id, id, endpoint_id, event_id, type, registered_user_id, sequence, body, occurred_at, status,
        due_at, created_at)
      select e.organization_id, e.id, ${uuidOf(`1 + n % ${ENDPOINTS}`)}, e.id, e.type, e.registered_user_id, e.sequence, '{}', e.created_at,
        case when n % 50 = 0 then 'failed' when n % 12 = 0 then 'pending' else 'delivered' end, e.created_at, e.created_at
      from events e, lateral (select e.sequence as n) s where e.type = 'registered_user.updated';
      set session_replication_role = default`),
}

/** Violations of the users, of two entities, over the days that a summary covers. */
const violations: Growth = {
  name: 'violations',
  grow: (db, size) =>
    db.script(`${WITHOUT_TIMEOUT}
      with callers as (
        select array_agg(id) as ids, count(*)::integer as many from registered_users where mode = 'production'
      )
      insert into rule_violations (organization_id, id, registered_user_id, mode, tool_call_id, connector_slug, tool, at, direction, entity, rule, action, count,
        score, dry_run)
      select o.id, ${uuidOf('n')}, c.ids[1 + n % c.many], 'production', ${uuidOf('n')}, 'sandbox-notes', 'list_notes', at, 'inbound',
        case when n % 2 = 0 then 'EMAIL_ADDRESS' else 'CREDIT_CARD' end, 'grown', 'redact', 1, 1, false
      from generate_series(1, ${size}) n, callers c, organizations o,
        lateral (select app_now() - interval '${DAYS} days' * (1 - n::float8 / ${size}) as at) t`),
}

/** What a call reads and writes, and its records. */
export const CALL_GROWTHS = { connectors, users, records }
export const GROWTHS = { ...CALL_GROWTHS, webhooks, violations }
export type GrowthName = keyof typeof CALL_GROWTHS
