import { AsyncLocalStorage } from 'node:async_hooks'
import { EgressError } from './egress-error.ts'

/** Whose request opens a connection, and the signal that ends it. */
export type Requester = { owner: string | undefined; signal: AbortSignal | undefined }

/** The connector is called by the HTTP client, which hands on nothing of the request that needs the connection. */
export const requester = new AsyncLocalStorage<Requester>()

/** Name look-ups and connects of one owner that may be in flight at once, and how many more may queue. */
export const MAX_CONNECTING = 32
export const MAX_CONNECTS_QUEUED = 128

type Account = { running: number; queue: (() => void)[] }

export type ConnectLimit = {
  /** Starts `work` when it may run. It calls `done` once, when it is connected or has failed. */
  enter(owner: string | undefined, work: (done: () => void) => void): void
  /** How many owners are connecting now. */
  owners(): number
}

/** Hanging look-ups and connects of one organization fill its own limit, and none of the others'. */
export const createConnectLimit = (
  maxRunning: number = MAX_CONNECTING,
  maxQueued: number = MAX_CONNECTS_QUEUED,
): ConnectLimit => {
  const accounts = new Map<string, Account>()

  const release = (owner: string, account: Account): void => {
    const next = account.queue.shift()
    if (next) return next()
    account.running--
    if (account.running === 0) accounts.delete(owner)
  }

  return {
    enter: (owner, work) => {
      if (owner === undefined) return work(() => undefined)
      const account = accounts.get(owner) ?? { running: 0, queue: [] }
      accounts.set(owner, account)
      const start = () => {
        let open = true
        work(() => {
          if (open) release(owner, account)
          open = false
        })
      }
      if (account.running < maxRunning) {
        account.running++
        return start()
      }
      if (account.queue.length >= maxQueued)
        throw new EgressError('unreachable', 'Too many connections of this organization are being opened.')
      account.queue.push(start)
    },
    owners: () => accounts.size,
  }
}
