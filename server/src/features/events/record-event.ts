import type { EventType } from '@carabiner/contract'
import { json, type Queryable, statement } from '../../platform/database/database.ts'

export type NewEvent = {
  organizationId: string
  registeredUserId: string | null
  type: EventType
  payload: Record<string, unknown>
}

const recordEventStatement = statement<never>('events.record', 'select record_event($1, $2, $3, $4::jsonb)')

/** Written by the transaction whose change it tells of, or not at all. No payload carries a secret, a code or a link. */
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

/** A deleted user's history goes with it, forwarded or not. */
export const deleteUserEvents = async (
  tx: Queryable,
  organizationId: string,
  registeredUserId: string,
): Promise<void> => {
  await tx.query(deleteEvents, [organizationId, registeredUserId])
}
