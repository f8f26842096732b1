import type { LinkState } from '@carabiner/contract'
import { SECOND } from '../../../core/duration.ts'
import type { Database } from '../../../platform/database/database.ts'
import { userTopic, type WakeUps } from '../../../platform/jobs/wake-ups.ts'
import type { SessionRow } from './link-session-store.ts'
import type { SessionKey } from './magic-link.ts'
import { describeState, isFinal } from './session-state.ts'
import { sessionStateStore } from './session-state-store.ts'

/** A confirmation wakes nobody, so that it costs nothing; whoever waits for one looks by itself, for five minutes at most. */
const RECHECK_CONFIRMATION = SECOND
const MOST_STREAMS = 5_000
const MOST_STREAMS_OF_ONE_SESSION = 20

export type SessionStreams = {
  read(key: SessionKey): Promise<LinkState | null>
  /** Tells everybody on every node who waits for this session, or for what its user connects, to look again. */
  wake(session: Woken): void
  /** Null where there are too many already. Every state that differs from the one before is sent; a final one is the last. */
  follow(key: SessionKey, send: (state: LinkState) => void, end: () => void): (() => void) | null
  close(): void
}

type Woken = Pick<SessionRow, 'organization_id' | 'id' | 'registered_user_id'>

const topicOf = ({ sessionId }: Pick<SessionKey, 'sessionId'>): string => `session:${sessionId}`

export const createSessionStreams = ({ db, wakeUps }: { db: Database; wakeUps: WakeUps }): SessionStreams => {
  const open = new Map<string, Set<() => void>>()
  let total = 0
  let closed = false

  const read: SessionStreams['read'] = async key => {
    const facts = await sessionStateStore.find(db, key)
    return facts && describeState(facts)
  }

  const follow: SessionStreams['follow'] = (key, send, end) => {
    const own = open.get(key.sessionId) ?? new Set()
    if (closed || total >= MOST_STREAMS || own.size >= MOST_STREAMS_OF_ONE_SESSION) return null
    let sent = ''
    let stopped = false
    const unwatch = wakeUps.watch([topicOf(key)], async () => {
      const state = await read(key)
      if (stopped) return null
      const text = JSON.stringify(state)
      if (state && text !== sent) send(state)
      sent = text
      if (state && !isFinal(state))
        return state.status === 'awaiting_confirmation' ? RECHECK_CONFIRMATION : wakeUps.recheckMs
      finish()
      return null
    })
    const stop = (): void => {
      if (stopped) return
      stopped = true
      total--
      unwatch()
      own.delete(finish)
      if (own.size === 0) open.delete(key.sessionId)
    }
    const finish = (): void => {
      stop()
      end()
    }
    total++
    own.add(finish)
    open.set(key.sessionId, own)
    return stop
  }

  return {
    read,
    follow,
    wake: ({ id, registered_user_id }) => {
      wakeUps.wake(topicOf({ sessionId: id }))
      wakeUps.wake(userTopic(registered_user_id))
    },
    close: () => {
      // A stream that is being let in meanwhile would keep the service from stopping.
      closed = true
      // Ending one takes it out of its set, which iteration allows for.
      for (const set of open.values()) for (const finish of set) finish()
    },
  }
}
