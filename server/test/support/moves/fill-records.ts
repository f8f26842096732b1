import type { TestService } from '../test-service.ts'

const DAYS = 60

/** Adds records of an earlier time to an organization, spread over its users and two months. They are not part of its usage. */
export const addRecords = async (t: TestService, organizationId: string, records: number): Promise<void> => {
  await t.query(`select create_record_partitions($1)`, [Math.ceil(DAYS / 28)])
  await t.query(
    `with callers as (
       select array_agg(id) as ids, count(*)::integer as many from registered_users where organization_id = $1
     )
     insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, counted,
       request_id, started_at, finished_at, third_party_ms, gateway_ms, headers, retention_days)
     select $1, gen_random_uuid(), c.ids[1 + n % c.many], p.id, 'production', 'sandbox-notes', 'earlier',
       (array['success', 'success', 'error'])[1 + n % 3], n % 3 < 2, 'req_' || gen_random_uuid(), at, at, 12, 1.5, '{"user-agent": "test"}', 365
     from generate_series(1, $2::integer) n, callers c, tool_packs p,
       lateral (select app_now() - interval '1 hour' - n * make_interval(secs => $3::float8) as at) t
     where p.organization_id = $1 and p.is_default`,
    [organizationId, records, (DAYS * 86_400) / records],
  )
}
