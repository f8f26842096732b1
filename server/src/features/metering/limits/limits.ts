import { randomInt } from 'node:crypto'
import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { allowanceStore } from './allowance-store.ts'

/** The limits of a call as read at admission. */
export type CallLimits = {
  organizationId: string
  cycle: Date | null
  slot: number | null
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

/**
 * Checks the plan's limit, then the user's rate limit. If the process's own slot is used up, the other slots are tried,
 * which is rare.
 */
export const requireWithinLimits = async (db: Database, call: CallLimits, callId: string): Promise<void> => {
  if (call.cycle !== null && call.slot === null)
    requireAllowance(await allowanceStore.takeAllowance(db, call.organizationId, callId, OWN_SLOT))
  requireRate(call)
}

/** `isLeft`: whether the plan allows another call in this billing cycle. */
export const requireAllowance = (isLeft: boolean): void => {
  if (!isLeft) throw new Refusal('billing_limit_reached')
}

export const requireRate = ({
  rateLimitPerMinute,
  rateWaitMs,
}: Pick<CallLimits, 'rateLimitPerMinute' | 'rateWaitMs'>): void => {
  if (rateWaitMs === null) return
  throw new Refusal('rate_limited', {
    message: `This user is limited to ${rateLimitPerMinute} tool calls per minute. Try again in ${secondsOf(rateWaitMs)} s.`,
    retryable: true,
    retryAfterSeconds: secondsOf(rateWaitMs),
  })
}

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
