import type { Mode } from '../../core/mode.ts'
import { type Queryable } from '../../platform/database/database.ts'
import { bigint, jsonb, nullable, text, uuid } from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const record = statement({
  name: 'events.record',
  parameters: {
    organizationId: uuid,
    registeredUserId: nullable(uuid),
    type: text,
    payload: jsonb,
    mode: nullable(text),
  },
  sql: 'select record_event(:organizationId, :registeredUserId, :type, :payload::jsonb, :mode)',
})

const deleteOfUser = statement({
  name: 'events.delete_user',
  parameters: { organizationId: uuid, registeredUserId: uuid },
  sql: 'delete from events where organization_id = :organizationId and registered_user_id = :registeredUserId',
})

// In batches, so that no transaction is long.
const deleteOld = statement({
  name: 'events.delete_old',
  parameters: { limit: bigint },
  sql: `delete from events where (organization_id, id) in (
     select e.organization_id, e.id from organizations o cross join lateral (
       select organization_id, id from events
       where organization_id = o.id and created_at < app_now() - make_interval(days => plan_event_days(o.plan)) limit :limit) e
     where o.id not in (select id from unserved_organizations) limit :limit)`,
})

const BATCH = 10_000

export const eventStore = {
  record: (
    tx: Queryable,
    event: {
      organizationId: string
      registeredUserId: string | null
      type: string
      payload: object
      mode: Mode | null
    },
  ) => tx.query(record, event),
  deleteOfUser: (tx: Queryable, organizationId: string, registeredUserId: string) =>
    tx.query(deleteOfUser, { organizationId, registeredUserId }),
  /** The plan decides for how long events are kept. */
  deleteOld: (db: Queryable) => db.query(deleteOld, { limit: BATCH }),
}
