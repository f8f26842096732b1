import type { EventType } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import type { SignatureVersion } from '../../core/webhook-signature.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  double,
  ensured,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import type { SignedFor } from '../../platform/vault/signing-secrets.ts'

export type EndpointFormat = 'single' | 'batch'
export type EndpointStatus = 'active' | 'paused' | 'disabled'
export type DisabledReason = 'gone' | 'attempts_exhausted'
export type EndpointOwner = { organizationId: string; mode: Mode }

const endpointColumns = {
  organizationId: uuid,
  id: uuid,
  mode: typed<Mode>(text),
  url: text,
  eventTypes: nullable(array(typed<EventType>(text))),
  description: nullable(text),
  format: typed<EndpointFormat>(text),
  signature: typed<SignatureVersion>(text),
  publicKey: nullable(text),
  status: typed<EndpointStatus>(text),
  disabledReason: nullable(typed<DisabledReason>(text)),
  lastSuccessAt: nullable(timestamptz),
  createdAt: timestamptz,
}
const COLUMNS =
  'organization_id, id, mode, url, event_types, description, format, signature, public_key, status, disabled_reason, last_success_at, created_at'
export type StoredEndpoint = Values<typeof endpointColumns>

/** What a process that delivers to the endpoint needs besides. */
const leasedColumns = {
  ...endpointColumns,
  sealedSecret: bytea,
  /** Null if the secret was not rotated within the last day. */
  sealedPreviousSecret: nullable(bytea),
  failures: integer,
}
const LEASED_COLUMNS = `${COLUMNS}, sealed_secret, case when previous_until > app_now() then sealed_previous_secret end as sealed_previous_secret, failures`
export type LeasedEndpoint = Values<typeof leasedColumns>

const ofOwner = { organizationId: uuid, mode: text }
const THIS_ONE = 'organization_id = :organizationId and mode = :mode and id = :id'

