/** The owner of a stream. */
type Taker = { organizationId: string; registeredUserId: string }

/** Maximum streams per node, organization and user. */
export type StreamLimits = { all: number; organization: number; user: number }

export type StreamRoom = {
  /** Returns the function that releases the slot, or null above the limit. `end` runs when the service stops. */
  enter(taker: Taker, end: () => void): (() => void) | null
  close(): void
}

export const createStreamRoom = (limits: StreamLimits): StreamRoom => {
  const ends = new Set<() => void>()
  const taken = new Map<string, number>()
  let closed = false

  const count = (key: string, change: 1 | -1): void => {
    const now = (taken.get(key) ?? 0) + change
    if (now > 0) taken.set(key, now)
    else taken.delete(key)
  }
  const isFull = ({ organizationId, registeredUserId }: Taker): boolean =>
    ends.size >= limits.all ||
    (taken.get(organizationId) ?? 0) >= limits.organization ||
    (taken.get(registeredUserId) ?? 0) >= limits.user

  return {
    enter: (taker, end) => {
      if (closed || isFull(taker)) return null
      const keys = [taker.organizationId, taker.registeredUserId]
      for (const key of keys) count(key, 1)
      ends.add(end)
      return () => {
        if (!ends.delete(end)) return
        for (const key of keys) count(key, -1)
      }
    },
    close: () => {
      closed = true
      // Ending a stream removes it from the set, which is safe during iteration.
      for (const end of ends) end()
    },
  }
}
