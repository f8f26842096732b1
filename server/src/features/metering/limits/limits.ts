import { randomInt } from 'node:crypto'
import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { allowanceStore } from './allowance-store.ts'

/** The rate limit of a call as read at admission. */
export type CallLimits = {
  rateLimitPerMinute: number | null
  rateWaitMs: number | null
  rateLeft: number | null
}

/**
 * The allowance of a billing cycle is split into slots, and each process draws from one of them, to reduce lock contention.
 * Processes that share a slot wait for each other.
 */
const SLOTS = 8
export const OWN_SLOT = randomInt(SLOTS)

/** Takes a call of the billing cycle from the other slots, if the slot of this process is used up. That is rare. */
export const takeAllowance = (db: Database, organizationId: string, callId: string): Promise<boolean> =>
  allowanceStore.takeAllowance(db, organizationId, callId, OWN_SLOT)

/** The refusal of a call that the user's rate limit does not allow now; null if it does. */
export const rateRefusal = ({
  rateLimitPerMinute,
  rateWaitMs,
}: Pick<CallLimits, 'rateLimitPerMinute' | 'rateWaitMs'>): Refusal | null =>
  rateWaitMs === null
    ? null
    : new Refusal('rate_limited', {
        message: `This user is limited to ${rateLimitPerMinute} tool calls per minute. Try again in ${secondsOf(rateWaitMs)} s.`,
        retryable: true,
        retryAfterSeconds: secondsOf(rateWaitMs),
      })

/** draft-ietf-httpapi-ratelimit-headers-10: the policy and the remaining quota. Empty if the user has no rate limit. */
export const rateHeaders = ({
  rateLimitPerMinute: limit,
  rateWaitMs: waitMs,
  rateLeft: remaining,
}: CallLimits): Record<string, string> => {
  if (limit === null) return {}
  const seconds = waitMs === null ? Math.ceil(((limit - (remaining ?? 0)) * 60) / limit) : secondsOf(waitMs)
  return {
    'ratelimit-policy': `"user";q=${limit};w=60`,
    ratelimit: `"user";r=${remaining ?? 0};t=${seconds}`,
    ...(waitMs !== null && { 'retry-after': String(seconds) }),
  }
}

const secondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / SECOND))
