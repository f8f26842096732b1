import { SECOND } from '../../../core/duration.ts'

/**
 * Circuit breaker for a provider that keeps failing. Pure: the caller passes the time and stores the state. It tracks
 * availability and never decides permission, so every process may keep its own.
 */
export type Breaker =
  | { state: 'closed'; failures: number }
  /** `openings`: how many times in a row it has opened. Each opening lasts longer. */
  | { state: 'open'; until: number; openings: number }
  /** One probe is in flight. Other calls are rejected until it ends. */
  | { state: 'probing'; openings: number }

/** Whether a call found the provider available. `unknown`: the call was cancelled or never reached the provider. */
export type Outcome = 'up' | 'down' | 'unknown'

export type Admission =
  | { admitted: true; probe: boolean; breaker: Breaker }
  | { admitted: false; retryAfterMs: number; breaker: Breaker }

export const FAILURES_TO_OPEN = 5
const INITIAL_OPEN_MS = 10 * SECOND
const MAX_OPEN_MS = 60 * SECOND
/** Retry delay reported while a probe is in flight, since its duration is unknown. */
const PROBE_RETRY_AFTER_MS = SECOND

export const CLOSED: Breaker = { state: 'closed', failures: 0 }

export const admit = (breaker: Breaker, now: number): Admission => {
  if (breaker.state === 'closed') return { admitted: true, probe: false, breaker }
  if (breaker.state === 'probing') return { admitted: false, retryAfterMs: PROBE_RETRY_AFTER_MS, breaker }
  if (now < breaker.until) return { admitted: false, retryAfterMs: breaker.until - now, breaker }
  return { admitted: true, probe: true, breaker: { state: 'probing', openings: breaker.openings } }
}

/** Only the probe can close an open breaker. Calls sent before it opened are ignored. */
export const recordOutcome = (breaker: Breaker, probe: boolean, outcome: Outcome, now: number): Breaker => {
  if (breaker.state === 'probing' && probe) return afterProbe(breaker.openings, outcome, now)
  if (breaker.state !== 'closed' || outcome === 'unknown') return breaker
  if (outcome === 'up') return CLOSED
  const failures = breaker.failures + 1
  return failures >= FAILURES_TO_OPEN ? open(1, now) : { state: 'closed', failures }
}

const afterProbe = (openings: number, outcome: Outcome, now: number): Breaker => {
  if (outcome === 'up') return CLOSED
  // The probe was inconclusive, so the next call becomes the probe.
  if (outcome === 'unknown') return { state: 'open', until: now, openings }
  return open(openings + 1, now)
}

const open = (openings: number, now: number): Breaker => ({
  state: 'open',
  openings,
  until: now + Math.min(INITIAL_OPEN_MS * 2 ** (openings - 1), MAX_OPEN_MS),
})
