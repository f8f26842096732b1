import { SECOND } from '../../core/duration.ts'
import type { Database } from '../database/database.ts'
import type { Log } from '../log.ts'

const CHANNEL = 'carabiner_wake_ups'
/** After a look that failed: the database is gone for the moment, and whoever waits goes on waiting. */
const RETRY = 10 * SECOND
/** A change may wake thousands at once: so many of them look at a time, and the rest of the pool is for calls. */
const MOST_LOOKS = 4
/** After a look, however often something changes meanwhile. */
const SHORTEST_PAUSE = 0.25 * SECOND

/** The default interval at which a watcher reads again without a wake-up: what a lost one costs. */
const RECHECK = 10 * SECOND

/** Says after how many milliseconds to look again unasked, or null when nothing more can come. */
export type Look = () => Promise<number | null>

/** Who waits for what, on this node. The database holds the truth; wake-ups only shorten the wait, and may be lost. */
export type WakeUps = {
  /** Milliseconds after which a watcher reads again without a wake-up. */
  recheckMs: number
  /** Tells everybody on every node who waits for this topic. */
  wake(topic: string): void
  follow(topic: string, onWake: () => void): () => void
  /** Looks at once, at every wake-up and every so often, never twice at a time, until there is nothing more or it is stopped. */
  watch(topics: string[], look: Look): () => void
  close(): Promise<void>
}

export type WakeUpOptions = { recheckMs?: number | undefined }

export const createWakeUps = (
  { db, log }: { db: Database; log: Log },
  { recheckMs = RECHECK }: WakeUpOptions = {},
): WakeUps => {
  const followers = new Map<string, Set<() => void>>()
  const inTurn = createTurns(MOST_LOOKS)
  let listening: Promise<() => Promise<void>> | null = null

  const rouse = (topic: string): void => {
    for (const onWake of followers.get(topic) ?? []) onWake()
  }
  const listen = (): void => {
    if (listening) return
    listening = db.listen(CHANNEL, rouse)
    listening.catch((error: unknown) => {
      listening = null
      log.warn({ error }, 'no wake-ups for now: whoever waits looks by time alone')
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
      rouse(topic)
      db.notify(CHANNEL, topic).catch((error: unknown) =>
        log.warn({ error }, 'wake-up lost; whoever waits looks again soon'),
      )
    },
    watch: (topics, look) => {
      const looking = repeat(look, log, inTurn)
      const unfollow = topics.map(topic => follow(topic, looking.again))
      looking.again()
      return () => {
        looking.stop()
        for (const stop of unfollow) stop()
      }
    },
    close: async () => {
      await (await listening?.catch(() => null))?.()
    },
  }
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Who comes when all turns are taken waits in line. */
const createTurns = (most: number): InTurn => {
  const line: (() => void)[] = []
  let taken = 0
  return async work => {
    if (taken < most) taken++
    else await new Promise<void>(resolve => line.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else taken--
    }
  }
}

const repeat = (look: Look, log: Log, inTurn: InTurn): { again: () => void; stop: () => void } => {
  let busy = false
  let wanted = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const lookOnce = async (): Promise<number | null> => {
    wanted = false
    if (stopped) return null
    return look().catch((error: unknown) => {
      log.warn({ error }, 'what is waited for could not be read')
      return RETRY
    })
  }
  const run = async (): Promise<void> => {
    busy = true
    clearTimeout(timer)
    const wait = await inTurn(lookOnce)
    if (wait === null) stopped = true
    else if (!stopped) timer = setTimeout(rest, Math.min(SHORTEST_PAUSE, wait), wait)
  }
  const rest = (wait: number): void => {
    busy = false
    if (wanted || wait <= SHORTEST_PAUSE) void run()
    else timer = setTimeout(() => void run(), wait - SHORTEST_PAUSE)
  }
  return {
    again: () => {
      wanted = true
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
