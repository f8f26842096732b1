import { AsyncLocalStorage } from 'node:async_hooks'
import { EgressError } from './egress-error.ts'

/** The organization whose request opens a connection, and the signal that aborts the request. */
export type Requester = { owner: string | undefined; signal: AbortSignal | undefined }

/** The HTTP client calls the connector without any context of the request that needs the connection. */
export const requester = new AsyncLocalStorage<Requester>()

/** Maximum of name lookups and connects in flight for one owner. */
export const MAX_CONNECTING = 32
export const MAX_CONNECTS_QUEUED = 128

type Account = { running: number; queue: (() => void)[] }

export type ConnectLimit = {
  /** Starts `work` when the limit allows. It must call `done` once, when it is connected or has failed. */
  enter(owner: string | undefined, work: (done: () => void) => void): void
  /** Number of owners that are connecting now. */
  owners(): number
}

/** Hanging lookups and connects of one organization use up its own limit only. */
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
