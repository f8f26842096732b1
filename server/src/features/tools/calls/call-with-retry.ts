import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../../core/duration.ts'
import { Refusal, reword } from '../../../core/refusal.ts'
import { CALL_TIMEOUT_MS } from '../../upstream/call-limits.ts'
import type { CallOptions, Failure, ProviderResponse } from '../../upstream/provider-response.ts'
import type { Route, Traffic } from '../../upstream/traffic/traffic.ts'
import type { Provider, ProviderDeps, ProviderRequest } from './provider.ts'

export type RetryDeps = ProviderDeps & {
  traffic: Traffic
  /** Total time for all attempts. Default: `CALL_TIMEOUT_MS`. */
  callTimeoutMs?: number
}

/** Options that all attempts of a call share. */
export type SharedCallOptions = Omit<CallOptions, 'timeoutMs'> & { endsAt: number }

const MIN_RETRY_DELAY_MS = 0.1 * SECOND
const RETRY_JITTER_MS = 0.2 * SECOND
/** With less time left, a retry would only time out. */
const MIN_RETRY_TIME_MS = SECOND

export const startDeadline = (
  { callTimeoutMs = CALL_TIMEOUT_MS }: Pick<RetryDeps, 'callTimeoutMs'>,
  rest: Omit<CallOptions, 'timeoutMs'>,
): SharedCallOptions => ({ ...rest, endsAt: performance.now() + callTimeoutMs })

/** Calls the provider through its bulkhead and circuit breaker. Retries once if the request is safe to repeat. */
export const callWithRetry = (
  deps: RetryDeps,
  provider: Provider,
  { options, ...request }: Omit<ProviderRequest, 'options'> & { options: SharedCallOptions },
): Promise<ProviderResponse> => {
  const { signal } = options
  const { organizationId, registeredUserId, access } = request
  const route: Route = { ...provider, organizationId, registeredUserId, origin: provider.originFor(access) }
  const egress = deps.egress.onBehalfOf(organizationId)
  const timeLeft = () => Math.ceil(options.endsAt - performance.now())
  const attempt = async (): Promise<ProviderResponse> => {
    const answer = await deps.traffic.throughBreaker(route, signal, () =>
      provider.call(
        { ...deps, egress },
        { ...request, options: { ...options, timeoutMs: Math.max(timeLeft(), 1) } },
      ),
    )
    // After the caller disconnects, a failure is its own doing. An answer that arrived before is returned.
    if (answer.kind === 'failed' && signal.aborted) throw new Refusal('cancelled')
    return answer
  }
  const mayRepeat = provider.repeatable || options.idempotencyKey !== null
  return deps.traffic.throughBulkhead(route, signal, async () => {
    const first = await attempt()
    if (first.kind !== 'failed' || first.outage === null) return first
    if (first.outage === 'unreachable' && mayRepeat && timeLeft() > MIN_RETRY_TIME_MS && mayRetryNow(first)) {
      await delay(MIN_RETRY_DELAY_MS + Math.random() * RETRY_JITTER_MS, undefined, { signal }).catch(
        () => undefined,
      )
      if (signal.aborted) throw new Refusal('cancelled')
      return attempt()
    }
    return mayRepeat || first.neverSent ? first : withUnknownOutcome(first)
  })
}

/** A provider that sends Retry-After is not called earlier. */
const mayRetryNow = ({ refusal }: Failure): boolean => (refusal.retryAfterSeconds ?? 0) === 0

/** The request may have been carried out before its response was lost, so it is not repeated. */
const withUnknownOutcome = ({ refusal, ...failure }: Failure): Failure => ({
  ...failure,
  refusal: reword(refusal, `${refusal.message} It may have been carried out: check before you try again.`),
})
