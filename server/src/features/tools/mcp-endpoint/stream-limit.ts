/** Whose stream takes room. */
type Taker = { organizationId: string; registeredUserId: string }

/** How much room there is on a node, and how much of it one organization or one user may take. */
export type StreamLimits = { all: number; organization: number; user: number }

export type StreamRoom = {
  /** Room for one more, or null; what comes back gives it free again. `end`: what is done with it when the service stops. */
  enter(taker: Taker, end: () => void): (() => void) | null
  close(): void
}

/** However many users an organization has and however many streams they open, others find room. */
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
      // Ending one takes it out of the set, which iteration allows for.
      for (const end of ends) end()
    },
  }
}
