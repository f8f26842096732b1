import type { Plan } from '@carabiner/contract'
import type { OrganizationState } from '../../core/organization-state.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  bigint,
  double,
  ensured,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const organizationColumns = {
  id: uuid,
  name: text,
  state: typed<OrganizationState>(text),
  plan: typed<Plan>(text),
  callLimit: nullable(integer),
  cycleLimit: nullable(integer),
  cycleCalls: ensured(bigint),
  members: ensured(bigint),
  registeredUsers: ensured(bigint),
  createdAt: timestamptz,
}
export type InstalledRow = Values<typeof organizationColumns>

// Aggregated usage, and the records that are not aggregated yet.
const ORGANIZATION = `select o.id, o.name, o.state, o.plan, o.call_limit, coalesce(o.call_limit, plan_call_limit(o.plan)) as cycle_limit,
     coalesce((select sum(u.counted) from usage_totals u
       where u.organization_id = o.id and u.mode = 'production' and u.day >= cycle_of(o.cycle_day, app_now())), 0)::bigint
     + (select count(*) from tool_calls c where c.organization_id = o.id and c.mode = 'production' and c.counted
         and c.started_at >= greatest(coalesce(o.usage_until, (select until from usage_progress)),
           cycle_of(o.cycle_day, app_now())::timestamp at time zone 'UTC')) as cycle_calls,
     (select count(*) from members m where m.organization_id = o.id) as members,
     (select count(*) from registered_users r where r.organization_id = o.id and r.kind = 'user') as registered_users,
     o.created_at
   from organizations o`

// IDs are in order of creation. The newest organizations come first.
const listOrganizations = statement({
  name: 'installation.organizations',
  parameters: {
    after: nullable(uuid),
    search: nullable(text),
    state: nullable(text),
    limit: bigint,
  },
  columns: organizationColumns,
  sql: `${ORGANIZATION}
   where (:after::uuid is null or o.id < :after) and (:state::text is null or o.state = :state)
     and (:search::text is null or strpos(lower(o.name), lower(:search)) > 0 or o.id::text = lower(:search))
   order by o.id desc limit :limit`,
})
const selectOrganization = statement({
  name: 'installation.organization',
  parameters: { id: uuid },
  columns: organizationColumns,
  sql: `${ORGANIZATION} where o.id = :id`,
})

const jobColumns = {
  name: text,
  endedAt: timestamptz,
  succeededAt: nullable(timestamptz),
  /** Seconds since the last success, by the clock of the database. */
  idleSeconds: nullable(double),
}
export type JobRun = Values<typeof jobColumns>
const selectJobs = statement({
  name: 'installation.jobs',
  columns: jobColumns,
  sql: `select name, ended_at, succeeded_at, extract(epoch from app_now() - succeeded_at)::double precision as idle_seconds
   from job_runs order by name`,
})

const queueColumns = { waiting: ensured(integer), oldestSeconds: nullable(double) }
export type QueueDepth = Values<typeof queueColumns>
const MAX_COUNTED = 10_000
const depth = (name: string, time: string, rows: string) =>
  statement({
    name: `installation.queue_${name}`,
    columns: queueColumns,
    sql: `select count(*)::integer as waiting, extract(epoch from app_now() - min(${time}))::double precision as oldest_seconds
     from (select ${time} from ${rows} limit ${MAX_COUNTED}) q`,
  })
const SERVED = 'organization_id not in (select id from unserved_organizations)'
// Deliveries to paused endpoints wait on purpose, and those of failing endpoints for their circuit breaker.
const webhooks = depth(
  'webhooks',
  'due_at',
  `webhook_endpoints e cross join lateral (select d.due_at from webhook_deliveries d where d.organization_id = e.organization_id
     and d.endpoint_id = e.id and d.status = 'pending' and d.due_at <= app_now() limit ${MAX_COUNTED}) d
   where e.status = 'active' and e.not_before <= app_now() and e.${SERVED}`,
)
const revocations = depth(
  'revocations',
  'due_at',
  `revocations where outcome is null and due_at <= app_now() and organization_id not in (
     select id from unserved_organizations where state not in ('suspended', 'deleting'))`,
)
const refreshes = depth(
  'refreshes',
  'access_expires_at',
  `credentials where status = 'active' and access_expires_at <= app_now() and updated_at < app_now() - interval '5 days'
     and (checked_at is null or checked_at < app_now() - interval '1 day') and ${SERVED}`,
)
const deletions = statement({
  name: 'installation.queue_deletions',
  columns: queueColumns,
  sql: `select count(*)::integer as waiting, null::double precision as oldest_seconds
   from organizations where state = 'deleting' and pending_deletion is not null`,
})

const empty: QueueDepth = { waiting: 0, oldestSeconds: null }
const read = async (db: Queryable, query: typeof webhooks): Promise<QueueDepth> =>
  (await one(db, query)) ?? empty

/** Reads across organizations, for operators. */
export const installationStore = {
  organizations: (
    db: Queryable,
    filter: { after: string | null; search: string | null; state: string | null; limit: number },
  ): Promise<InstalledRow[]> => db.query(listOrganizations, filter),
  organization: (db: Queryable, id: string): Promise<InstalledRow | null> =>
    one(db, selectOrganization, { id }),
  jobs: (db: Queryable): Promise<JobRun[]> => db.query(selectJobs),
  webhooks: (db: Queryable) => read(db, webhooks),
  revocations: (db: Queryable) => read(db, revocations),
  refreshes: (db: Queryable) => read(db, refreshes),
  deletions: (db: Queryable) => read(db, deletions),
}