// Serializes the creation of endpoints, so that the limit holds.
const lockOrganization = statement({
  name: 'webhooks.lock_organization',
  parameters: { organizationId: uuid },
  columns: { id: uuid },
  sql: 'select id from organizations where id = :organizationId for no key update',
})
const countEndpoints = statement({
  name: 'webhooks.count_endpoints',
  parameters: ofOwner,
  columns: { endpoints: bigint },
  sql: 'select count(*) as endpoints from webhook_endpoints where organization_id = :organizationId and mode = :mode',
})
const insertEndpoint = statement({
  name: 'webhooks.insert_endpoint',
  parameters: {
    ...ofOwner,
    id: uuid,
    url: text,
    eventTypes: nullable(array(text)),
    description: nullable(text),
    format: text,
    signature: text,
    sealedSecret: bytea,
    publicKey: nullable(text),
  },
  columns: endpointColumns,
  sql: `insert into webhook_endpoints (organization_id, mode, id, url, event_types, description, format, signature, sealed_secret, public_key)
   values (:organizationId, :mode, :id, :url, :eventTypes, :description, :format, :signature, :sealedSecret, :publicKey)
   returning ${COLUMNS}`,
})
const selectEndpoint = statement({
  name: 'webhooks.endpoint',
  parameters: { ...ofOwner, id: uuid },
  columns: endpointColumns,
  sql: `select ${COLUMNS} from webhook_endpoints where ${THIS_ONE}`,
})
const selectEndpoints = statement({
  name: 'webhooks.endpoints',
  parameters: { ...ofOwner, after: nullable(uuid), limit: bigint },
  columns: endpointColumns,
  sql: `select ${COLUMNS} from webhook_endpoints where organization_id = :organizationId and mode = :mode
     and (:after::uuid is null or id > :after) order by id limit :limit`,
})
// An endpoint that was disabled receives the events from now on.
const updateEndpoint = statement({
  name: 'webhooks.update_endpoint',
  parameters: {
    ...ofOwner,
    id: uuid,
    url: nullable(text),
    setsTypes: boolean,
    eventTypes: nullable(array(text)),
    setsDescription: boolean,
    description: nullable(text),
    paused: nullable(boolean),
  },
  columns: endpointColumns,
  sql: `update webhook_endpoints set url = coalesce(:url, url),
     event_types = case when :setsTypes then :eventTypes::text[] else event_types end,
     description = case when :setsDescription then :description else description end,
     starts_in = case when status = 'disabled' and not :paused then pg_current_xact_id() else starts_in end,
     disabled_reason = case when :paused::boolean is null then disabled_reason end,
     status = case when :paused is null then status when :paused then 'paused' else 'active' end,
     failures = case when :paused is null then failures else 0 end,
     not_before = case when :paused is null then not_before else '-infinity' end
   where ${THIS_ONE} returning ${COLUMNS}`,
})
const deleteEndpoint = statement({
  name: 'webhooks.delete_endpoint',
  parameters: { ...ofOwner, id: uuid },
  columns: { id: uuid },
  sql: `delete from webhook_endpoints where ${THIS_ONE} returning id`,
})
const rotateSecret = statement({
  name: 'webhooks.rotate_secret',
  parameters: {
    ...ofOwner,
    id: uuid,
    sealedSecret: bytea,
    sealedPrevious: bytea,
    publicKey: nullable(text),
    overlapSeconds: double,
  },
  columns: endpointColumns,
  sql: `update webhook_endpoints set sealed_previous_secret = :sealedPrevious, sealed_secret = :sealedSecret,
     public_key = :publicKey, previous_until = app_now() + make_interval(secs => :overlapSeconds)
   where ${THIS_ONE} returning ${COLUMNS}`,
})
const selectSecret = statement({
  name: 'webhooks.endpoint_secret',
  parameters: { ...ofOwner, id: uuid },
  columns: leasedColumns,
  sql: `select ${LEASED_COLUMNS} from webhook_endpoints where ${THIS_ONE}`,
})
const lockSecret = statement({
  name: 'webhooks.lock_secret',
  parameters: { ...ofOwner, id: uuid },
  columns: leasedColumns,
  sql: `select ${LEASED_COLUMNS} from webhook_endpoints where ${THIS_ONE} for no key update`,
})
// Each endpoint is served by one process at a time.
const MAY_BE_LEASED = `e.status = 'active' and e.not_before <= app_now() and coalesce(e.leased_until <= app_now(), true)`
// Organizations with fewer served endpoints come first, and none has more than its share, so that receivers that hang cannot take the places of others.
const leaseDue = statement({
  name: 'webhooks.lease_due_endpoints',
  parameters: {
    leaseId: uuid,
    leaseMs: double,
    limit: bigint,
    share: bigint,
    served: jsonb,
  },
  columns: leasedColumns,
  sql: `update webhook_endpoints set leased_by = :leaseId, leased_until = app_now() + make_interval(secs => :leaseMs::float8 / 1000)
   where (organization_id, id) in (
     select e.organization_id, e.id from webhook_endpoints e join (
       select e.organization_id, e.id,
         coalesce((:served::jsonb ->> e.organization_id::text)::integer, 0) + row_number() over (partition by e.organization_id order by e.not_before, e.id) as place
       from webhook_endpoints e
       cross join lateral (select from webhook_deliveries d where d.organization_id = e.organization_id and d.endpoint_id = e.id
         and d.status = 'pending' and d.due_at <= app_now() limit 1) due
       where ${MAY_BE_LEASED} and e.organization_id not in (select id from unserved_organizations)) ranked
       on ranked.organization_id = e.organization_id and ranked.id = e.id
     where ranked.place <= :share and ${MAY_BE_LEASED}
     order by ranked.place, e.not_before limit :limit for update of e skip locked)
   returning ${LEASED_COLUMNS}`,
})
const ofLease = { organizationId: uuid, id: uuid, leaseId: uuid }
const OF_LEASE = 'organization_id = :organizationId and id = :id and leased_by = :leaseId'
// Returns the endpoint as it is now: its URL and its secrets may have changed, and it may have been paused.
const renewLease = statement({
  name: 'webhooks.renew_lease',
  parameters: { ...ofLease, leaseMs: double },
  columns: leasedColumns,
  sql: `update webhook_endpoints set leased_until = app_now() + make_interval(secs => :leaseMs::float8 / 1000)
   where ${OF_LEASE} and status = 'active' and not_before <= app_now()
     and organization_id not in (select id from unserved_organizations)
   returning ${LEASED_COLUMNS}`,
})
const releaseLease = statement({
  name: 'webhooks.release_lease',
  parameters: ofLease,
  sql: `update webhook_endpoints set leased_by = null, leased_until = null where ${OF_LEASE}`,
})
const recordSuccess = statement({
  name: 'webhooks.record_success',
  parameters: { organizationId: uuid, id: uuid },
  sql: `update webhook_endpoints set last_success_at = app_now(), failures = 0, not_before = '-infinity'
   where organization_id = :organizationId and id = :id and (failures > 0 or last_success_at is null
     or last_success_at < app_now() - interval '1 minute')`,
})
const recordFailure = statement({
  name: 'webhooks.record_failure',
  parameters: { organizationId: uuid, id: uuid, waitSeconds: array(double) },
  columns: { failures: integer },
  sql: `update webhook_endpoints set failures = failures + 1, not_before = case when (:waitSeconds::float8[])[failures + 1] is null
       then app_now() + make_interval(secs => (:waitSeconds::float8[])[cardinality(:waitSeconds::float8[])])
       else app_now() + make_interval(secs => (:waitSeconds::float8[])[failures + 1]) end
   where organization_id = :organizationId and id = :id returning failures`,
})
// Not if the endpoint has worked since the event happened: then only this delivery fails.
const disableEndpoint = statement({
  name: 'webhooks.disable_endpoint',
  parameters: { organizationId: uuid, id: uuid, reason: text, unlessSuccessSince: nullable(timestamptz) },
  columns: endpointColumns,
  sql: `update webhook_endpoints set status = 'disabled', disabled_reason = :reason
   where organization_id = :organizationId and id = :id and status <> 'disabled'
     and coalesce(last_success_at < :unlessSuccessSince::timestamptz, true)
   returning ${COLUMNS}`,
})
const queueColumns = {
  status: typed<EndpointStatus>(text),
  endpoints: ensured(integer),
  pending: ensured(integer),
  oldestDueSeconds: ensured(double),
}
/** Endpoints of a status, their pending deliveries, and for how long the first of these has been due. */
export type QueueSample = Values<typeof queueColumns>
// Counts a part of the pending deliveries of each endpoint, so that its duration does not depend on those that are dead.
const sampleQueue = statement({
  name: 'webhooks.sample_queue',
  parameters: { limit: bigint },
  columns: queueColumns,
  sql: `select e.status, count(*)::integer as endpoints, sum(q.pending)::integer as pending,
     coalesce(greatest(extract(epoch from app_now() - min(q.due_at)), 0), 0)::float8 as oldest_due_seconds
   from webhook_endpoints e
   cross join lateral (select count(*) as pending, min(p.due_at) as due_at from (select d.due_at from webhook_deliveries d
     where d.organization_id = e.organization_id and d.endpoint_id = e.id and d.status = 'pending' order by d.due_at limit :limit) p) q
   where e.organization_id not in (select id from unserved_organizations)
   group by e.status`,
})
const MAX_SAMPLED = 1000

