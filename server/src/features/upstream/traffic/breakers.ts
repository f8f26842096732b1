import { admit, type Breaker, CLOSED, type Outcome, recordOutcome } from './circuit-breaker.ts'

type Guarded<T> = {
  call: () => Promise<T>
  /** A call that throws has the outcome `unknown`. */
  outcomeOf: (value: T) => Outcome
  /** The breaker is open, so the call is not made. */
  rejected: (retryAfterMs: number) => T
}

/** The circuit breakers of this process, by key. */
export type Breakers = {
  through<T>(key: string, guarded: Guarded<T>): Promise<T>
  /** Number of keys with recorded failures. */
  size(): number
}

/** Evicting a failing key costs the five calls that open its breaker again. */
const MAX_TRACKED = 10_000

export const createBreakers = ({
  // Monotonic: a change of the system clock must not keep a breaker open for hours.
  now = () => performance.now(),
  maxTracked = MAX_TRACKED,
}: {
  now?: (() => number) | undefined
  maxTracked?: number | undefined
} = {}): Breakers => {
  const failing = new Map<string, Breaker>()
  const store = (key: string, breaker: Breaker): void => {
    failing.delete(key)
    if (breaker.state === 'closed' && breaker.failures === 0) return
    const [oldest] = failing.keys()
    if (failing.size >= maxTracked && oldest !== undefined) failing.delete(oldest)
    failing.set(key, breaker)
  }
  return {
    through: async (key, { call, outcomeOf, rejected }) => {
      const admission = admit(failing.get(key) ?? CLOSED, now())
      if (!admission.admitted) return rejected(admission.retryAfterMs)
      if (admission.probe) store(key, admission.breaker)
      let outcome: Outcome = 'unknown'
      try {
        const value = await call()
        outcome = outcomeOf(value)
        return value
      } finally {
        const breaker = failing.get(key)
        if (breaker || outcome === 'down')
          store(key, recordOutcome(breaker ?? CLOSED, admission.probe, outcome, now()))
      }
    },
    size: () => failing.size,
  }
}
