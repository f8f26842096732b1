import { type Queryable } from '../../platform/database/database.ts'
import { integer, jsonb, nullable, text, uuid } from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const record = statement({
  name: 'events.record',
  parameters: { organizationId: uuid, registeredUserId: nullable(uuid), type: text, payload: jsonb },
  sql: 'select record_event(:organizationId, :registeredUserId, :type, :payload::jsonb)',
})

const deleteOfUser = statement({
  name: 'events.delete_user',
  parameters: { organizationId: uuid, registeredUserId: uuid },
  sql: 'delete from events where organization_id = :organizationId and registered_user_id = :registeredUserId',
})

// In batches, so that no transaction is long.
const deleteOld = statement({
  name: 'events.delete_old',
  parameters: { days: integer },
  sql: `delete from events where (organization_id, id) in (
     select organization_id, id from events where created_at < app_now() - make_interval(days => :days)
       and organization_id not in (select id from unserved_organizations)
     order by created_at limit 10000)`,
})

/** Long enough to deliver an event again after an outage of a receiver, and to look it up afterwards. */
export const EVENT_RETENTION_DAYS = 30

export const eventStore = {
  record: (
    tx: Queryable,
    event: { organizationId: string; registeredUserId: string | null; type: string; payload: object },
  ) => tx.query(record, event),
  deleteOfUser: (tx: Queryable, organizationId: string, registeredUserId: string) =>
    tx.query(deleteOfUser, { organizationId, registeredUserId }),
  deleteOld: (db: Queryable) => db.query(deleteOld, { days: EVENT_RETENTION_DAYS }),
}
