import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../../core/duration.ts'
import { isObject } from '../../../core/json/object.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import type { ToolCall } from '../admission/admit-call.ts'
import type { CallResult } from '../calls/call-result.ts'
import { type CallDeps, callTool } from '../calls/call-tool.ts'
import { authenticateResult, type ToolResult } from '../results/tool-result.ts'
import { createTask } from '../tasks/create-task.ts'
import { callOnceDecided } from './await-decision.ts'
import type { OpenStreams } from './open-streams.ts'
import { type ElicitedMeta, type Question, questionOf } from './question.ts'
import { readRequestState, writeRequestState } from './request-state.ts'
import { type Clock, progressAfter, startClock, whileWaiting } from './wait-clock.ts'

/** How to request a missing connection, besides the `authenticate_meta` result. */
export type AuthRequestOptions = {
  /** `wait=<seconds>`: how long the call waits for the connection. */
  waitSeconds: number
  /** `elicitation=url`, if the client declared support: the form that its protocol revision uses. */
  elicitation: 'input_required' | 'error' | null
  /** Sent back by the client when it retries. */
  requestState: unknown
  inputResponses: unknown
  /** Aborted when the client disconnects. */
  disconnected: AbortSignal
  /** Runs when a wait begins. */
  onWait: () => void
}

export type Outcome =
  /** `changedList`: the call has added tools to the list of its session. */
  | { kind: 'result'; result: ToolResult; changedList?: boolean }
  /** The client shows the URL to its user and retries automatically. */
  | { kind: 'input_required'; question: Question; requestState: string }
  | { kind: 'url_required'; question: Question }
  /** The client polls for the result. */
  | { kind: 'task'; id: string }

/** The user has just agreed to open the URL, so the retry waits for the connection or the decision, within usual client timeouts. */
const WAIT_AFTER_CONSENT_SECONDS = 45
/** Each attempt mints a link, and a credential may change repeatedly. */
const RETRY_INTERVAL_MS = SECOND

export type RequestDeps = CallDeps & { openStreams: OpenStreams; signer: Signer }

/**
 * Calls a tool. If the account is not connected, waits for it, asks through the client, or returns `authenticate_meta`. If a person must
 * approve the call, waits for the decision, asks through the client, or returns `approval_meta`.
 */
export const callOrRequestAuth = async (
  deps: RequestDeps,
  call: ToolCall,
  options: AuthRequestOptions,
): Promise<Outcome> => {
  const earlier = readEarlier(deps.signer, call, options)
  const first = call.asTask ? await callOrTask(deps, call) : await callTool(deps, call)
  if ('task' in first) return { kind: 'task', id: first.task }
  const seconds = Math.max(options.waitSeconds, earlier?.isAccepted ? WAIT_AFTER_CONSENT_SECONDS : 0)
  const waiting = { earlier, options, clock: startClock(seconds) }
  if (!first.authRequest) return whenDecided(deps, call, first, waiting)
  const shown = earlier?.meta.type === 'authenticate_meta' ? earlier.meta : null
  const meta = shown ?? first.authRequest.meta
  if (options.elicitation && !shown) return requestThroughClient(deps.signer, call, options.elicitation, meta)
  if (seconds > 0) options.onWait()
  const connected =
    seconds > 0 ? await callOnceConnected(deps, call, { ...first.authRequest, meta }, waiting) : null
  if (connected) return whenDecided(deps, call, connected, waiting)
  return shown && options.elicitation
    ? requestThroughClient(deps.signer, call, options.elicitation, meta)
    : { kind: 'result', result: authenticateResult(meta) }
}

/** Once its server has made a task of the call, it goes on without its client. */
const callOrTask = async (deps: RequestDeps, call: ToolCall): Promise<CallResult | { task: string }> => {
  const { promise: accepted, resolve: onTask } = Promise.withResolvers<string>()
  const leaving = new AbortController()
  const leave = () => leaving.abort(call.signal.reason)
  if (call.signal.aborted) leave()
  call.signal.addEventListener('abort', leave, { once: true })
  const ended = callTool(deps, { ...call, signal: leaving.signal, onTask })
  const task = accepted.then(id => {
    call.signal.removeEventListener('abort', leave)
    return { task: id }
  })
  return Promise.race([ended, task])
}

