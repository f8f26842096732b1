import { NIL_UUID } from '../../core/uuid.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  arraysOf,
  bigint,
  boolean,
  double,
  ensured,
  jsonb,
  nullable,
  smallint,
  text,
  timestamptz,
  toArrays,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { perRequest, statement } from '../../platform/database/statement.ts'
import type { EndpointKey, EndpointOwner } from './endpoint-store.ts'

export type DeliveryStatus = 'pending' | 'delivered' | 'failed'
export type Attempt = {
  at: string
  duration_ms: number
  request_headers: Record<string, string>
  response_status: number | null
  /** Null if there was no response. */
  response_headers: Record<string, string> | null
  /** The start of the response's body. */
  response_body: string | null
  /** Why there was no response. */
  error: string | null
}

export const deliveryColumns = {
  id: uuid,
  endpointId: uuid,
  eventId: uuid,
  type: text,
  registeredUserId: nullable(uuid),
  isTest: boolean,
  status: typed<DeliveryStatus>(text),
  attempts: typed<Attempt[]>(jsonb),
  dueAt: timestamptz,
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
}
export const DELIVERY_COLUMNS =
  'd.id, d.endpoint_id, d.event_id, d.type, d.registered_user_id, d.is_test, d.status, d.attempts, d.due_at, d.created_at, d.finished_at'
export type StoredDelivery = Values<typeof deliveryColumns>

const newDelivery = {
  id: uuid,
  endpointId: uuid,
  eventId: uuid,
  type: text,
  registeredUserId: nullable(uuid),
  sequence: nullable(bigint),
  body: text,
  occurredAt: timestamptz,
}
export type NewDelivery = Values<typeof newDelivery>

// A user who is being deleted is locked, so that no delivery of theirs is left. The time never decreases, also if a transaction began before
// the one that stored the previous events.
const insertDeliveries = statement({
  name: 'webhooks.insert_deliveries',
  parameters: { organizationId: uuid, userIds: array(uuid), ...arraysOf(newDelivery) },
  columns: { stored: ensured(bigint) },
  sql: `with users as materialized (
     select id from registered_users where organization_id = :organizationId and id = any(:userIds::uuid[]) order by id for key share
   ), stored as (insert into webhook_deliveries (organization_id, id, endpoint_id, event_id, type, registered_user_id, sequence, body, occurred_at, due_at, created_at)
   select :organizationId, n.*, p.at, p.at from (
     select greatest(app_now(), read_at) as at from event_positions where organization_id = :organizationId
   ) p, unnest(:id::uuid[], :endpointId::uuid[], :eventId::uuid[], :type::text[], :registeredUserId::uuid[],
     :sequence::bigint[], :body::text[], :occurredAt::timestamptz[])
     as n (id, endpoint_id, event_id, type, registered_user_id, sequence, body, occurred_at)
   where n.registered_user_id is null or n.type = 'registered_user.deleted' or n.registered_user_id in (select id from users)
   on conflict do nothing returning id)
   select count(*) as stored from stored`,
})

/** An event that was sent once, at the request of a person or program. */
export type TestDelivery = {
  id: string
  eventId: string
  type: string
  body: string
  status: DeliveryStatus
  attempt: Attempt
}
// Returns nothing if the endpoint was deleted meanwhile.
const insertTest = statement({
  name: 'webhooks.insert_test_delivery',
  parameters: {
    organizationId: uuid,
    endpointId: uuid,
    id: uuid,
    eventId: uuid,
    type: text,
    body: text,
    status: text,
    attempt: jsonb,
  },
  columns: { id: uuid },
  sql: `insert into webhook_deliveries (organization_id, endpoint_id, id, event_id, type, is_test, body, status, attempt_count, attempts, occurred_at, finished_at)
   select organization_id, id, :id, :eventId, :type, true, :body, :status, 1, jsonb_build_array(:attempt::jsonb), app_now(), app_now()
   from webhook_endpoints where organization_id = :organizationId and id = :endpointId returning id`,
})

const dueColumns = {
  id: uuid,
  eventId: uuid,
  body: text,
  batchId: nullable(uuid),
  attemptCount: smallint,
  sequence: nullable(bigint),
  createdAt: timestamptz,
  /** Since the event happened. Null after the first attempt. */
  lagMs: nullable(double),
}
const DUE_COLUMNS = `d.id, d.event_id, d.body, d.batch_id, d.attempt_count, d.sequence, d.created_at,
  case when d.attempts = '[]' then (extract(epoch from app_now() - d.occurred_at) * 1000)::float8 end as lag_ms`
export type DueDelivery = Values<typeof dueColumns>

