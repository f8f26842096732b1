import type { TokenRequestMethod } from '@carabiner/contract'
import { SECOND } from '../../../../core/duration.ts'

type Token = TokenRequestMethod['token']

/**
 * The lifetime that the response states, at most the maximum of the file. A stated lifetime that is unreadable or over, which a wrong
 * clock can cause, is ignored; a token that ends earlier is replaced when the provider rejects it.
 */
export const tokenLifetime = (token: Token, values: Record<string, string>, now: Date): number => {
  const stated = statedLifetime(token, values, now)
  return Number.isFinite(stated) && stated > 0
    ? Math.min(stated, token.lifetime_seconds)
    : token.lifetime_seconds
}

const statedLifetime = (
  { expires_in, expires_at }: Token,
  values: Record<string, string>,
  now: Date,
): number => {
  const lifetime = expires_in && values[expires_in.value]
  if (expires_in && lifetime !== undefined)
    return expires_in.unit === 'seconds' ? Number(lifetime) : Number(lifetime) / SECOND
  const time = expires_at && values[expires_at.value]
  if (!expires_at || time === undefined) return Number.NaN
  const milliseconds = {
    iso: () => Date.parse(time),
    seconds: () => Number(time) * SECOND,
    milliseconds: () => Number(time),
  }[expires_at.format]()
  return (milliseconds - now.getTime()) / SECOND
}
