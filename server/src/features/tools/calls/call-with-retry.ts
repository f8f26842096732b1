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
    if (answer.kind === 'failed' && signal.aborted) throw cancelledBy(answer)
    return answer
  }
  const mayRepeat = provider.repeatable || (provider.honorsIdempotencyKey && options.idempotencyKey !== null)
  return deps.traffic.throughBulkhead(route, signal, async () => {
    const first = await attempt()
    if (first.kind !== 'failed') return first
    if (first.outage === 'unreachable' && mayRepeat && timeLeft() > MIN_RETRY_TIME_MS && mayRetryNow(first)) {
      await delay(MIN_RETRY_DELAY_MS + Math.random() * RETRY_JITTER_MS, undefined, { signal }).catch(
        () => undefined,
      )
      if (signal.aborted) throw cancelledBy(first)
      return withAdvice(await attempt(), mayRepeat)
    }
    return withAdvice(first, mayRepeat)
  })
}

const cancelledBy = ({ refusal: { carriedOut } }: Failure): Refusal =>
  new Refusal('cancelled', { ...(carriedOut && { carriedOut }) })

/** A provider that sends Retry-After is not called earlier. */
const mayRetryNow = ({ refusal }: Failure): boolean => (refusal.retryAfterSeconds ?? 0) === 0

/**
 * A request that may be repeated does no harm, whatever the provider has done with it. Any other one may have been carried out
 * before its response was lost, so the caller must check first.
 */
const withAdvice = (answer: ProviderResponse, mayRepeat: boolean): ProviderResponse => {
  if (answer.kind !== 'failed' || answer.refusal.carriedOut !== 'unknown') return answer
  const { refusal } = answer
  return {
    ...answer,
    refusal: mayRepeat
      ? reword(refusal, refusal.message, { carriedOut: undefined })
      : reword(refusal, `${refusal.message} It may have been carried out: check before you try again.`, {
          retryable: false,
        }),
  }
}
