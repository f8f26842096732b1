import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '@carabiner/sandbox'
import { eventually } from '../eventually.ts'
import type { Node } from '../processes.ts'
import type { CredentialState, Outcome, RefreshStage } from './stage.ts'

/** The token endpoint's, in the order of the requests that meet them. */
export type TokenFault = Omit<Fault, 'target'>

export const REFUSED: TokenFault = { behavior: 'status', status: 400, body: { error: 'invalid_grant' } }
export const OUT: TokenFault = { behavior: 'status', status: 503 }

export type Takeover = {
  userId: string
  /** What the callers at the stopped holder and at the one that took over were told. */
  first: Outcome
  second: Outcome
  /** While the first holder was stopped, and when it had gone on. */
  during: CredentialState
  end: CredentialState
  events: { refreshed: number; needsReauth: number }
}

type Scene = {
  holder: Node
  other: Node
  /** When the holder is stopped: its request is at the third party, or has been carried out there as well. */
  stoppedWhen: 'asked' | 'spent'
  /** What the holder's request meets, and what those after it do. */
  meets: [TokenFault, ...TokenFault[]]
  leaseRunsOut: () => Promise<void>
}

/** One process holds the lease and is stopped; another takes over; the first goes on. */
export const overtake = async (stage: RefreshStage, scene: Scene): Promise<Takeover> => {
  const userId = await stage.linkUser()
  await stage.expire([userId])
  const [first, ...later] = scene.meets
  const calling = await callUntil(stage, scene.holder, userId, first, scene.stoppedWhen)
  scene.holder.process.kill('SIGSTOP')
  await scene.leaseRunsOut()
  for (const fault of later) stage.sandbox.script({ target: 'token', ...fault })
  const second = await stage.call(scene.other, userId)
  const during = await stage.credential(userId)
  scene.holder.process.kill('SIGCONT')
  return {
    userId,
    first: await calling.outcome,
    second,
    during,
    end: await stage.credential(userId),
    events: await eventsOf(stage, userId),
  }
}

/** A call whose refresh has come so far. It is not waited for, so it is handed over inside of something. */
export const callUntil = async (
  stage: RefreshStage,
  node: Node,
  userId: string,
  fault: TokenFault,
  when: 'asked' | 'spent',
): Promise<{ outcome: Promise<Outcome> }> => {
  stage.takeRefreshes()
  stage.sandbox.script({ target: 'token', ...fault })
  const outcome = stage.call(node, userId)
  // It may well fail, when its process is killed; whoever waits for it learns of that.
  outcome.catch(() => undefined)
  await eventually(async () => {
    if (when === 'spent') {
      if (!stage.takeRefreshes().some(entry => entry.outcome === 'ok')) throw new Error('not spent yet')
      return
    }
    const waiting = await fetch(`${stage.sandbox.url}/_control/faults`)
    const { faults } = (await waiting.json()) as { faults: Fault[] }
    if (faults.length > 0) throw new Error('not asked yet')
  })
  return { outcome }
}

const eventsOf = async (stage: RefreshStage, userId: string): Promise<Takeover['events']> => ({
  refreshed: await stage.countEvents([userId], 'credential.refreshed'),
  needsReauth: await stage.countEvents([userId], 'credential.needs_reauth'),
})

/** Another process's caller waits for the lease of one that is gone, and goes on when that is over. */
export const callAfterDeath = async (
  stage: RefreshStage,
  node: Node,
  userId: string,
  leaseRunsOut: () => Promise<void>,
): Promise<{ outcome: Outcome; waited: boolean }> => {
  let answered = false
  const calling = stage.call(node, userId).finally(() => {
    answered = true
  })
  await delay(300)
  const waited = !answered
  await leaseRunsOut()
  return { outcome: await calling, waited }
}
