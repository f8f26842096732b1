import { SECOND } from '../core/duration.ts'
import type { Database } from './database.ts'
import type { Log } from './log.ts'

const CHANNEL = 'carabiner_wake_ups'
/** After a look that failed: the database is gone for the moment, and whoever waits goes on waiting. */
const RETRY = 10 * SECOND

/** Says after how many milliseconds to look again unasked, or null when nothing more can come. */
export type Look = () => Promise<number | null>

/** Who waits for what, on this node. The database holds the truth; wake-ups only shorten the wait, and may be lost. */
export type WakeUps = {
  /** Tells everybody on every node who waits for this topic. */
  wake(topic: string): void
  follow(topic: string, onWake: () => void): () => void
  /** Looks at once, at every wake-up and every so often, never twice at a time, until there is nothing more or it is stopped. */
  watch(topics: string[], look: Look): () => void
  close(): Promise<void>
}

export const createWakeUps = ({ db, log }: { db: Database; log: Log }): WakeUps => {
  const followers = new Map<string, Set<() => void>>()
  let listening: Promise<() => Promise<void>> | null = null

  const rouse = (topic: string): void => {
    for (const onWake of followers.get(topic) ?? []) onWake()
  }
  const listen = (): void => {
    listening ??= db.listen(CHANNEL, rouse)
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
    follow,
    wake: topic => {
      rouse(topic)
      db.notify(CHANNEL, topic).catch((error: unknown) =>
        log.warn({ error }, 'wake-up lost; whoever waits looks again soon'),
      )
    },
    watch: (topics, look) => {
      const looking = repeat(look, log)
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

const repeat = (look: Look, log: Log): { again: () => void; stop: () => void } => {
  let busy = false
  let wanted = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const lookOnce = (): Promise<number | null> =>
    look().catch((error: unknown) => {
      log.warn({ error }, 'what is waited for could not be read')
      return RETRY
    })
  const run = async (): Promise<void> => {
    busy = true
    wanted = false
    clearTimeout(timer)
    const wait = await lookOnce()
    busy = false
    stopped ||= wait === null
    if (stopped) return
    timer = setTimeout(() => void run(), wanted ? 0 : (wait ?? 0))
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
