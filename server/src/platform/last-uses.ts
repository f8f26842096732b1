import { MINUTE } from '../core/duration.ts'
import type { Log } from './log.ts'

/** The last use of the item with this hash, before the present time of the database. */
export type LastUse = { hash: Buffer; msAgo: number }

/** Collects when items were last used, and stores it once a minute, so that a request does not wait for it. */
export type LastUses = {
  note(hash: Buffer): void
  /** Stores what was collected. */
  flush(): Promise<void>
  /** Stores the remaining uses. */
  stop(): Promise<void>
}

const FLUSH_INTERVAL_MS = MINUTE
/** Bounds the memory and the size of a statement. A further key is dropped while an early flush is pending. */
const MAX_COLLECTED = 5_000

type Options = { log: Pick<Log, 'warn'>; now?: () => number }

export const createLastUses = (
  store: (uses: LastUse[]) => Promise<unknown>,
  { log, now = () => performance.now() }: Options,
): LastUses => {
  let collected = new Map<string, number>()
  let flushing = Promise.resolve()

  const write = async (): Promise<void> => {
    const batch = collected
    if (batch.size === 0) return
    collected = new Map()
    const time = now()
    try {
      await store([...batch].map(([hash, at]) => ({ hash: Buffer.from(hash, 'hex'), msAgo: time - at })))
    } catch (error) {
      log.warn({ error }, 'the last use of keys could not be stored; it is retried')
      for (const [hash, at] of batch)
        if (!collected.has(hash) && collected.size < MAX_COLLECTED) collected.set(hash, at)
    }
  }
  const flush = (): Promise<void> => {
    flushing = flushing.then(write)
    return flushing
  }
  const timer = setInterval(() => void flush(), FLUSH_INTERVAL_MS).unref()
  return {
    note: hash => {
      const id = hash.toString('hex')
      if (collected.size >= MAX_COLLECTED && !collected.has(id)) return void flush()
      collected.set(id, now())
    },
    flush,
    stop: () => {
      clearInterval(timer)
      return flush()
    },
  }
}
