import type { EventType } from '@carabiner/contract'
import type { PlacedEvent } from './event-feed-store.ts'

type PickedEvents = {
  events: PlacedEvent[]
  /** The last event that the page has covered; null at the end of the list. */
  next: PlacedEvent | null
}

/** The events of a page among the rows that were read for it. `scan`: how many rows were asked for. */
export const pickEvents = (
  rows: readonly PlacedEvent[],
  { type, limit, scan }: { type: EventType | undefined; limit: number; scan: number },
): PickedEvents => {
  const wanted = type === undefined ? rows : rows.filter(row => row.type === type)
  const events = wanted.slice(0, limit)
  const lastRow = rows.at(-1)
  const isCut = wanted.length > limit
  const next = isCut ? events.at(-1) : rows.length >= scan ? lastRow : undefined
  return { events, next: next ?? null }
}
