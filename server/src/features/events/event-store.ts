import { type Queryable, statement } from '../../platform/database/database.ts'

const record = statement<never>('events.record', 'select record_event($1, $2, $3, $4::jsonb)')

const deleteOfUser = statement<never>(
  'events.delete_user',
  'delete from events where organization_id = $1 and registered_user_id = $2',
)

// In batches, so that no transaction is long.
const deleteOld = statement<never>(
  'events.delete_old',
  `delete from events where (organization_id, id) in (
     select organization_id, id from events where created_at < app_now() - make_interval(days => $1)
     order by created_at limit 10000)`,
)

/** Long enough to deliver an event again after an outage of a receiver, and to look it up afterwards. */
export const EVENT_RETENTION_DAYS = 30

export const eventStore = {
  record: (
    tx: Queryable,
    event: { organizationId: string; registeredUserId: string | null; type: string; payload: string },
  ) => tx.query(record, [event.organizationId, event.registeredUserId, event.type, event.payload]),
  deleteOfUser: (tx: Queryable, organizationId: string, registeredUserId: string) =>
    tx.query(deleteOfUser, [organizationId, registeredUserId]),
  deleteOld: (db: Queryable) => db.query(deleteOld, [EVENT_RETENTION_DAYS]),
}
