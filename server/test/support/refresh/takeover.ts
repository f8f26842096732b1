import { setTimeout as delay } from 'node:timers/promises'
import type { Fault, HeldFault } from '@carabiner/sandbox'
import { eventually } from '../eventually.ts'
import type { Node } from '../processes.ts'
import type { CredentialState, Outcome, RefreshStage } from './stage.ts'

/** Faults of the token endpoint, one per request, in order. */
export type TokenFault = Omit<Fault, 'target'>

export const INVALID_GRANT: HeldFault = { behavior: 'status', status: 400, body: { error: 'invalid_grant' } }
export const UNAVAILABLE: HeldFault = { behavior: 'status', status: 503 }

export type Takeover = {
  userId: string
  /** Outcomes of the calls at the stopped lease holder and at the process that took over. */
  first: Outcome
  second: Outcome
  /** State while the first holder was stopped, and after it resumed. */
  during: CredentialState
  end: CredentialState
  events: { refreshed: number; needsReauth: number }
}

type TakeoverOptions = {
  holder: Node
  other: Node
  /** When the holder is stopped: after the provider received its request, or after the provider processed it. */
  stoppedWhen: Progress
  /** Fault of the holder's request, whose response waits until the holder is stopped, and faults of later requests. */
  tokenFaults: [HeldFault, ...TokenFault[]]
  expireLease: () => Promise<void>
}

/** One process holds the lease and is stopped, another takes over, then the first resumes. */
export const takeOver = async (stage: RefreshStage, options: TakeoverOptions): Promise<Takeover> => {
  const userId = await stage.linkUser()
  await stage.expire([userId])
  const [first, ...later] = options.tokenFaults
  const calling = await callAndHold(stage, options.holder, userId, first, options.stoppedWhen)
  options.holder.process.kill('SIGSTOP')
  calling.release()
  await options.expireLease()
  for (const fault of later) stage.sandbox.script({ target: 'token', ...fault })
  const second = await stage.call(options.other, userId)
  const during = await stage.credential(userId)
  options.holder.process.kill('SIGCONT')
  return {
    userId,
    first: await calling.outcome,
    second,
    during,
    end: await stage.credential(userId),
    events: await eventsOf(stage, userId),
  }
}

/** When the refresh of a call was received by the provider, or processed. */
type Progress = 'received' | 'processed'

/** Starts a call and waits until its refresh got this far. The pending promise is wrapped so that it is not awaited. */
export const callUntil = async (
  stage: RefreshStage,
  node: Node,
  userId: string,
  fault: TokenFault,
  when: Progress,
): Promise<{ outcome: Promise<Outcome> }> => {
  stage.sandbox.script({ target: 'token', ...fault })
  return waitFor(stage, when, () => stage.call(node, userId))
}

/** Like callUntil. The provider responds only once the caller releases the response. */
export const callAndHold = async (
  stage: RefreshStage,
  node: Node,
  userId: string,
  fault: HeldFault,
  when: Progress,
): Promise<{ outcome: Promise<Outcome>; release: () => void }> => {
  const release = stage.sandbox.hold('token', fault)
  return { ...(await waitFor(stage, when, () => stage.call(node, userId))), release }
}

const waitFor = async (stage: RefreshStage, when: Progress, call: () => Promise<Outcome>) => {
  stage.takeRefreshes()
  const waiting = stage.sandbox.pendingFaults().length
  const outcome = call()
  // The call may fail when its process is killed. The caller that awaits it handles the error.
  outcome.catch(() => undefined)
  await eventually(async () => {
    const reached =
      when === 'processed'
        ? stage.takeRefreshes().some(entry => entry.outcome === 'ok')
        : stage.sandbox.pendingFaults().length < waiting
    if (!reached) throw new Error(`not ${when} yet`)
  })
  return { outcome }
}

const eventsOf = async (stage: RefreshStage, userId: string): Promise<Takeover['events']> => ({
  refreshed: await stage.countEvents([userId], 'credential.refreshed'),
  needsReauth: await stage.countEvents([userId], 'credential.needs_reauth'),
})

/** A call in another process waits until the lease of a killed process expires, then continues. */
export const callAfterKill = async (
  stage: RefreshStage,
  node: Node,
  userId: string,
  expireLease: () => Promise<void>,
): Promise<{ outcome: Outcome; waited: boolean }> => {
  let answered = false
  const calling = stage.call(node, userId).finally(() => {
    answered = true
  })
  await delay(300)
  const waited = !answered
  await expireLease()
  return { outcome: await calling, waited }
}
