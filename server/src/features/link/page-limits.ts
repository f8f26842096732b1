import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Per address and node: no person comes near these, and whatever does is kept off the database. */
const VIEWS_PER_MINUTE = 300
const POSTS_PER_MINUTE = 60

export type PageLimits = {
  /** Null, or how many seconds to wait. */
  take(address: string, post: boolean): Promise<number | null>
}

export const createPageLimits = (): PageLimits => {
  const views = new RateLimiterMemory({ points: VIEWS_PER_MINUTE, duration: 60 })
  const posts = new RateLimiterMemory({ points: POSTS_PER_MINUTE, duration: 60 })
  return {
    take: async (address, post) => {
      try {
        await (post ? posts : views).consume(address)
        return null
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return Math.ceil(refusal.msBeforeNext / 1000)
        throw refusal
      }
    },
  }
}
