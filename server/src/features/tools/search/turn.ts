import { nextTurn } from '../../../platform/isolation/next-turn.ts'

const MAX_TURN_MS = 10

export type Turn = { yieldIfLong(): Promise<void> }

/** Lets other requests run while a search goes through a long list. */
export const createTurn = (): Turn => {
  let startedAt = performance.now()
  return {
    yieldIfLong: async (): Promise<void> => {
      if (performance.now() - startedAt < MAX_TURN_MS) return
      await nextTurn()
      startedAt = performance.now()
    },
  }
}
