import type { EventType } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const positionColumns = { position: text, readAt: timestamptz }
export type EventPosition = Values<typeof positionColumns>

const subscriptionColumns = {
  id: uuid,
  mode: typed<Mode>(text),
  eventTypes: nullable(array(typed<EventType>(text))),
  /** Events of earlier transactions are not delivered. */
  startsIn: text,
}
export type Subscription = Values<typeof subscriptionColumns>

// An event that was written a week after its place would be missed: a call whose process was killed is recorded when the service runs again.
export const MAX_LATENESS = `interval '7 days'`

// Organizations with events that were not turned into deliveries yet.
const selectBehind = statement({
  name: 'webhooks.organizations_behind',
  parameters: { limit: bigint },
  columns: { organizationId: uuid },
  sql: `select p.organization_id from event_positions p
   cross join lateral (select from webhook_endpoints e where e.organization_id = p.organization_id and e.status <> 'disabled' limit 1) served
   cross join lateral (select from reported_events r where r.organization_id = p.organization_id and r.committed_in > p.position
     and r.committed_in <= last_settled_transaction() and r.at > p.read_at - ${MAX_LATENESS} limit 1) waiting
   where p.organization_id not in (select id from unserved_organizations)
   order by p.read_at limit :limit`,
})
// Another process that is at it is not waited for.
const lockPosition = statement({
  name: 'webhooks.lock_position',
  parameters: { organizationId: uuid },
  columns: { ...positionColumns, since: timestamptz },
  sql: `select position::text as position, read_at, read_at - ${MAX_LATENESS} as since from event_positions
   where organization_id = :organizationId and organization_id not in (select id from unserved_organizations)
   for update skip locked`,
})
const advancePosition = statement({
  name: 'webhooks.advance_position',
  parameters: { organizationId: uuid, position: text },
  sql: `update event_positions set position = (:position::text)::xid8, read_at = greatest(app_now(), read_at) where organization_id = :organizationId`,
})
const selectSubscriptions = statement({
  name: 'webhooks.subscriptions',
  parameters: { organizationId: uuid },
  columns: subscriptionColumns,
  sql: `select id, mode, event_types, starts_in::text as starts_in from webhook_endpoints
   where organization_id = :organizationId and status <> 'disabled'`,
})

export const fanOutStore = {
  behind: async (db: Queryable, limit: number): Promise<string[]> =>
    (await db.query(selectBehind, { limit })).map(({ organizationId }) => organizationId),
  lockPosition: (tx: Queryable, organizationId: string) => one(tx, lockPosition, { organizationId }),
  advance: (tx: Queryable, organizationId: string, position: string) =>
    tx.query(advancePosition, { organizationId, position }),
  subscriptions: (tx: Queryable, organizationId: string): Promise<Subscription[]> =>
    tx.query(selectSubscriptions, { organizationId }),
}
