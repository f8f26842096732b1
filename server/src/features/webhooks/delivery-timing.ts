import { HOUR, MINUTE, SECOND } from '../../core/duration.ts'

/** The times of the delivery of webhooks. Only tests use other values than the default ones. */
export type DeliveryTiming = {
  /** How long a worker waits when there is nothing to do. */
  idleMs: number
  /** How long the receiver may take for its response. */
  attemptTimeoutMs: number
  /** Longer than `pageMs` and an attempt. If a process is killed, another one continues after this time. */
  leaseMs: number
  /** No request is started later than this after the lease was renewed. */
  pageMs: number
  /** Delays after each failed attempt. One more attempt than delays is made. */
  retryDelaysMs: readonly number[]
  /**
   * How long an endpoint gets no request after failures in a row; the last value applies to all further failures. After that, a single
   * attempt finds out whether it works again.
   */
  breakerWaitsMs: readonly number[]
}

export const DEFAULT_TIMING: DeliveryTiming = {
  idleMs: SECOND,
  attemptTimeoutMs: 15 * SECOND,
  leaseMs: 45 * SECOND,
  pageMs: 25 * SECOND,
  // Ten attempts within 75 hours.
  retryDelaysMs: [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  breakerWaitsMs: [0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 300].map(seconds => seconds * SECOND),
}
