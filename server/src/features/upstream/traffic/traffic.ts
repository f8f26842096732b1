import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { ProviderResponse } from '../provider-response.ts'
import { type Bulkhead, createBulkhead } from './bulkhead.ts'
import { admit, type Breaker, CLOSED, type Outcome, recordOutcome } from './circuit-breaker.ts'

/**
 * Identifies the caller and the destination of a call. Limits and breakers are kept per organization, so one
 * organization's timeouts or mistyped addresses do not affect another.
 */
export type Route = {
  organizationId: string
  registeredUserId: string
  connectorSlug: string
  origin: string
  name: string
}

/** Keeps a provider that hangs or fails from using up the sockets, memory and time of calls to other providers. */
export type Traffic = {
  /** Runs `work` while holding a slot of this user and a slot of this organization for the connector. */
  throughBulkhead<T>(route: Route, signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** Makes the call, or throws if the circuit breaker of the route is open. */
  throughBreaker(
    route: Route,
    signal: AbortSignal,
    call: () => Promise<ProviderResponse>,
  ): Promise<ProviderResponse>
  /** Number of routes with recorded failures. */
  size(): number
}

type Options = { now?: () => number; bulkhead?: Bulkhead; perUserBulkhead?: Bulkhead; maxTracked?: number }

/** Evicting a failing route costs the five calls that open its breaker again. */
const MAX_TRACKED_ROUTES = 10_000
const BUSY_RETRY_AFTER_SECONDS = 2
/** Below the limit of the organization, so that one user's hanging calls leave slots to the others. */
const PER_USER_LIMITS = { maxInFlight: 48, maxQueued: 48 }

export const createTraffic = ({
  // Monotonic: a change of the system clock must not keep a breaker open for hours.
  now = () => performance.now(),
  bulkhead = createBulkhead(),
  perUserBulkhead = createBulkhead(PER_USER_LIMITS),
  maxTracked = MAX_TRACKED_ROUTES,
}: Options = {}): Traffic => {
  const failing = new Map<string, Breaker>()
  const store = (key: string, breaker: Breaker): void => {
    failing.delete(key)
    if (breaker.state === 'closed' && breaker.failures === 0) return
    const [oldest] = failing.keys()
    if (failing.size >= maxTracked && oldest !== undefined) failing.delete(oldest)
    failing.set(key, breaker)
  }
  return {
    throughBulkhead: async (route, signal, work) => {
      const scope = [route.organizationId, route.connectorSlug]
      return withSlot(perUserBulkhead, [...scope, route.registeredUserId], signal, () =>
        withSlot(bulkhead, scope, signal, work),
      )
    },
    throughBreaker: async (route, signal, call) => {
      const key = JSON.stringify([route.organizationId, route.connectorSlug, route.origin])
      const admission = admit(failing.get(key) ?? CLOSED, now())
      if (!admission.admitted) throw breakerOpen(route.name, admission.retryAfterMs)
      if (admission.probe) store(key, admission.breaker)
      let outcome: Outcome = 'unknown'
      try {
        const answer = await call()
        outcome = signal.aborted ? 'unknown' : outcomeOf(answer)
        return answer
      } finally {
        const breaker = failing.get(key)
        if (breaker || outcome === 'down')
          store(key, recordOutcome(breaker ?? CLOSED, admission.probe, outcome, now()))
      }
    },
    size: () => failing.size,
  }
}

const withSlot = async <T>(
  bulkhead: Bulkhead,
  keyParts: string[],
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> => {
  const exit = await bulkhead.enter(JSON.stringify(keyParts), signal)
  if (!exit && signal.aborted) throw new Refusal('cancelled')
  if (!exit)
    throw new Refusal('third_party_busy', { retryable: true, retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS })
  try {
    return await work()
  } finally {
    exit()
  }
}

/** Any response, including a rejection, a rate limit or a server error, shows that the provider is available. */
const outcomeOf = (answer: ProviderResponse): Outcome => {
  if (answer.kind !== 'failed') return 'up'
  if (answer.isLocal) return 'unknown'
  return answer.outage ? 'down' : 'up'
}

const breakerOpen = (name: string, retryAfterMs: number): Refusal => {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / SECOND))
  return new Refusal('third_party_unavailable', {
    message: `${name} has failed several times in a row, so it was not called. Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}, not before.`,
    retryable: true,
    retryAfterSeconds: seconds,
  })
}
