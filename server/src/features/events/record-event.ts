import type { EventType } from '@carabiner/contract'
import { json, type Queryable, statement } from '../../platform/database/database.ts'

export type NewEvent = {
  organizationId: string
  registeredUserId: string | null
  type: EventType
  payload: Record<string, unknown>
}

const recordEventStatement = statement<never>('events.record', 'select record_event($1, $2, $3, $4::jsonb)')

/** Records an event in the transaction of the change that it describes. Payloads never contain a secret, a code or a link. */
export const recordEvent = async (
  tx: Queryable,
  { organizationId, registeredUserId, type, payload }: NewEvent,
): Promise<void> => {
  await tx.query(recordEventStatement, [organizationId, registeredUserId, type, json(payload)])
}

const deleteEvents = statement<never>(
  'events.delete_user',
  'delete from events where organization_id = $1 and registered_user_id = $2',
)

/** The events of a deleted user are deleted too, delivered or not. */
export const deleteUserEvents = async (
  tx: Queryable,
  organizationId: string,
  registeredUserId: string,
): Promise<void> => {
  await tx.query(deleteEvents, [organizationId, registeredUserId])
}
