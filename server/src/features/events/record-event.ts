import type { EventData, EventType } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import type { Queryable } from '../../platform/database/database.ts'
import { eventStore } from './event-store.ts'

export type NewEvent = {
  [Kind in EventType]: {
    organizationId: string
    registeredUserId: string | null
    type: Kind
    payload: EventData<Kind>
    /** Default: the user's mode, or both modes for an event without a user. */
    mode?: Mode
  }
}[EventType]

/** Stores an event in the transaction of the change that it describes. A payload contains no secret, code or link. */
export const recordEvent = async (tx: Queryable, event: NewEvent): Promise<void> => {
  await eventStore.record(tx, { mode: null, ...event })
}

/** Deletes all events of a deleted user, delivered or not. */
export const deleteUserEvents = async (
  tx: Queryable,
  organizationId: string,
  registeredUserId: string,
): Promise<void> => {
  await eventStore.deleteOfUser(tx, organizationId, registeredUserId)
}
