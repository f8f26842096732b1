import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../../core/duration.ts'
import { Refusal, reword } from '../../../core/refusal.ts'
import { CALL_TIMEOUT } from '../../upstream/call-limits.ts'
import type { Answer, CallTerms, Failure } from '../../upstream/provider-answer.ts'
import type { Traffic, Way } from '../../upstream/traffic/traffic.ts'
import type { AskDeps, Asking, ThirdParty } from './provider.ts'

export type ReachDeps = AskDeps & {
  traffic: Traffic
  /** How long a call may take at its third party, all tries together. */
  callTimeoutMs?: number
}

/** What all tries of a call share. */
export type Terms = Omit<CallTerms, 'timeoutMs'> & { endsAt: number }

const SHORTEST_PAUSE = 0.1 * SECOND
const PAUSE_SPREAD = 0.2 * SECOND
/** With less time left than this, a second try would only be cut off. */
const WORTH_A_TRY = SECOND

export const termsOf = (
  { callTimeoutMs = CALL_TIMEOUT }: Pick<ReachDeps, 'callTimeoutMs'>,
  rest: Omit<CallTerms, 'timeoutMs'>,
): Terms => ({ ...rest, endsAt: performance.now() + callTimeoutMs })

/** Asks a third party within its room, unless it is out of order, and once more where that can do no harm. */
export const reachThirdParty = (
  deps: ReachDeps,
  party: ThirdParty,
  { terms, ...asking }: Omit<Asking, 'terms'> & { terms: Terms },
): Promise<Answer> => {
  const { signal } = terms
  const { organizationId, registeredUserId, access } = asking
  const way: Way = { ...party, organizationId, registeredUserId, origin: party.originFor(access) }
  const egress = deps.egress.onBehalfOf(organizationId)
  const timeLeft = () => Math.ceil(terms.endsAt - performance.now())
  const attempt = async (): Promise<Answer> => {
    const answer = await deps.traffic.unlessBroken(way, signal, () =>
      party.ask({ ...deps, egress }, { ...asking, terms: { ...terms, timeoutMs: Math.max(timeLeft(), 1) } }),
    )
    // What came back before the caller hung up stands; a failure after it is the caller's own doing.
    if (answer.kind === 'failed' && signal.aborted) throw new Refusal('cancelled')
    return answer
  }
  const mayRepeat = party.repeatable || terms.idempotencyKey !== null
  return deps.traffic.withRoom(way, signal, async () => {
    const first = await attempt()
    if (first.kind !== 'failed' || first.outage === null) return first
    if (first.outage === 'unreachable' && mayRepeat && timeLeft() > WORTH_A_TRY && isSoon(first)) {
      await delay(SHORTEST_PAUSE + Math.random() * PAUSE_SPREAD, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) throw new Refusal('cancelled')
      return attempt()
    }
    return mayRepeat || first.neverSent ? first : inDoubt(first)
  })
}

/** A third party that says when to come back is not asked before. */
const isSoon = ({ refusal }: Failure): boolean => (refusal.retryAfterSeconds ?? 0) === 0

/** Nobody can tell whether it was done before the answer was lost, and doing it twice may be worse than not at all. */
const inDoubt = ({ refusal, ...failure }: Failure): Failure => ({
  ...failure,
  refusal: reword(
    refusal,
    `${refusal.message} It may have been carried out all the same: look before you try again.`,
  ),
})
