import { DAY, MINUTE, SECOND } from '../../core/duration.ts'
import type { Principal } from '../../edge/principal.ts'
import { createStreamLimiter } from '../../edge/stream-limit.ts'
import type { Database } from '../../platform/database/database.ts'
import { organizationTopic, type WakeUps } from '../../platform/jobs/wake-ups.ts'
import { readFeed } from './event-feed.ts'
import { eventFeedStore } from './event-feed-store.ts'
import type { EventSender } from './send-event-stream.ts'
import { toEvent } from './to-event.ts'

/** The streams of events on this node. */
export type EventStreams = {
  /** Sends events after a position, or from now on. Null above the limit of streams. Returns the function that ends it. */
  follow(reader: Principal, position: string | null, sender: EventSender): (() => void) | null
  close(): void
}

const LIMITS = { all: 1_000, organization: 100, holder: 50 }
const INTERVAL_MS = SECOND
const PAGE = 200
/** A call that was interrupted is recorded later, but not later than this. */
const MAX_LATENESS_MS = 7 * DAY
/** Events that a move to another database may have left unsent. */
const OVERLAP_MS = 10 * MINUTE

/** Where a stream is: a transaction of the database, and the time at which it was read. */
type StreamPosition = { transaction: string; readAt: number }

const POSITION = /^(\d{1,20})-(\d{1,16})$/
export const parsePosition = (text: string | null): StreamPosition | null => {
  const [, transaction, readAt] = POSITION.exec(text ?? '') ?? []
  return transaction === undefined ? null : { transaction, readAt: Number(readAt) }
}
const writePosition = ({ transaction, readAt }: StreamPosition): string => `${transaction}-${readAt}`

export const createEventStreams = ({ db, wakeUps }: { db: Database; wakeUps: WakeUps }): EventStreams => {
  const limiter = createStreamLimiter(LIMITS)
  return {
    follow: (reader, given, sender) => {
      let isStopped = false
      const stop = (): void => {
        isStopped = true
        leave?.()
        unwatch()
      }
      const finish = (): void => {
        stop()
        sender.end()
      }
      let unwatch = (): void => undefined
      const leave = limiter.enter({ organizationId: reader.organizationId, holder: reader.actor.id }, finish)
      if (!leave) return null
      let position: StreamPosition | null = null
      unwatch = wakeUps.watch([organizationTopic(reader.organizationId)], async () => {
        const isAllowed = await eventFeedStore.mayRead(db, reader.organizationId, reader.actor)
        if (isStopped) return null
        if (!isAllowed) {
          finish()
          return null
        }
        if (!sender.isReady()) return INTERVAL_MS
        const isFirst = position === null
        position ??= await startOf(db, parsePosition(given))
        const page = await readPage(db, reader, position)
        if (isStopped) return null
        // A client that loses the connection before its first event continues here.
        if (isFirst && given === null) sender.sendPosition(writePosition(position))
        position = page.position
        for (const { id, data } of page.messages) sender.send(id, data)
        return page.isFull ? 0 : INTERVAL_MS
      })
      return stop
    },
    close: () => limiter.close(),
  }
}

/** A position of another database, from before a move or a restore, is continued by time. */
const startOf = async (db: Database, given: StreamPosition | null): Promise<StreamPosition> => {
  const settled = await eventFeedStore.lastSettled(db)
  if (!given) return { transaction: settled, readAt: Date.now() }
  return BigInt(given.transaction) <= BigInt(settled)
    ? { ...given, readAt: given.readAt - MAX_LATENESS_MS }
    : { transaction: '0', readAt: given.readAt - OVERLAP_MS }
}

const readPage = async (db: Database, { organizationId, mode }: Principal, from: StreamPosition) => {
  const readAt = Date.now()
  const isOfOtherDatabase = from.transaction === '0'
  const { events, next, isFull } = await readFeed(db, organizationId, {
    after: from.transaction,
    since: new Date(isOfOtherDatabase ? from.readAt : Math.min(from.readAt, readAt - MAX_LATENESS_MS)),
    limit: PAGE,
  })
  const ofMode = events.filter(event => event.mode === null || event.mode === mode)
  return {
    isFull,
    position: { transaction: next, readAt },
    messages: ofMode.map((event, index) => ({
      // A client that continues after a transaction must have received all of its events.
      id:
        ofMode[index + 1]?.committedIn === event.committedIn
          ? null
          : writePosition({ transaction: event.committedIn, readAt }),
      data: JSON.stringify(toEvent(organizationId, mode, event)),
    })),
  }
}