const requestThroughClient = (
  signer: Signer,
  call: ToolCall,
  elicitation: NonNullable<AuthRequestOptions['elicitation']>,
  meta: ElicitedMeta,
): Outcome => {
  const question = questionOf(meta)
  return elicitation === 'error'
    ? { kind: 'url_required', question }
    : { kind: 'input_required', question, requestState: writeRequestState(signer, call, meta) }
}

/** The request of the previous round and the answer of the client, if this is a retry of the same call. */
type Earlier = { meta: ElicitedMeta; isAccepted: boolean }
type Waiting = { earlier: Earlier | null; options: AuthRequestOptions; clock: Clock }

const readEarlier = (
  signer: Signer,
  call: ToolCall,
  { requestState, inputResponses }: AuthRequestOptions,
): Earlier | null => {
  if (requestState === undefined) return null
  const meta = typeof requestState === 'string' ? readRequestState(signer, call, requestState) : null
  if (!meta) throw new Refusal('invalid_request_state', { param: 'requestState' })
  const answer = isObject(inputResponses) ? inputResponses[questionOf(meta).name] : undefined
  const action = isObject(answer) ? answer.action : undefined
  const isDeclined = action === 'decline' || action === 'cancel'
  if (isDeclined && meta.type === 'authenticate_meta') throw new Refusal('connection_declined')
  // An expired link is replaced by a new one.
  return Date.parse(meta.expires_at) > Date.now() ? { meta, isAccepted: !isDeclined } : null
}

/**
 * Calls again, with every check, after the connection changed. Returns null if the wait ended first or the client disconnected: it
 * may retry, and the call must not be made twice.
 */
const callOnceConnected = async (
  deps: RequestDeps,
  call: ToolCall,
  authRequest: NonNullable<CallResult['authRequest']>,
  { clock, options }: Waiting,
): Promise<CallResult | null> => {
  const signal = AbortSignal.any([call.signal, options.disconnected])
  const message = `Waiting for the account to be connected. ${authRequest.meta.message}`
  let awaited = authRequest
  for (let first = true; clock.left() > 0; first = false) {
    const { credential, credentialId, fixedAccount } = awaited
    const waited = await whileWaiting(call, message, clock, () =>
      deps.openStreams.waitForConnection(
        { ...call, organizationId: authRequest.organizationId },
        {
          connectorSlug: authRequest.meta.Connector,
          insufficient: credential,
          credentialId,
          fixedAccount,
          milliseconds: clock.left(),
          signal,
        },
      ),
    )
    if (waited === 'over') return null
    if (!first) await delay(RETRY_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return null
    const again = await callTool(deps, { ...call, onProgress: progressAfter(call, clock.waited()) })
    if (!again.authRequest) return again
    awaited = again.authRequest
  }
  return null
}

/**
 * Makes a task of the call if the client takes one. Otherwise asks once through the client, and waits for the decision. Whatever the client answers decides nothing. Without a decision until the wait
 * is over, returns the `approval_meta`.
 */
const whenDecided = async (
  deps: RequestDeps,
  call: ToolCall,
  { result, approvalRequest }: CallResult,
  { earlier, options, clock }: Waiting,
): Promise<Outcome> => {
  if (!approvalRequest) return { kind: 'result', result }
  const { meta, organizationId, userKey } = approvalRequest
  if (approvalRequest.asTask) {
    const approvalId = meta.approval_id
    return { kind: 'task', id: await createTask(deps, call, { organizationId, approvalId, userKey }) }
  }
  const isShown = earlier?.meta.type === 'approval_meta' && earlier.meta.approval_id === meta.approval_id
  if (options.elicitation && !isShown)
    return requestThroughClient(deps.signer, call, options.elicitation, meta)
  if (clock.left() <= 0) return { kind: 'result', result }
  options.onWait()
  const signal = AbortSignal.any([call.signal, options.disconnected])
  const decided = await callOnceDecided(deps, call, approvalRequest, { clock, signal })
  return { kind: 'result', result: decided?.result ?? result }
}
