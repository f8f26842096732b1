/** Keeps values for a limited time. */
export type ExpiringCache<Value> = {
  /** Undefined if the key is unknown or its value has expired. */
  get(key: string): Value | undefined
  set(key: string, value: Value, ttlMs: number): void
}

type Options = { maxEntries: number; now?: () => number }

/** Beyond `maxEntries`, the entry that was set first is dropped. */
export const createExpiringCache = <Value>({ maxEntries, now = Date.now }: Options): ExpiringCache<Value> => {
  const entries = new Map<string, { value: Value; expiresAt: number }>()
  return {
    get: key => {
      const entry = entries.get(key)
      if (!entry || entry.expiresAt > now()) return entry?.value
      entries.delete(key)
      return undefined
    },
    set: (key, value, ttlMs) => {
      entries.delete(key)
      entries.set(key, { value, expiresAt: now() + ttlMs })
      const [first] = entries.keys()
      if (entries.size > maxEntries && first !== undefined) entries.delete(first)
    },
  }
}
