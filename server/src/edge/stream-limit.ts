/** Whose stream it is. `holder`: the Registered User or the API key. */
type StreamOwner = { organizationId: string; holder: string }

/** Maximum streams per node, organization and holder. */
export type StreamLimits = { all: number; organization: number; holder: number }

export type StreamLimiter = {
  /** Returns the function that releases the slot, or null above the limit. `end` runs when the service stops. */
  enter(owner: StreamOwner, end: () => void): (() => void) | null
  close(): void
}

export const createStreamLimiter = (limits: StreamLimits): StreamLimiter => {
  const ends = new Set<() => void>()
  const taken = new Map<string, number>()
  let closed = false

  const count = (key: string, change: 1 | -1): void => {
    const now = (taken.get(key) ?? 0) + change
    if (now > 0) taken.set(key, now)
    else taken.delete(key)
  }
  const isFull = ({ organizationId, holder }: StreamOwner): boolean =>
    ends.size >= limits.all ||
    (taken.get(organizationId) ?? 0) >= limits.organization ||
    (taken.get(holder) ?? 0) >= limits.holder

  return {
    enter: (owner, end) => {
      if (closed || isFull(owner)) return null
      const keys = [owner.organizationId, owner.holder]
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
