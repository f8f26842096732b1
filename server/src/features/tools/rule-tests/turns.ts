import { Refusal } from '../../../core/refusal.ts'

const MAX_WAITING = 5
const RETRY_AFTER_SECONDS = 2

/** Runs the work of one owner one after the other, and rejects it if too much of it waits. */
export const createTurns = () => {
  const owners = new Map<string, { last: Promise<unknown>; waiting: number }>()
  return async <Out>(owner: string, work: () => Promise<Out>): Promise<Out> => {
    const queue = owners.get(owner) ?? { last: Promise.resolve(), waiting: 0 }
    if (queue.waiting > MAX_WAITING)
      throw new Refusal('rate_limited', { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS })
    owners.set(owner, queue)
    queue.waiting++
    const turn = queue.last.then(work)
    queue.last = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      if (--queue.waiting === 0) owners.delete(owner)
    }
  }
}
