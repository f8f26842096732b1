import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from '../../core/addresses/network.ts'

/**
 * Requests per minute, per network and node. The limits suit an office of people behind one address and protect the
 * database. The limit for scripts is higher, because an application's page exchanges a token each time it is opened.
 * Registrations of MCP clients have their own limit, so that a flood of them does not stop clients of the same network from
 * getting tokens.
 */
const MAX_PER_MINUTE = { view: 600, post: 120, script: 1_200, register: 300 }
export type PageUse = keyof typeof MAX_PER_MINUTE

export type PageLimits = {
  /** Returns null, or the number of seconds to wait. */
  take(address: string, use: PageUse): Promise<number | null>
}

export const createPageLimits = (): PageLimits => {
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: 60 })
  const limiters: Record<PageUse, RateLimiterMemory> = {
    view: limiter(MAX_PER_MINUTE.view),
    post: limiter(MAX_PER_MINUTE.post),
    script: limiter(MAX_PER_MINUTE.script),
    register: limiter(MAX_PER_MINUTE.register),
  }
  return {
    take: async (address, use) => {
      try {
        await limiters[use].consume(networkOf(address))
        return null
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return Math.ceil(refusal.msBeforeNext / 1000)
        throw refusal
      }
    },
  }
}
