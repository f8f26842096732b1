import type { LinkState } from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import type { Database } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import type { SessionKey } from './magic-link.ts'
import { describeState, isFinal } from './session-state.ts'
import { sessionStateStore } from './session-state-store.ts'

const CHANNEL = 'carabiner_link_sessions'
/** A lost wake-up costs this much time and nothing else. */
const RECHECK = 10 * SECOND
/** A confirmation wakes nobody, so that it costs nothing; whoever waits for one looks by itself, for five minutes at most. */
const RECHECK_CONFIRMATION = SECOND
const MOST_STREAMS = 5_000
const MOST_STREAMS_OF_ONE_SESSION = 20

export type SessionStreams = {
  read(key: SessionKey): Promise<LinkState | null>
  /** Tells everybody on every node who waits for this session to look again. */
  wake(key: SessionKey): void
  /** Null where there are too many already. Every state that differs from the one before is sent; a final one is the last. */
  follow(key: SessionKey, send: (state: LinkState) => void, end: () => void): (() => void) | null
  close(): Promise<void>
}

type Follower = { look: () => void; stop: () => void; end: () => void }

/** Who waits for which session, on this node. The database holds the truth; wake-ups only shorten the wait. */
export const createSessionStreams = ({ db, log }: { db: Database; log: Log }): SessionStreams => {
  const followers = new Map<string, Set<Follower>>()
  let total = 0
  let closed = false
  let listening: Promise<() => Promise<void>> | null = null

  const look = (sessionId: string): void => {
    for (const follower of followers.get(sessionId) ?? []) follower.look()
  }
  const listen = (): void => {
    listening ??= db.listen(CHANNEL, look)
    listening.catch((error: unknown) => {
      listening = null
      log.warn({ error }, 'link sessions are looked at by time alone until the next one waits')
    })
  }
  const read: SessionStreams['read'] = async key => {
    const facts = await sessionStateStore.find(db, key)
    return facts && describeState(facts)
  }

  const follow: SessionStreams['follow'] = (key, send, end) => {
    const own = followers.get(key.sessionId) ?? new Set()
    if (closed || total >= MOST_STREAMS || own.size >= MOST_STREAMS_OF_ONE_SESSION) return null
    listen()
    let sent = ''
    let busy = false
    let again = false
    let stopped = false
    let timer: NodeJS.Timeout | undefined

    const check = async (): Promise<void> => {
      if (busy) {
        again = true
        return
      }
      busy = true
      clearTimeout(timer)
      let wait = RECHECK
      try {
        do {
          again = false
          const state = await read(key)
          if (stopped) return
          const text = JSON.stringify(state)
          if (state && text !== sent) send(state)
          sent = text
          if (!state || isFinal(state)) return follower.end()
          if (state.status === 'awaiting_confirmation') wait = RECHECK_CONFIRMATION
        } while (again)
      } catch (error) {
        // The database is gone for the moment: whoever waits goes on waiting.
        log.warn({ error }, 'a link session could not be read')
      } finally {
        busy = false
      }
      if (!stopped) timer = setTimeout(() => void check(), wait)
    }
    const follower: Follower = {
      look: () => void check(),
      stop: () => {
        if (stopped) return
        stopped = true
        total--
        clearTimeout(timer)
        own.delete(follower)
        if (own.size === 0) followers.delete(key.sessionId)
      },
      end: () => {
        follower.stop()
        end()
      },
    }
    total++
    own.add(follower)
    followers.set(key.sessionId, own)
    void check()
    return follower.stop
  }

  return {
    read,
    follow,
    wake: ({ sessionId }) => {
      look(sessionId)
      db.notify(CHANNEL, sessionId).catch((error: unknown) =>
        log.warn({ error }, 'wake-up lost; whoever waits looks again soon'),
      )
    },
    close: async () => {
      // A stream that is being let in meanwhile would keep the service from stopping.
      closed = true
      // Ending one takes it out of its set, which iteration allows for.
      for (const set of followers.values()) for (const follower of set) follower.end()
      await (await listening?.catch(() => null))?.()
    },
  }
}
