import type { LinkState } from '@carabiner/contract'
import { SECOND } from '../../../core/duration.ts'
import type { Database } from '../../../platform/database/database.ts'
import { organizationTopic, userTopic, type WakeUps } from '../../../platform/jobs/wake-ups.ts'
import type { StoredSession } from './link-session-store.ts'
import type { SessionKey } from './magic-link.ts'
import { describeState, isFinal } from './session-state.ts'
import { sessionStateStore } from './session-state-store.ts'

/**
 * Confirming a code sends no wake-up, to keep it cheap; streams that wait for a confirmation poll instead, for at most five
 * minutes.
 */
const CONFIRMATION_POLL_INTERVAL_MS = SECOND
const MAX_STREAMS = 5_000
const MAX_STREAMS_PER_SESSION = 20

export type SessionStreams = {
  read(key: SessionKey): Promise<LinkState | null>
  /** Wakes the streams of this session, and those that wait for its user's connections, on every node. */
  wake(session: WakeTarget): void
  /**
   * Sends every state that differs from the previous one. The stream ends after a final state, and without one if the organization is no
   * longer served or the service stops. Returns null if there are too many streams.
   */
  subscribe(
    key: SessionKey,
    send: (state: LinkState) => void,
    end: (isFinalState: boolean) => void,
  ): (() => void) | null
  close(): void
}

type WakeTarget = Pick<StoredSession, 'organizationId' | 'id' | 'registeredUserId'>

const topicOf = ({ sessionId }: Pick<SessionKey, 'sessionId'>): string => `session:${sessionId}`

export const createSessionStreams = ({ db, wakeUps }: { db: Database; wakeUps: WakeUps }): SessionStreams => {
  const open = new Map<string, Set<() => void>>()
  let total = 0
  let closed = false

  const read: SessionStreams['read'] = async key => {
    const facts = await sessionStateStore.find(db, key)
    return facts && describeState(facts)
  }

  const subscribe: SessionStreams['subscribe'] = (key, send, end) => {
    const own = open.get(key.sessionId) ?? new Set()
    if (closed || total >= MAX_STREAMS || own.size >= MAX_STREAMS_PER_SESSION) return null
    let sent = ''
    let stopped = false
    const unwatch = wakeUps.watch([topicOf(key), organizationTopic(key.organizationId)], async () => {
      const state = await read(key)
      if (stopped) return null
      const text = JSON.stringify(state)
      if (state && text !== sent) send(state)
      sent = text
      if (state && !isFinal(state))
        return state.status === 'awaiting_confirmation' ? CONFIRMATION_POLL_INTERVAL_MS : wakeUps.recheckMs
      finish(state !== null)
      return null
    })
    const stop = (): void => {
      if (stopped) return
      stopped = true
      total--
      unwatch()
      own.delete(interrupt)
      if (own.size === 0) open.delete(key.sessionId)
    }
    const finish = (isFinalState: boolean): void => {
      stop()
      end(isFinalState)
    }
    const interrupt = (): void => finish(false)
    total++
    own.add(interrupt)
    open.set(key.sessionId, own)
    return stop
  }

  return {
    read,
    subscribe,
    wake: ({ id, registeredUserId }) => {
      wakeUps.wake(topicOf({ sessionId: id }))
      wakeUps.wake(userTopic(registeredUserId))
    },
    close: () => {
      // A stream opened during shutdown would keep the service from stopping.
      closed = true
      // Ending a stream removes it from its set, which iteration tolerates.
      for (const set of open.values()) for (const interrupt of set) interrupt()
    },
  }
}
