import { SECOND } from '../../../core/duration.ts'

/**
 * Whether a third party that failed again and again is asked at all. Pure: time is an argument, and whoever asks keeps the
 * state. It judges availability and never permission, so each process may judge for itself.
 */
export type Breaker =
  | { state: 'closed'; failures: number }
  /** `times`: how often in a row it has opened; each time it stays open for longer. */
  | { state: 'open'; until: number; times: number }
  /** One probe is in flight; the other calls wait for its result. */
  | { state: 'probing'; times: number }

/** What a call found out. `unknown`: it was cancelled, or ended before it got there. */
export type Verdict = 'up' | 'down' | 'unknown'

export type Entry =
  | { may: true; probe: boolean; breaker: Breaker }
  | { may: false; waitMs: number; breaker: Breaker }

export const FAILURES_TO_OPEN = 5
const FIRST_REST = 10 * SECOND
const LONGEST_REST = 60 * SECOND
/** How long a probe keeps others waiting is not known; they are told this. */
const PROBE_WAIT = SECOND

export const CLOSED: Breaker = { state: 'closed', failures: 0 }

export const enter = (breaker: Breaker, now: number): Entry => {
  if (breaker.state === 'closed') return { may: true, probe: false, breaker }
  if (breaker.state === 'probing') return { may: false, waitMs: PROBE_WAIT, breaker }
  if (now < breaker.until) return { may: false, waitMs: breaker.until - now, breaker }
  return { may: true, probe: true, breaker: { state: 'probing', times: breaker.times } }
}

/** A call that set out before the breaker opened comes too late to change its mind: only the probe does. */
export const leave = (breaker: Breaker, probe: boolean, verdict: Verdict, now: number): Breaker => {
  if (breaker.state === 'probing' && probe) return judgeProbe(breaker.times, verdict, now)
  if (breaker.state !== 'closed' || verdict === 'unknown') return breaker
  if (verdict === 'up') return CLOSED
  const failures = breaker.failures + 1
  return failures >= FAILURES_TO_OPEN ? rest(1, now) : { state: 'closed', failures }
}

const judgeProbe = (times: number, verdict: Verdict, now: number): Breaker => {
  if (verdict === 'up') return CLOSED
  // Nothing was learned, so the next call finds out.
  if (verdict === 'unknown') return { state: 'open', until: now, times }
  return rest(times + 1, now)
}

const rest = (times: number, now: number): Breaker => ({
  state: 'open',
  times,
  until: now + Math.min(FIRST_REST * 2 ** (times - 1), LONGEST_REST),
})