const dueParameters = { organizationId: uuid, endpointId: uuid, limit: bigint }
const DUE = `d.organization_id = :organizationId and d.endpoint_id = :endpointId and d.status = 'pending' and d.due_at <= app_now()`
// An earlier event of the same user comes first, unless it has failed for a while.
const selectDue = statement({
  name: 'webhooks.due_deliveries',
  parameters: dueParameters,
  columns: dueColumns,
  sql: `select ${DUE_COLUMNS} from webhook_deliveries d
   where ${DUE} and not exists (
     select from webhook_deliveries e where d.sequence is not null and e.organization_id = d.organization_id and e.endpoint_id = d.endpoint_id
       and e.registered_user_id = d.registered_user_id and e.status = 'pending' and e.sequence is not null and e.sequence < d.sequence
       and coalesce(e.holds_until > app_now(), true))
   order by d.due_at, d.sequence, d.id limit :limit`,
})
// A batch that has failed is repeated as it was. Others wait for it for a while, so that events stay in order.
const selectDueBatch = statement({
  name: 'webhooks.due_batch',
  parameters: { ...dueParameters, newBatchId: uuid, bytes: bigint },
  columns: { ...dueColumns, batchId: ensured(uuid) },
  sql: `with repeated as (
     select batch_id from webhook_deliveries d where ${DUE} and batch_id is not null order by d.due_at limit 1
   ), waiting as (
     select from webhook_deliveries d where d.organization_id = :organizationId and d.endpoint_id = :endpointId and d.status = 'pending'
       and d.batch_id is not null and coalesce(d.holds_until > app_now(), true) limit 1
   ), fresh as (
     select id from (
       select d.id, sum(octet_length(d.body) + 1) over (order by d.created_at, d.sequence, d.id) as bytes, row_number() over (order by d.created_at, d.sequence, d.id) as number
       from (select * from webhook_deliveries d where ${DUE} and d.batch_id is null order by d.due_at, d.sequence, d.id limit :limit) d) sized
     where not exists (select from repeated) and not exists (select from waiting) and (bytes <= :bytes or number = 1)
   )
   update webhook_deliveries d set batch_id = coalesce((select batch_id from repeated), :newBatchId)
   where d.organization_id = :organizationId and d.endpoint_id = :endpointId and d.status = 'pending'
     and (d.id in (select id from fresh) or d.batch_id = (select batch_id from repeated))
   returning ${DUE_COLUMNS}`,
})
const attemptParameters = { organizationId: uuid, status: text, attempt: jsonb, delaySeconds: double }
const ATTEMPTED = `status = :status, attempt_count = attempt_count + 1,
     attempts = case when jsonb_array_length(attempts) >= 30 then attempts - 0 else attempts end || :attempt::jsonb,
     due_at = app_now() + make_interval(secs => :delaySeconds),
     holds_until = coalesce(holds_until, app_now() + interval '5 minutes'),
     finished_at = case when :status <> 'pending' then app_now() end`
// `ctid`: as in the settlement of calls. A row that another statement has updated meanwhile is not saved, and is sent again.
const saveAttempt = statement({
  name: 'webhooks.save_attempt',
  parameters: { ...attemptParameters, id: uuid },
  sql: `update webhook_deliveries set ${ATTEMPTED} where organization_id = :organizationId and id = :id and status = 'pending'`,
  forMany: `, found as materialized (
     select r.*, c.row_id from requests r
     join lateral (
       select ctid as row_id from webhook_deliveries where organization_id = r.organization_id and id = r.id
         and status = 'pending' offset 0) c on true
   )
   update webhook_deliveries d set ${perRequest(ATTEMPTED)} from found r
   where d.ctid = r.row_id and d.organization_id = r.organization_id and d.id = r.id
   returning r.position`,
})
const saveBatchAttempt = statement({
  name: 'webhooks.save_batch_attempt',
  parameters: { ...attemptParameters, ids: array(uuid) },
  sql: `update webhook_deliveries set ${ATTEMPTED} where organization_id = :organizationId and id = any(:ids::uuid[]) and status = 'pending'`,
})

