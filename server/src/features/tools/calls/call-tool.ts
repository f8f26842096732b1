import type { AuthenticateMeta, ErrorCode } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { toRefusal } from '../../../edge/errors.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import type { MintLinkToken } from '../../link/sessions/mint-link-token.ts'
import { rateHeaders, requireWithinLimits } from '../../metering/limits/limits.ts'
import { OAuthError } from '../../oauth/protocol.ts'
import type { RecordedViolation } from '../../rules/gate.ts'
import type { RuleCache } from '../../rules/rule-cache.ts'
import type { Admitted, ToolCall } from '../admission/admit-call.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import type { Settlement } from '../admission/settlement-store.ts'
import type { CallMetrics } from '../observation/call-metrics.ts'
import { type CallObservation, observeCall } from '../observation/observe-call.ts'
import { applyView } from '../results/apply-view.ts'
import { inspectResult } from '../results/inspect-result.ts'
import { storeIfLarge } from '../results/store-large-result.ts'
import { authenticateResult, serverResult, successResult, type ToolResult } from '../results/tool-result.ts'
import { admitByName, requireCallTool } from './admit-by-name.ts'
import { gateFor, inspectFailure, inspectProgress, readArguments } from './apply-rules.ts'
import type { ArgumentCheck } from './argument-check.ts'
import { type Answered, callProvider, type ProviderCallDeps } from './call-provider.ts'
import { callIdempotently, type IdempotentAnswer } from './idempotent-call.ts'
import { afterContact, type ProviderContact } from './provider-contact.ts'
import { type CallRecorder, factsOf, startRecorder } from './record-call.ts'
import { refuseRepeatedScopes } from './refuse-repeated-scopes.ts'
import { authenticateMeta, reconnectable, requireOwnAccount } from './request-authentication.ts'
import { type AuthRequired, resolveCredential } from './resolve-credential.ts'
import { settleCall } from './settle-call.ts'

export type CallDeps = ProviderCallDeps & {
  /** Batches the admissions and settlements of concurrent calls. */
  batched: Queryable
  mintLinkToken: MintLinkToken
  checkArguments: ArgumentCheck
  ruleCache: RuleCache
  isolated: IsolatedPool
  callMetrics: CallMetrics
}

/** What the record of a call contains besides its outcome. */
type Recorded = {
  recorder: CallRecorder
  observed: CallObservation
  violations: RecordedViolation[]
  provider: ProviderContact
}

type Performed = { settlement: Settlement } & (CallResult | { refusal: Refusal })

/** `authRequest`: the result is an `authenticate_meta`. */
export type CallResult = { result: ToolResult; authRequest?: AuthRequest }
export type AuthRequest = {
  meta: AuthenticateMeta
  organizationId: string
  /** The insufficient credential as `id:version`; null if there was none. */
  credential: string | null
  /** The credential that has to become usable, if the call names its account. Otherwise any account of the connector may do. */
  credentialId: string | null
  /** The label or the ID of the account that has to become usable, if the pack fixes one. */
  fixedAccount: string | null
}

/** Admits, performs and settles a call. The result is returned only after the settlement. */
export const callTool = async (deps: CallDeps, call: ToolCall): Promise<CallResult> => {
  const observed = observeCall(deps.callMetrics, call.span ?? null)
  try {
    return await callObserved(deps, call, observed)
  } finally {
    observed.end()
  }
}

const callObserved = async (
  deps: CallDeps,
  call: ToolCall,
  observed: CallObservation,
): Promise<CallResult> => {
  const recorder = startRecorder()
  const admitted = await admitByName(deps, call) // key → user active → tool in pack; the record is reserved
  observed.admitted(admitted)
  const violations: RecordedViolation[] = []
  const provider: ProviderContact = { wasCalled: false, hasAnswered: false }
  const explain = (error: unknown): Refusal => afterContact(provider, admitted, asRefusal(error))
  const performed = await perform(deps, admitted, call, { recorder, observed, violations, provider }).catch(
    error => asFailure(explain(error)),
  )
  if ('refusal' in performed) observed.failed(performed.refusal.code)
  observed.enter('settlement')
  observed.settles(performed.settlement.outcome)
  const durations = { rulesMs: observed.rulesMs(), thirdPartyMs: performed.settlement.thirdPartyMs }
  const facts = await factsOf(deps, admitted, call, recorder, durations)
  const settlement = { ...performed.settlement, violations }
  const { wasCalled } = provider
  const performedCall = { ...admitted, keyHash: call.keyHash, elapsedMs: recorder.total(), wasCalled }
  // record and count
  await settleCall(deps, performedCall, settlement, facts).catch((error: unknown) => {
    throw explain(error)
  })
  if ('refusal' in performed) throw performed.refusal
  return performed
}

