import type { Queryable } from '../../platform/database/database.ts'
import {
  type CommittedEvent,
  type EventRange,
  type EventReader,
  eventFeedStore,
  type PlacedEvent,
} from './event-feed-store.ts'

export type { CommittedEvent, StoredEvent } from './event-feed-store.ts'

/** Where a reader of all events of an organization continues: after this transaction. `since`: as in the store. */
export type FeedPosition = { after: string; since: Date; limit: number }

export type FeedPage = {
  events: CommittedEvent[]
  /** Where the next page starts. */
  next: string
  /** Whether there may be more events already. */
  isFull: boolean
}

/** The next events of an organization, in the order in which their transactions were numbered. None is ever skipped. */
export const readFeed = async (
  db: Queryable,
  organizationId: string,
  position: FeedPosition,
): Promise<FeedPage> => {
  // Read first: events of later transactions may be on the page, and are read again.
  const settled = await eventFeedStore.lastSettled(db)
  const events = await eventFeedStore.committed(db, organizationId, position)
  const isFull = events.length >= position.limit
  return { events, isFull, next: isFull ? (events.at(-1)?.committedIn ?? settled) : settled }
}

/** Events of a range of time, oldest first. */
export const readEventRange = (
  db: Queryable,
  reader: EventReader,
  range: EventRange,
): Promise<PlacedEvent[]> => eventFeedStore.range(db, reader, range)