export type NewEndpoint = {
  id: string
  url: string
  eventTypes: string[] | null
  description: string | null
  format: EndpointFormat
  signature: SignatureVersion
  sealedSecret: Buffer
  publicKey: string | null
}
export type EndpointChange = {
  url?: string
  eventTypes?: string[] | null
  description?: string | null
  paused?: boolean
}
export type EndpointKey = { organizationId: string; id: string }

export const signedFor = ({ organizationId, id }: EndpointKey): SignedFor => ({
  purpose: 'webhook-endpoint',
  organizationId,
  id,
})

export const endpointStore = {
  lockOrganization: (tx: Queryable, organizationId: string) => one(tx, lockOrganization, { organizationId }),
  count: async (tx: Queryable, { organizationId, mode }: EndpointOwner): Promise<number> =>
    (await one(tx, countEndpoints, { organizationId, mode }))?.endpoints ?? 0,
  insert: (tx: Queryable, { organizationId, mode }: EndpointOwner, endpoint: NewEndpoint) =>
    one(tx, insertEndpoint, { organizationId, mode, ...endpoint }) as Promise<StoredEndpoint>,
  find: (db: Queryable, { organizationId, mode }: EndpointOwner, id: string) =>
    one(db, selectEndpoint, { organizationId, mode, id }),
  list: (
    db: Queryable,
    { organizationId, mode }: EndpointOwner,
    page: { after: string | null; limit: number },
  ) => db.query(selectEndpoints, { organizationId, mode, ...page }),
  update: (
    db: Queryable,
    { organizationId, mode }: EndpointOwner,
    id: string,
    { url, eventTypes, description, paused }: EndpointChange,
  ) =>
    one(db, updateEndpoint, {
      organizationId,
      mode,
      id,
      url: url ?? null,
      setsTypes: eventTypes !== undefined,
      eventTypes: eventTypes ?? null,
      setsDescription: description !== undefined,
      description: description ?? null,
      paused: paused ?? null,
    }),
  delete: (db: Queryable, { organizationId, mode }: EndpointOwner, id: string) =>
    one(db, deleteEndpoint, { organizationId, mode, id }),
  readSecret: (db: Queryable, { organizationId, mode }: EndpointOwner, id: string) =>
    one(db, selectSecret, { organizationId, mode, id }),
  lockSecret: (tx: Queryable, { organizationId, mode }: EndpointOwner, id: string) =>
    one(tx, lockSecret, { organizationId, mode, id }),
  rotateSecret: (
    tx: Queryable,
    { organizationId, mode }: EndpointOwner,
    id: string,
    secrets: {
      sealedSecret: Buffer
      sealedPrevious: Buffer
      publicKey: string | null
      overlapSeconds: number
    },
  ) => one(tx, rotateSecret, { organizationId, mode, id, ...secrets }) as Promise<StoredEndpoint>,
  /** `served`: the number of endpoints that the process serves already, by organization. At most `share` of each are served. */
  leaseDue: (
    db: Queryable,
    { leaseId, leaseMs }: { leaseId: string; leaseMs: number },
    { limit, share, served }: { limit: number; share: number; served: ReadonlyMap<string, number> },
  ): Promise<LeasedEndpoint[]> =>
    db.query(leaseDue, {
      leaseId,
      leaseMs,
      limit,
      share,
      served: Object.fromEntries(served),
    }),
  /** Null if the endpoint may not be served now, or another process serves it. */
  renewLease: (db: Queryable, { organizationId, id }: EndpointKey, leaseId: string, leaseMs: number) =>
    one(db, renewLease, { organizationId, id, leaseId, leaseMs }),
  releaseLease: (db: Queryable, { organizationId, id }: EndpointKey, leaseId: string) =>
    db.query(releaseLease, { organizationId, id, leaseId }),
  recordSuccess: (db: Queryable, { organizationId, id }: EndpointKey) =>
    db.query(recordSuccess, { organizationId, id }),
  /** `waitSeconds`: the wait after each failure in a row; the last one applies to all further failures. */
  recordFailure: (db: Queryable, { organizationId, id }: EndpointKey, waitSeconds: readonly number[]) =>
    one(db, recordFailure, { organizationId, id, waitSeconds: [...waitSeconds] }),
  sampleQueue: (db: Queryable): Promise<QueueSample[]> => db.query(sampleQueue, { limit: MAX_SAMPLED }),
  /** Null if it is disabled already, or was successful since the given time. */
  disable: (
    tx: Queryable,
    { organizationId, id }: EndpointKey,
    reason: DisabledReason,
    unlessSuccessSince: Date | null = null,
  ) => one(tx, disableEndpoint, { organizationId, id, reason, unlessSuccessSince }),
}
