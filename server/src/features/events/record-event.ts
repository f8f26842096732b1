import type { EventType } from '@carabiner/contract'
import type { Queryable } from '../../platform/database/database.ts'
import { eventStore } from './event-store.ts'

export type NewEvent = {
  organizationId: string
  registeredUserId: string | null
  type: EventType
  payload: Record<string, unknown>
}

/** Stores an event in the transaction of the change that it describes. A payload contains no secret, code or link. */
export const recordEvent = async (tx: Queryable, event: NewEvent): Promise<void> => {
  await eventStore.record(tx, event)
}

/** Deletes all events of a deleted user, delivered or not. */
export const deleteUserEvents = async (
  tx: Queryable,
  organizationId: string,
  registeredUserId: string,
): Promise<void> => {
  await eventStore.deleteOfUser(tx, organizationId, registeredUserId)
}
