import ipaddr from 'ipaddr.js'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/**
 * Per address and node, for an office of people behind one: nobody there comes near these, and whatever does is kept off
 * the database. Scripts ask more often than people click: an application's page trades a token when it is opened.
 */
const PER_MINUTE = { view: 600, post: 120, script: 1_200 }
export type PageUse = keyof typeof PER_MINUTE

export type PageLimits = {
  /** Null, or how many seconds to wait. */
  take(address: string, use: PageUse): Promise<number | null>
}

export const createPageLimits = (): PageLimits => {
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: 60 })
  const limiters: Record<PageUse, RateLimiterMemory> = {
    view: limiter(PER_MINUTE.view),
    post: limiter(PER_MINUTE.post),
    script: limiter(PER_MINUTE.script),
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

/** RFC 6177: a subscriber has at least a /64 of IPv6, so all addresses in one count as one. */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}
