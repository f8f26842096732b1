import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Answer } from '../provider-answer.ts'
import { type Bulkhead, createBulkhead } from './bulkhead.ts'
import { type Breaker, CLOSED, enter, leave, type Verdict } from './circuit-breaker.ts'

/**
 * Whose calls, to what, and where that is. The organization is part of it always: calls of one that time out, or an address
 * that only one has mistyped, say nothing to another.
 */
export type Route = {
  organizationId: string
  registeredUserId: string
  connectorSlug: string
  origin: string
  name: string
}

/** Keeps a third party that hangs or fails from taking sockets, memory and time of all the others. */
export type Traffic = {
  /** A place among the calls of this organization to this connector, for as long as `work` takes. No user takes all of them. */
  throughBulkhead<T>(route: Route, signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** Asks, unless the third party has just failed too often to be asked. */
  throughBreaker(route: Route, signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer>
  /** How many ways are remembered as failing. */
  size(): number
}

type Options = { now?: () => number; bulkhead?: Bulkhead; share?: Bulkhead; most?: number }

/** Ways that fail now. Forgetting one costs the five calls that it takes to learn it again. */
const MOST_REMEMBERED = 10_000
const BUSY_WAIT = 2
/** Of the places of a connector, for one user: calls of one that hang leave some to the others. */
const SHARE_OF_ONE_USER = { most: 48, mostWaiting: 48 }

export const createTraffic = ({
  // A clock that is set anew must not keep a third party shut off for hours.
  now = () => performance.now(),
  bulkhead = createBulkhead(),
  share = createBulkhead(SHARE_OF_ONE_USER),
  most = MOST_REMEMBERED,
}: Options = {}): Traffic => {
  const failing = new Map<string, Breaker>()
  const remember = (key: string, breaker: Breaker): void => {
    failing.delete(key)
    if (breaker.state === 'closed' && breaker.failures === 0) return
    const [oldest] = failing.keys()
    if (failing.size >= most && oldest !== undefined) failing.delete(oldest)
    failing.set(key, breaker)
  }
  return {
    throughBulkhead: async (route, signal, work) => {
      const room = [route.organizationId, route.connectorSlug]
      return inPlace(share, [...room, route.registeredUserId], signal, () =>
        inPlace(bulkhead, room, signal, work),
      )
    },
    throughBreaker: async (route, signal, ask) => {
      const key = JSON.stringify([route.organizationId, route.connectorSlug, route.origin])
      const entry = enter(failing.get(key) ?? CLOSED, now())
      if (!entry.may) throw outOfOrder(route.name, entry.waitMs)
      if (entry.probe) remember(key, entry.breaker)
      let verdict: Verdict = 'unknown'
      try {
        const answer = await ask()
        verdict = signal.aborted ? 'unknown' : judge(answer)
        return answer
      } finally {
        const breaker = failing.get(key)
        if (breaker || verdict === 'down')
          remember(key, leave(breaker ?? CLOSED, entry.probe, verdict, now()))
      }
    },
    size: () => failing.size,
  }
}

const inPlace = async <T>(
  bulkhead: Bulkhead,
  whose: string[],
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> => {
  const exit = await bulkhead.enter(JSON.stringify(whose), signal)
  if (!exit && signal.aborted) throw new Refusal('cancelled')
  if (!exit) throw new Refusal('third_party_busy', { retryable: true, retryAfterSeconds: BUSY_WAIT })
  try {
    return await work()
  } finally {
    exit()
  }
}

/** A third party that answers is there, whatever it says: a refusal, a limit or an error of its own is an answer. */
const judge = (answer: Answer): Verdict => (answer.kind === 'failed' && answer.outage ? 'down' : 'up')

const outOfOrder = (name: string, waitMs: number): Refusal => {
  const seconds = Math.max(1, Math.ceil(waitMs / SECOND))
  return new Refusal('third_party_unavailable', {
    message: `${name} has failed several times in a row, so it was not asked. Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}, not before.`,
    retryable: true,
    retryAfterSeconds: seconds,
  })
}
