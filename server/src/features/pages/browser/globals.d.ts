import type { rankOf as rank } from '../views/search-rank.ts'

declare global {
  /** Prepended to the script by `views/script.ts`. */
  const rankOf: typeof rank
}
