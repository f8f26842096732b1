import { nextTurn } from '../../../platform/isolation/next-turn.ts'

const MAX_TURN_MS = 10

/** Lets other requests run while a search goes through a long list. */
export type Turn = { isLong(): boolean; next(): Promise<void> }

export const createTurn = (): Turn => {
  let startedAt = performance.now()
  return {
    isLong: () => performance.now() - startedAt > MAX_TURN_MS,
    next: async () => {
      await nextTurn()
      startedAt = performance.now()
    },
  }
}
