import { randomInt } from 'node:crypto'
import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { allowanceStore } from './allowance-store.ts'

/** What admission found of a call's limits. */
export type Limited = {
  organization_id: string
  cycle: Date | null
  slot: number | null
  rate_limit_per_minute: number | null
  rate_wait_ms: number | null
  rate_left: number | null
}

/**
 * A billing cycle's calls are shared out among slots, and a process takes from one of them, so that processes do not wait for each other.
 * Two may have the same: then they do.
 */
const SLOTS = 8
export const OWN_SLOT = randomInt(SLOTS)

/** The plan's limit, then the user's rate. Where the slot has no place left, the other slots may: that is looked at here, and rarely. */
export const requireWithinLimits = async (db: Database, row: Limited, callId: string): Promise<void> => {
  if (row.cycle !== null && row.slot === null) {
    const taken = await allowanceStore.takePlace(db, row.organization_id, callId, OWN_SLOT)
    if (!taken) throw new Refusal('billing_limit_reached')
  }
  if (row.rate_wait_ms === null) return
  throw new Refusal('rate_limited', {
    message: `This user may make ${row.rate_limit_per_minute} tool calls a minute. Try again in ${secondsOf(row.rate_wait_ms)} s.`,
    retryable: true,
    retryAfterSeconds: secondsOf(row.rate_wait_ms),
  })
}

/** draft-ietf-httpapi-ratelimit-headers-10: what the policy is, and what it leaves. Nothing where the user has no rate. */
export const rateHeaders = ({
  rate_limit_per_minute: most,
  rate_wait_ms: waitMs,
  rate_left: left,
}: Limited): Record<string, string> => {
  if (most === null) return {}
  const seconds = waitMs === null ? Math.ceil(((most - (left ?? 0)) * 60) / most) : secondsOf(waitMs)
  return {
    'ratelimit-policy': `"user";q=${most};w=60`,
    ratelimit: `"user";r=${left ?? 0};t=${seconds}`,
    ...(waitMs !== null && { 'retry-after': String(seconds) }),
  }
}

const secondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / SECOND))
