import { SECOND } from '../../core/duration.ts'
import type { Database } from '../database/database.ts'
import type { Log } from '../log.ts'

const CHANNEL = 'carabiner_wake_ups'
/** Delay after a failed read, such as during a database outage. */
const RETRY_DELAY_MS = 10 * SECOND
/** A change may wake thousands of watchers. Their reads are limited, so that the pool stays available for calls. */
const MAX_CONCURRENT_READS = 4
/** Minimum interval between two reads of one watcher, however often its data changes. */
const MIN_READ_INTERVAL_MS = 0.25 * SECOND

/** A watcher reads again after this interval even without a wake-up, which may be lost. */
const DEFAULT_RECHECK_MS = 10 * SECOND

/**
 * Reads the watched data. Returns the milliseconds until the next read without a wake-up, or null if nothing more can
 * change.
 */
export type WatchRead = () => Promise<number | null>

/** The watchers on this node. The database is authoritative; wake-ups only shorten the wait and may be lost. */
export type WakeUps = {
  /** Milliseconds after which a watcher reads again without a wake-up. */
  recheckMs: number
  /** Wakes the watchers of this topic on every node. */
  wake(topic: string): void
  follow(topic: string, onWake: () => void): () => void
  /**
   * Reads at once, at every wake-up and at intervals, never concurrently, until `read` returns null or the watch is
   * stopped.
   */
  watch(topics: string[], read: WatchRead): () => void
  close(): Promise<void>
}

export type WakeUpOptions = { recheckMs?: number | undefined }

export const createWakeUps = (
  { db, log }: { db: Database; log: Log },
  { recheckMs = DEFAULT_RECHECK_MS }: WakeUpOptions = {},
): WakeUps => {
  const followers = new Map<string, Set<() => void>>()
  const runLimited = createLimiter(MAX_CONCURRENT_READS)
  let listening: Promise<() => Promise<void>> | null = null

  const notifyFollowers = (topic: string): void => {
    for (const onWake of followers.get(topic) ?? []) onWake()
  }
  const listen = (): void => {
    if (listening) return
    listening = db.listen(CHANNEL, notifyFollowers)
    listening.catch((error: unknown) => {
      listening = null
      log.warn({ error }, 'wake-ups are unavailable; watchers read at intervals only')
    })
  }
  const follow: WakeUps['follow'] = (topic, onWake) => {
    listen()
    const own = followers.get(topic) ?? new Set()
    followers.set(topic, own.add(onWake))
    return () => {
      own.delete(onWake)
      if (own.size === 0 && followers.get(topic) === own) followers.delete(topic)
    }
  }

  return {
    recheckMs,
    follow,
    wake: topic => {
      notifyFollowers(topic)
      db.notify(CHANNEL, topic).catch((error: unknown) =>
        log.warn({ error }, 'wake-up could not be sent; watchers read again at their interval'),
      )
    },
    watch: (topics, read) => {
      const watcher = repeat(read, log, runLimited)
      const unfollow = topics.map(topic => follow(topic, watcher.again))
      watcher.again()
      return () => {
        watcher.stop()
        for (const stop of unfollow) stop()
      }
    },
    close: async () => {
      await (await listening?.catch(() => null))?.()
    },
  }
}

type RunLimited = <T>(work: () => Promise<T>) => Promise<T>

/** Callers beyond the limit queue. */
const createLimiter = (limit: number): RunLimited => {
  const queue: (() => void)[] = []
  let running = 0
  return async work => {
    if (running < limit) running++
    else await new Promise<void>(resolve => queue.push(resolve))
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}

const repeat = (
  read: WatchRead,
  log: Log,
  runLimited: RunLimited,
): { again: () => void; stop: () => void } => {
  let busy = false
  let pending = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const readOnce = async (): Promise<number | null> => {
    pending = false
    if (stopped) return null
    return read().catch((error: unknown) => {
      log.warn({ error }, 'a watched resource could not be read')
      return RETRY_DELAY_MS
    })
  }
  const run = async (): Promise<void> => {
    busy = true
    clearTimeout(timer)
    const wait = await runLimited(readOnce)
    if (wait === null) stopped = true
    else if (!stopped) timer = setTimeout(pause, Math.min(MIN_READ_INTERVAL_MS, wait), wait)
  }
  const pause = (wait: number): void => {
    busy = false
    if (pending || wait <= MIN_READ_INTERVAL_MS) void run()
    else timer = setTimeout(() => void run(), wait - MIN_READ_INTERVAL_MS)
  }
  return {
    again: () => {
      pending = true
      if (!busy && !stopped) void run()
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Topics that several features wake or follow. */
export const userTopic = (registeredUserId: string): string => `user:${registeredUserId}`
export const organizationTopic = (organizationId: string): string => `organization:${organizationId}`
