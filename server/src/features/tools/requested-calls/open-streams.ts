import type { ApprovalStatus } from '@carabiner/contract'
import { SECOND } from '../../../core/duration.ts'
import type { OrganizationState } from '../../../core/organization-state.ts'
import { createStreamLimiter } from '../../../edge/stream-limit.ts'
import type { Database } from '../../../platform/database/database.ts'
import { organizationTopic, userTopic, type WakeUps } from '../../../platform/jobs/wake-ups.ts'
import { readApprovalStatus } from '../../approvals/end-approvals.ts'
import { type AwaitedAccount, type SessionCaller, standingStore } from '../admission/caller-standing-store.ts'
import { type Caller, callerStore } from '../admission/caller-store.ts'

/** Confirming a code publishes no wake-up, to keep it cheap, and a wake-up may be lost; waiting calls poll. */
const RECHECK = 2 * SECOND
const MAX_STREAMS = { all: 5_000, organization: 4_000, holder: 50 }

/** An admitted caller. */
type Listener = Caller & { organizationId: string }

export type Waited = 'changed' | 'over'

/** Long-lived requests of this node: subscriptions to changes, and calls that wait for their user. */
export type OpenStreams = {
  /** Null above the limit. `end` runs when the key, user or pack becomes invalid or the service stops. */
  listen(caller: Listener & SessionCaller, onChange: () => void, end: () => void): (() => void) | null
  /** Resolves when the connector has a usable credential other than `insufficient`, the caller is no longer admitted, or the wait is over. */
  waitForConnection(caller: Listener, awaited: Awaited): Promise<Waited>
  /** Resolves when the approval has none of these statuses any more, the caller is no longer admitted, or the wait is over. */
  waitForApproval(caller: Listener, awaited: AwaitedApproval): Promise<Waited>
  close(): void
}

type Waiting = { milliseconds: number; signal: AbortSignal }
type Awaited = AwaitedAccount & Waiting
type AwaitedApproval = Waiting & { approvalId: string; statuses: readonly ApprovalStatus[] }

type Standing = {
  organizationId: string | null
  organizationState: OrganizationState
  userId: string | null
  packId: string | null
  userActive: boolean
}

const isAdmitted = ({ organizationState, userId, packId, userActive }: Standing): boolean =>
  organizationState === 'active' && userId !== null && packId !== null && userActive

export const createOpenStreams = ({ db, wakeUps }: { db: Database; wakeUps: WakeUps }): OpenStreams => {
  const streams = createStreamLimiter(MAX_STREAMS)

  const listen: OpenStreams['listen'] = (caller, onChange, end) => {
    let known: string | null = null
    let stopped = false
    const finish = (): void => {
      stop()
      end()
    }
    const leave = streams.enter({ ...caller, holder: caller.registeredUserId }, finish)
    if (!leave) return null
    const unwatch = wakeUps.watch(topicsOf(caller), async () => {
      const standing = await standingStore.read(db, caller)
      if (stopped) return null
      if (!isAdmitted(standing)) {
        finish()
        return null
      }
      if (known !== null && known !== standing.tools) onChange()
      known = standing.tools
      return wakeUps.recheckMs
    })
    const stop = (): void => {
      stopped = true
      leave()
      unwatch()
    }
    return stop
  }

  /** `isAwaited`: whether there is still something to wait for. */
  const waitWhile = (
    caller: Listener,
    { milliseconds, signal }: Waiting,
    isAwaited: () => Promise<boolean>,
  ): Promise<Waited> =>
    new Promise(resolve => {
      let over = false
      const finish = (how: Waited): void => {
        if (over) return
        over = true
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        leave?.()
        unwatch?.()
        resolve(how)
      }
      const giveUp = (): void => finish('over')
      const timer = setTimeout(giveUp, milliseconds)
      const leave = streams.enter({ ...caller, holder: caller.registeredUserId }, giveUp)
      let unwatch: (() => void) | undefined
      if (!leave || signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp)
      unwatch = wakeUps.watch(topicsOf(caller), async () => {
        if ((await isAwaited()) && !over) return RECHECK
        finish('changed')
        return null
      })
    })

  return {
    listen,
    waitForConnection: (caller, { milliseconds, signal, ...account }) =>
      waitWhile(caller, { milliseconds, signal }, async () => {
        const awaitedCaller = await standingStore.awaited(db, caller, account)
        return isAdmitted(awaitedCaller) && !awaitedCaller.connected
      }),
    waitForApproval: (caller, { approvalId, statuses, ...waiting }) =>
      waitWhile(caller, waiting, async () => {
        if (!isAdmitted(await callerStore.find(db, caller))) return false
        const status = await readApprovalStatus(db, caller.organizationId, approvalId)
        return status !== null && statuses.includes(status)
      }),
    close: () => streams.close(),
  }
}

const topicsOf = ({ registeredUserId, organizationId }: Listener): string[] => [
  userTopic(registeredUserId),
  organizationTopic(organizationId),
]
