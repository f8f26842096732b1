import type { Database } from '../../platform/database/database.ts'
import { readEventRange } from '../events/event-feed.ts'
import { deliveryStore, type ReplayRange } from './delivery-store.ts'
import type { StoredEndpoint } from './endpoint-store.ts'
import { deliveryOf, wants } from './fan-out.ts'

/** `missed`: events that have no delivery. */
export type Replayed =
  | { status: 'failed' | 'delivered'; since: Date | null }
  | { status: 'missed'; since: Date }

type Position = { place: string; id: string }
/** `next`: where to continue, or null if all are done. */
export type ReplayResult = { deliveries: number; next: Position | null }

/** Rows of one statement. */
const PAGE = 1000
/** Rows of one request, which takes seconds at most. */
const MAX_PAGES = 50

/** Makes deliveries of a range of time again, in pages by time. */
export const replayDeliveries = async (
  db: Database,
  endpoint: StoredEndpoint,
  which: Replayed,
  { until, after }: { until: Date | null; after: Position | null },
): Promise<ReplayResult> => {
  let deliveries = 0
  let next: Position | null = after
  for (let page = 0; page < MAX_PAGES; page++) {
    const range = { until, after: next, limit: PAGE }
    const done =
      which.status === 'missed'
        ? await createMissed(db, endpoint, { ...range, since: which.since })
        : await deliveryStore.replayMany(db, endpoint, { ...range, ...which })
    if (!done) return { deliveries, next: null }
    deliveries += done.deliveries
    next = done
  }
  return { deliveries, next: next && { place: next.place, id: next.id } }
}

/** Stores deliveries of events that have none, also of events from before the endpoint was created. */
const createMissed = async (
  db: Database,
  endpoint: StoredEndpoint,
  range: ReplayRange & { since: Date },
): Promise<(Position & { deliveries: number }) | null> => {
  const { organizationId } = endpoint
  const events = await readEventRange(db, endpoint, range)
  const last = events.at(-1)
  if (!last) return null
  const wanted = events.filter(event => wants(endpoint, event))
  const deliveries = wanted.map(event => deliveryOf(organizationId, event, endpoint))
  const stored = deliveries.length > 0 ? await deliveryStore.insert(db, organizationId, deliveries) : 0
  return { place: last.place, id: last.id, deliveries: stored }
}
