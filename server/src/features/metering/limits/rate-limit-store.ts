import { integer, nullable, timestamptz } from '../../../platform/database/sql-types.ts'
import type { CallLimit } from './call-limit.ts'

/** The share of the rate limit's minute that one call takes. */
const TOKEN = `interval '1 minute' / rate_limit_per_minute`

const allows = (freeAt: string, token: string): string =>
  `${freeAt} <= app_now() + interval '1 minute' - (${token})`

/** Milliseconds until the rate limit allows a call that it does not allow now. */
const WAIT_MS = `ceil(1000 * extract(epoch from f.free_at - app_now() - interval '1 minute' + ${TOKEN}))::integer`

/** Calls that the rate limit still allows at once. A seventh of a minute is no whole number of microseconds. */
const left = (freeAt: string): string =>
  `floor((60 - extract(epoch from ${freeAt} - app_now())) * rate_limit_per_minute / 60 + 0.001)::integer`

/** The user's rate limit: a token bucket. A token is not given back. */
export const rateLimit = {
  columns: {
    rateLimitPerMinute: {
      type: nullable(integer),
      sql: 'case when o.has_rate_limits then u.rate_limit_per_minute end',
    },
    /** When the bucket is full again. */
    freeAt: { type: nullable(timestamptz), sql: 'b.free_at' },
  },
  joins: `left join lateral (
       select free_at from rate_buckets where organization_id = k.organization_id and registered_user_id = :registeredUserId offset 0) b on true`,
  applies: 'rate_limit_per_minute is not null',
  reserve: `bucket as (
     insert into rate_buckets as b (organization_id, registered_user_id, free_at)
     select organization_id, user_id, app_now() + ${TOKEN}
     from found where rate_limit_per_minute is not null
     on conflict (organization_id, registered_user_id)
       do update set free_at = greatest(b.free_at, app_now()) + (excluded.free_at - app_now())
       where ${allows('b.free_at', 'excluded.free_at - app_now()')}
     returning b.free_at
   )`,
  results: {
    /** Milliseconds until the rate limit allows the next call; null if it allows this one. */
    rateWaitMs: {
      type: nullable(integer),
      reserved: `case when rate_limit_per_minute is not null and not exists (select from bucket) then ${WAIT_MS} end`,
      foreseen: `case when not (${allows('f.free_at', TOKEN)}) then ${WAIT_MS} end`,
    },
    /** Calls that the rate limit still allows at once. */
    rateLeft: {
      type: nullable(integer),
      reserved: `(select ${left('free_at')} from bucket)`,
      foreseen: `greatest(${left('greatest(f.free_at, app_now())')}, 0)`,
    },
  },
} satisfies CallLimit