/** The steps between admission and settlement, in this order. Nothing is cached from earlier calls. */
const perform = async (
  deps: CallDeps,
  admitted: Admitted,
  call: ToolCall,
  { recorder, observed, violations, provider }: Recorded,
): Promise<Performed> => {
  requireCallTool(admitted.admission, call)
  call.onRate?.(rateHeaders(admitted.admission))
  if (admitted.callable.kind !== 'authenticate')
    await requireWithinLimits(deps.db, admitted.admission, admitted.reserved.callId) // plan limit → rate limit
  observed.enter('argument_rules')
  const gate = await gateFor(deps, admitted.admission, call.requestId, violations)
  const args = await readArguments(deps, admitted, admitted.args, gate) // input schema → arguments rule
  recorder.sent(args)
  observed.enter('credential')
  if (admitted.callable.kind === 'authenticate' && admitted.admission.accountProblem)
    return connectedResult(admitted.callable.connector.name)
  const access = await resolveCredential(deps, admitted) // decrypted; an expired token is refreshed under a lease
  if ('authRequired' in access) return requestAuthentication(deps, admitted, access.authRequired)
  if (admitted.callable.kind === 'authenticate') return connectedResult(admitted.callable.connector.name)
  observed.enter('provider')
  const onProgress = inspectProgress(gate, call.onProgress)
  const traceparent = observed.traceparent()
  const providerCall = {
    ...call,
    ...admitted,
    callable: admitted.callable,
    name: admitted.callable.name,
    access,
    args,
    onProgress,
    traceparent,
  }
  const answered = await callIdempotently(deps, providerCall, idempotencyKey => {
    provider.wasCalled = true
    return callProvider(deps, { ...providerCall, idempotencyKey })
  }).catch(inspectFailure(gate)) // the provider, or its stored answer to the same idempotency key
  provider.hasAnswered = provider.wasCalled && !('authRequired' in answered)
  if ('authRequired' in answered) return requestAuthentication(deps, admitted, answered.authRequired)
  observed.enter('result_rules')
  const whole = toResult(await inspectResult(gate, answered.answer)) // result rule
  observed.enter('settlement')
  const { result, size } = await viewResult(admitted.callable, whole, recorder) // the fields that the pack has chosen
  return {
    result: await storeIfLarge(deps, admitted.admission, result, size), // truncated at the pack's limit
    settlement: settlementOf(answered, result),
  }
}

const toResult = (answer: Answered['answer']): ToolResult =>
  answer.kind === 'value' ? successResult(answer.value) : serverResult(answer.result)

const viewResult = async (
  callable: CallableTool,
  whole: ToolResult,
  recorder: CallRecorder,
): Promise<{ result: ToolResult; size: number }> => {
  const size = recorder.answered(whole)
  const fields = 'choice' in callable ? callable.choice.view : undefined
  if (!fields) return { result: whole, size }
  const result = await applyView(whole, fields)
  return { result, size: recorder.viewed(result) }
}

/** A result with `isError` is returned as it is but does not count as a success. A replayed answer was counted before. */
const settlementOf = ({ ms, replayed }: IdempotentAnswer, { isError }: ToolResult): Settlement => {
  if (replayed) return { outcome: 'replayed', errorCode: null, thirdPartyMs: null }
  return isError
    ? { outcome: 'error', errorCode: 'third_party_error', thirdPartyMs: ms }
    : { outcome: 'success', errorCode: null, thirdPartyMs: ms }
}

/** Recorded but not counted, because no provider was called. */
const NOT_COUNTED: Settlement = { outcome: 'needs_auth', errorCode: null, thirdPartyMs: null }

const connectedResult = (name: string): Performed => ({
  result: successResult({
    connected: true,
    message: `${name} is connected. List the tools again to see its own.`,
  }),
  settlement: NOT_COUNTED,
})

const requestAuthentication = async (
  deps: CallDeps,
  { admission, reserved, callable }: Admitted,
  { reason, missingScopes }: AuthRequired,
): Promise<Performed> => {
  const { connector } = callable
  requireOwnAccount(admission, connector)
  if (reason === 'insufficient_scope')
    await refuseRepeatedScopes(deps.db, admission, connector, missingScopes ?? [])
  const held = admission.credential
  const credentialId = reconnectable(admission)
  const meta = await authenticateMeta(deps.mintLinkToken, {
    caller: admission,
    callable,
    reason,
    missing: missingScopes,
    credentialId,
    fixedAccount: admission.fixedAccount,
  })
  const authRequest = {
    meta,
    organizationId: admission.organizationId,
    credential: held && `${held.id}:${held.version}`,
    credentialId: reserved.account === null ? null : credentialId,
    fixedAccount: admission.fixedAccount,
  }
  return {
    result: authenticateResult(meta),
    authRequest,
    settlement: { ...NOT_COUNTED, errorCode: reason },
  }
}

const asFailure = (refusal: Refusal): Performed => ({
  refusal,
  settlement: { outcome: outcomeOf(refusal.code), errorCode: refusal.code, thirdPartyMs: null },
})

const asRefusal = (error: unknown): Refusal => {
  if (error instanceof OAuthError) {
    const code = error.failure.kind === 'provider_timeout' ? 'third_party_timeout' : 'third_party_unavailable'
    return new Refusal(code, { cause: error, retryable: true })
  }
  return toRefusal(error)
}

const outcomeOf = (code: ErrorCode): Settlement['outcome'] => {
  if (code === 'security_rule_blocked') return 'blocked'
  return code === 'billing_limit_reached' || code === 'rate_limited' ? 'limited' : 'error'
}
