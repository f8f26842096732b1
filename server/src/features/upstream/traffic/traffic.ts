import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { ProviderResponse } from '../provider-response.ts'
import { createBreakers } from './breakers.ts'
import { type Bulkhead, createBulkhead } from './bulkhead.ts'
import type { Outcome } from './circuit-breaker.ts'

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

const BUSY_RETRY_AFTER_SECONDS = 2
/** Below the limit of the organization, so that one user's hanging calls leave slots to the others. */
const PER_USER_LIMITS = { maxInFlight: 48, maxQueued: 48 }

export const createTraffic = ({
  now,
  bulkhead = createBulkhead(),
  perUserBulkhead = createBulkhead(PER_USER_LIMITS),
  maxTracked,
}: Options = {}): Traffic => {
  const breakers = createBreakers({ now, maxTracked })
  return {
    throughBulkhead: async (route, signal, work) => {
      const scope = [route.organizationId, route.connectorSlug]
      return withSlot(perUserBulkhead, [...scope, route.registeredUserId], signal, () =>
        withSlot(bulkhead, scope, signal, work),
      )
    },
    throughBreaker: async (route, signal, call) =>
      breakers.through(JSON.stringify([route.organizationId, route.connectorSlug, route.origin]), {
        call,
        outcomeOf: answer => (signal.aborted ? 'unknown' : outcomeOf(answer)),
        rejected: retryAfterMs => {
          throw breakerOpen(route.name, retryAfterMs)
        },
      }),
    size: () => breakers.size(),
  }
}

const withSlot = async <T>(
  bulkhead: Bulkhead,
  keyParts: string[],
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> => {
  const exit = await bulkhead.enter(JSON.stringify(keyParts), signal)
  if (!exit && signal.aborted) throw new Refusal('cancelled', { carriedOut: 'no' })
  if (!exit)
    throw new Refusal('third_party_busy', {
      retryable: true,
      retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS,
      carriedOut: 'no',
    })
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
    message: `${name} has failed several times in a row, so it was not called. Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,
    retryable: true,
    retryAfterSeconds: seconds,
    carriedOut: 'no',
  })
}
