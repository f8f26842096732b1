import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseTimeout, isConnectionError } from './postgres/connection-error.ts'

/**
 * How long one request may wait for a database that does not answer. Connections, statements and the statements of error handlers
 * have deadlines of their own, which would add up. A statement that is answered restores the whole budget, so a request may run many.
 */
export type RequestBudget = {
  readonly totalMs: number
  /** Spent since the last answer. */
  spentMs: number
  failedAt: number
  /** After its response, work that the request has started is no longer limited. */
  isOver: boolean
}

const current = new AsyncLocalStorage<RequestBudget>()

export const createRequestBudget = (totalMs: number): RequestBudget => ({
  totalMs,
  spentMs: 0,
  failedAt: 0,
  isOver: false,
})

export const runWithBudget = <T>(budget: RequestBudget, work: () => T): T => current.run(budget, work)

/** For work that several requests share, and whose result each of them awaits within its own budget. */
export const leaveBudget = <T>(work: () => T): T => current.exit(work)

/** Awaits the database within the budget of the current request, if there is one. */
export const spendBudget = <T>(work: () => Promise<T>): Promise<T> => {
  const budget = current.getStore()
  return budget === undefined || budget.isOver ? work() : spend(budget, work)
}

const spend = async <T>(budget: RequestBudget, work: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now()
  // A stream or a long call tries again later.
  if (startedAt - budget.failedAt > budget.totalMs) budget.spentMs = 0
  const left = budget.totalMs - budget.spentMs
  if (left <= 0) throw new DatabaseTimeout()
  const { promise: passed, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new DatabaseTimeout()), left)
  try {
    const result = await Promise.race([work(), passed])
    budget.spentMs = 0
    return result
  } catch (error) {
    budget.failedAt = performance.now()
    budget.spentMs = isConnectionError(error) ? budget.spentMs + budget.failedAt - startedAt : 0
    throw error
  } finally {
    clearTimeout(timer)
  }
}