const AGAIN = `status = 'pending', attempt_count = 0, batch_id = null, due_at = app_now(), holds_until = null, finished_at = null`
const replayOne = statement({
  name: 'webhooks.replay_delivery',
  parameters: { organizationId: uuid, mode: text, id: uuid },
  columns: deliveryColumns,
  sql: `update webhook_deliveries d set ${AGAIN} from webhook_endpoints e
   where d.organization_id = :organizationId and d.id = :id and not d.is_test and e.organization_id = :organizationId and e.id = d.endpoint_id and e.mode = :mode
   returning ${DELIVERY_COLUMNS}`,
})
// A page, oldest first. Returns where it ended.
const replayMany = statement({
  name: 'webhooks.replay_deliveries',
  parameters: {
    organizationId: uuid,
    endpointId: uuid,
    status: text,
    since: nullable(timestamptz),
    until: nullable(timestamptz),
    place: nullable(typed<string>(bigint)),
    id: uuid,
    limit: bigint,
  },
  columns: { id: uuid, place: text, deliveries: ensured(bigint) },
  sql: `with page as materialized (
     select id, created_at from webhook_deliveries where organization_id = :organizationId and endpoint_id = :endpointId and status = :status
       and not is_test and created_at >= coalesce(:since::timestamptz, '-infinity') and created_at < coalesce(:until::timestamptz, 'infinity')
       and (created_at, id) > (coalesce('epoch'::timestamptz + :place::bigint * interval '1 microsecond', '-infinity'), :id::uuid)
     order by created_at, id limit :limit
   ), replayed as (
     update webhook_deliveries set ${AGAIN} where organization_id = :organizationId and id in (select id from page) and status = :status
     returning id
   )
   select id, (extract(epoch from created_at) * 1000000)::bigint::text as place, (select count(*) from replayed) as deliveries
   from page order by created_at desc, id desc limit 1`,
})

const deleteOld = statement({
  name: 'webhooks.delete_old_deliveries',
  parameters: { limit: bigint },
  sql: `delete from webhook_deliveries where (organization_id, id) in (
     select d.organization_id, d.id from webhook_endpoints e join organizations o on o.id = e.organization_id
     cross join lateral (
       select organization_id, id from webhook_deliveries where organization_id = e.organization_id and endpoint_id = e.id
         and created_at < app_now() - make_interval(days => plan_event_days(o.plan)) order by created_at limit :limit) d
     where e.organization_id not in (select id from unserved_organizations) limit :limit)`,
})

/** Deliveries or events by time, oldest first. `after`: where the previous page ended. */
export type ReplayRange = {
  since: Date | null
  until: Date | null
  after: { place: string; id: string } | null
  limit: number
}

const BATCH = 10_000

export const deliveryStore = {
  /** Returns how many were not stored before. */
  insert: async (tx: Queryable, organizationId: string, deliveries: NewDelivery[]): Promise<number> => {
    const userIds = deliveries.flatMap(({ registeredUserId }) => registeredUserId ?? [])
    const row = await one(tx, insertDeliveries, {
      organizationId,
      userIds: [...new Set(userIds)],
      ...toArrays(newDelivery, deliveries),
    })
    return row?.stored ?? 0
  },
  insertTest: (db: Queryable, { organizationId, id: endpointId }: EndpointKey, delivery: TestDelivery) =>
    one(db, insertTest, { organizationId, endpointId, ...delivery }),
  due: (db: Queryable, { organizationId, id }: EndpointKey, limit: number): Promise<DueDelivery[]> =>
    db.query(selectDue, { organizationId, endpointId: id, limit }),
  /** The events of the next request, in order. */
  dueBatch: async (
    db: Queryable,
    { organizationId, id }: EndpointKey,
    batch: { newBatchId: string; limit: number; bytes: number },
  ) => {
    const events = await db.query(selectDueBatch, { organizationId, endpointId: id, ...batch })
    return events.toSorted(
      (a, b) =>
        Number(a.createdAt) - Number(b.createdAt) ||
        (a.sequence ?? 0) - (b.sequence ?? 0) ||
        (a.eventId < b.eventId ? -1 : 1),
    )
  },
  saveAttempt: (
    db: Queryable,
    organizationId: string,
    [id, ...others]: [string, ...string[]],
    outcome: { status: DeliveryStatus; attempt: Attempt; delaySeconds: number },
  ) =>
    others.length === 0
      ? db.query(saveAttempt, { organizationId, id, ...outcome })
      : db.query(saveBatchAttempt, { organizationId, ids: [id, ...others], ...outcome }),
  replay: (db: Queryable, { organizationId, mode }: EndpointOwner, id: string) =>
    one(db, replayOne, { organizationId, mode, id }),
  /** Replays a page, oldest first. Returns where it ended, or null if there are none. */
  replayMany: (
    db: Queryable,
    endpoint: EndpointKey,
    which: ReplayRange & { status: DeliveryStatus },
  ): Promise<{ place: string; id: string; deliveries: number } | null> => {
    const { status, since, until, after, limit } = which
    return one(db, replayMany, {
      organizationId: endpoint.organizationId,
      endpointId: endpoint.id,
      status,
      since,
      until,
      place: after?.place ?? null,
      id: after?.id ?? NIL_UUID,
      limit,
    })
  },
  /** The plan decides for how long deliveries are kept. */
  deleteOld: (db: Queryable) => db.query(deleteOld, { limit: BATCH }),
}
