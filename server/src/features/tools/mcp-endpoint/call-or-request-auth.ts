import { setTimeout as delay } from 'node:timers/promises'
import type { AuthenticateMeta } from '@carabiner/contract'
import { SECOND } from '../../../core/duration.ts'
import { isObject } from '../../../core/json.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import type { ToolCall } from '../admission/admit-call.ts'
import { type CallDeps, type CallResult, callTool } from '../calls/call-tool.ts'
import { authenticateResult, type ToolResult } from '../results/tool-result.ts'
import type { OpenStreams } from './open-streams.ts'
import { readRequestState, writeRequestState } from './request-state.ts'

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
  | { kind: 'result'; result: ToolResult }
  /** The client shows the URL to its user and retries automatically. */
  | { kind: 'input_required'; meta: AuthenticateMeta; requestState: string }
  | { kind: 'url_required'; meta: AuthenticateMeta }

export const MAX_WAIT_SECONDS = 300
/** The user has just agreed to open the URL, so the retry waits for the connection, within usual client timeouts. */
const WAIT_AFTER_CONSENT_SECONDS = 45
const PROGRESS_INTERVAL_MS = 10 * SECOND
/** Each attempt mints a link, and a credential may change repeatedly. */
const RETRY_INTERVAL_MS = SECOND
/** The name of our one question in `inputRequests`. */
export const QUESTION = 'connect'

type Deps = CallDeps & { openStreams: OpenStreams; signer: Signer }

/** Calls a tool. If the account is not connected, waits for it, asks through the client, or returns `authenticate_meta`. */
export const callOrRequestAuth = async (
  deps: Deps,
  call: ToolCall,
  options: AuthRequestOptions,
): Promise<Outcome> => {
  const earlier = readEarlier(deps.signer, call, options)
  const first = await callTool(deps, call)
  if (!first.authRequest) return { kind: 'result', result: first.result }
  const meta = earlier ?? first.authRequest.meta
  if (options.elicitation && !earlier)
    return requestThroughClient(deps.signer, call, options.elicitation, meta)
  const seconds = Math.max(options.waitSeconds, earlier ? WAIT_AFTER_CONSENT_SECONDS : 0)
  if (seconds > 0) options.onWait()
  const wait = { seconds, disconnected: options.disconnected }
  const connected =
    seconds > 0 ? await callOnceConnected(deps, call, { ...first.authRequest, meta }, wait) : null
  if (connected) return { kind: 'result', result: connected }
  return earlier && options.elicitation
    ? requestThroughClient(deps.signer, call, options.elicitation, meta)
    : { kind: 'result', result: authenticateResult(meta) }
}

const requestThroughClient = (
  signer: Signer,
  call: ToolCall,
  elicitation: NonNullable<AuthRequestOptions['elicitation']>,
  meta: AuthenticateMeta,
): Outcome =>
  elicitation === 'error'
    ? { kind: 'url_required', meta }
    : { kind: 'input_required', meta, requestState: writeRequestState(signer, call, meta) }

/** The `authenticate_meta` of the previous round, if this is a retry of the same call. */
const readEarlier = (
  signer: Signer,
  call: ToolCall,
  { requestState, inputResponses }: AuthRequestOptions,
): AuthenticateMeta | null => {
  if (requestState === undefined) return null
  const meta = typeof requestState === 'string' ? readRequestState(signer, call, requestState) : null
  if (!meta) throw new Refusal('invalid_request_state', { param: 'requestState' })
  const answer = isObject(inputResponses) ? inputResponses[QUESTION] : undefined
  const action = isObject(answer) ? answer.action : undefined
  if (action === 'decline' || action === 'cancel') throw new Refusal('connection_declined')
  // An expired link is replaced by a new one.
  return Date.parse(meta.expires_at) > Date.now() ? meta : null
}

/**
 * Calls again, with every check, after the connection changed. Returns null if the wait ended first or the client disconnected: it
 * may retry, and the call must not be made twice.
 */
const callOnceConnected = async (
  deps: Deps,
  call: ToolCall,
  authRequest: NonNullable<CallResult['authRequest']>,
  { seconds, disconnected }: { seconds: number; disconnected: AbortSignal },
): Promise<ToolResult | null> => {
  const signal = AbortSignal.any([call.signal, disconnected])
  const clock = startClock(seconds)
  const report = () => reportWaiting(call, authRequest.meta, clock)
  report()
  let awaited = authRequest
  for (let first = true; clock.left() > 0; first = false) {
    const reporting = setInterval(report, PROGRESS_INTERVAL_MS)
    const waited = await deps.openStreams.waitForConnection(
      { ...call, organizationId: authRequest.organizationId },
      {
        connectorSlug: authRequest.meta.Connector,
        insufficient: awaited.credential,
        credentialId: awaited.credentialId,
        fixedAccount: awaited.fixedAccount,
        milliseconds: clock.left(),
        signal,
      },
    )
    clearInterval(reporting)
    if (waited === 'over') return null
    if (!first) await delay(RETRY_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return null
    const again = await callTool(deps, { ...call, onProgress: progressAfter(call, clock.waited()) })
    if (!again.authRequest) return again.result
    awaited = again.authRequest
  }
  return null
}

type Clock = { total: number; waited: () => number; left: () => number }

/** `total` and `waited` in seconds, `left` in milliseconds. */
const startClock = (total: number): Clock => {
  const startedAt = performance.now()
  const waited = () => (performance.now() - startedAt) / SECOND
  return { total, waited, left: () => (total - waited()) * SECOND }
}

/** Sent periodically, because clients time out without progress. */
const reportWaiting = ({ onProgress }: ToolCall, { message }: AuthenticateMeta, clock: Clock): void =>
  onProgress?.({
    progress: clock.waited(),
    total: clock.total,
    message: `Waiting for the account to be connected. ${message}`,
  })

/** "Progress" must increase with each notification, so the provider's progress continues where the wait ended. */
const progressAfter = ({ onProgress }: ToolCall, waited: number): ToolCall['onProgress'] =>
  onProgress &&
  (({ progress, total, ...rest }) => {
    if (progress < 0) return
    onProgress({
      ...rest,
      progress: waited + progress,
      ...(total !== undefined && { total: waited + total }),
    })
  })
