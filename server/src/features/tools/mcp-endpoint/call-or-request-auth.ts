import { setTimeout as delay } from 'node:timers/promises'
import type { AuthenticateMeta } from '@carabiner/contract'
import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import type { ToolCall } from '../admission/admit-call.ts'
import { type CallDeps, type Called, callTool } from '../calls/call-tool.ts'
import { authenticateResult, type ToolResult } from '../results/tool-result.ts'
import { isObject } from './json-rpc.ts'
import type { OpenStreams } from './open-streams.ts'
import { readRequestState, writeRequestState } from './request-state.ts'

/** How a caller would be told of a missing connection, besides the result that says so. */
export type Manner = {
  /** `wait=<seconds>`: the call stays open for so long. */
  waitSeconds: number
  /** `elicitation=url`, of a client that said it can: null, or the way of its revision. */
  elicitation: 'input_required' | 'error' | null
  /** What the client sends back with its second try. */
  requestState: unknown
  inputResponses: unknown
  /** Aborted when the client is gone: a wait ends with it in every revision. */
  gone: AbortSignal
  /** Called as a wait begins. */
  onWait: () => void
}

export type Outcome =
  | { kind: 'result'; result: ToolResult }
  /** The client shows the address to its user, and tries again by itself. */
  | { kind: 'input_required'; meta: AuthenticateMeta; requestState: string }
  | { kind: 'url_required'; meta: AuthenticateMeta }

export const LONGEST_WAIT = 300
/** The person agreed to open the address a moment ago: the second try waits for them, within what clients wait for an answer. */
const WAIT_AFTER_CONSENT = 45
const TELL_EVERY = 10 * SECOND
/** Not sooner again after a try that did not do: a credential may change without end, and each try mints a link. */
const TRY_EVERY = SECOND
/** The name of our one question in `inputRequests`. */
export const QUESTION = 'connect'

type Deps = CallDeps & { openStreams: OpenStreams; signer: Signer }

/** A call whose user may have to connect an account first: at once, within a wait, or by being asked through the client. */
export const connectAndCall = async (deps: Deps, call: ToolCall, manner: Manner): Promise<Outcome> => {
  const earlier = readEarlier(deps.signer, call, manner)
  const first = await callTool(deps, call)
  if (!first.asks) return { kind: 'result', result: first.result }
  const meta = earlier ?? first.asks.meta
  if (manner.elicitation && !earlier) return ask(deps.signer, call, manner.elicitation, meta)
  const seconds = Math.max(manner.waitSeconds, earlier ? WAIT_AFTER_CONSENT : 0)
  if (seconds > 0) manner.onWait()
  const wait = { seconds, gone: manner.gone }
  const connected = seconds > 0 ? await callOnceConnected(deps, call, { ...first.asks, meta }, wait) : null
  if (connected) return { kind: 'result', result: connected }
  return earlier && manner.elicitation
    ? ask(deps.signer, call, manner.elicitation, meta)
    : { kind: 'result', result: authenticateResult(meta) }
}

const ask = (
  signer: Signer,
  call: ToolCall,
  elicitation: NonNullable<Manner['elicitation']>,
  meta: AuthenticateMeta,
): Outcome =>
  elicitation === 'error'
    ? { kind: 'url_required', meta }
    : { kind: 'input_required', meta, requestState: writeRequestState(signer, call, meta) }

/** What was asked in an earlier round, where this is the second try of the same call. */
const readEarlier = (
  signer: Signer,
  call: ToolCall,
  { requestState, inputResponses }: Manner,
): AuthenticateMeta | null => {
  if (requestState === undefined) return null
  const meta = typeof requestState === 'string' ? readRequestState(signer, call, requestState) : null
  if (!meta) throw new Refusal('invalid_request_state', { param: 'requestState' })
  const answer = isObject(inputResponses) ? inputResponses[QUESTION] : undefined
  const action = isObject(answer) ? answer.action : undefined
  if (action === 'decline' || action === 'cancel') throw new Refusal('connection_declined')
  // Its link has run out: the person is asked anew.
  return Date.parse(meta.expires_at) > Date.now() ? meta : null
}

/**
 * Every step is taken anew once something changed. Null where the wait ended before, or nobody is there any more to hear of the
 * call: who has hung up may try again, and what it asked for must not happen twice.
 */
const callOnceConnected = async (
  deps: Deps,
  call: ToolCall,
  asks: NonNullable<Called['asks']>,
  { seconds, gone }: { seconds: number; gone: AbortSignal },
): Promise<ToolResult | null> => {
  const signal = AbortSignal.any([call.signal, gone])
  const clock = startClock(seconds)
  const tell = () => tellWaiting(call, asks.meta, clock)
  tell()
  let { seen } = asks
  for (let first = true; clock.left() > 0; first = false) {
    const telling = setInterval(tell, TELL_EVERY)
    const waited = await deps.openStreams.waitForConnection(
      { ...call, organizationId: asks.organizationId },
      { connectorSlug: asks.meta.Connector, seen, milliseconds: clock.left(), signal },
    )
    clearInterval(telling)
    if (waited === 'over') return null
    if (!first) await delay(TRY_EVERY, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return null
    const again = await callTool(deps, { ...call, onProgress: goingOn(call, clock.waited()) })
    if (!again.asks) return again.result
    ;({ seen } = again.asks)
  }
  return null
}

type Clock = { total: number; waited: () => number; left: () => number }

/** In seconds, but for what is left. */
const startClock = (total: number): Clock => {
  const startedAt = performance.now()
  const waited = () => (performance.now() - startedAt) / SECOND
  return { total, waited, left: () => (total - waited()) * SECOND }
}

/** Said again and again, since clients give up on an answer of which they hear nothing. */
const tellWaiting = ({ onProgress }: ToolCall, { message }: AuthenticateMeta, clock: Clock): void =>
  onProgress?.({
    progress: clock.waited(),
    total: clock.total,
    message: `Waiting for the account to be connected. ${message}`,
  })

/** "Progress": it grows with each word of it. What the third party counts begins where the wait ended. */
const goingOn = ({ onProgress }: ToolCall, waited: number): ToolCall['onProgress'] =>
  onProgress &&
  (({ progress, total, ...rest }) => {
    if (progress < 0) return
    onProgress({
      ...rest,
      progress: waited + progress,
      ...(total !== undefined && { total: waited + total }),
    })
  })
