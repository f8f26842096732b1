import { type ApprovalMeta, type CallStepName, describeError } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { errorObject, toRefusal } from '../../../edge/errors.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { approvalUrl } from '../../approvals/approval-address.ts'
import { type ExecutionEnd, finishApproval } from '../../approvals/end-approvals.ts'
import type { WaitingApproval } from '../../approvals/request-approval.ts'
import type { HealthReader } from '../../credentials/risks/health-reader.ts'
import type { MintLinkToken } from '../../link/sessions/mint-link-token.ts'
import { rateHeaders } from '../../metering/limits/limits.ts'
import { OAuthError } from '../../oauth/protocol.ts'
import type { ServerTaskOptions } from '../../upstream/provider-response.ts'
import type { Admitted, ToolCall } from '../admission/admit-call.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import type { Settlement } from '../admission/settlement-store.ts'
import type { CallMetrics } from '../observation/call-metrics.ts'
import type { CallPhase } from '../observation/call-phases.ts'
import { type CallObservation, observeCall } from '../observation/observe-call.ts'
import { applyView } from '../results/apply-view.ts'
import { storeIfLarge } from '../results/store-large-result.ts'
import {
  approvalResult,
  authenticateResult,
  errorResult,
  successResult,
  type ToolResult,
} from '../results/tool-result.ts'
import type { AuthRequired } from '../steps/call/access.ts'
import type { EffectDeps, RunningCall } from '../steps/call/call-step.ts'
import { takeSteps } from '../steps/take-steps.ts'
import type { AcceptedTask, AcceptedTasks } from '../tasks/accepted-tasks.ts'
import { completeTaskOf } from '../tasks/complete-task.ts'
import { admitByName, requireCallTool } from './admit-by-name.ts'
import { inspectFailure, inspectProgress } from './apply-rules.ts'
import { callProvider, type ProviderCallDeps, RENEW_CERTIFICATE } from './call-provider.ts'
import type { CallResult } from './call-result.ts'
import { callIdempotently, type IdempotentAnswer } from './idempotent-call.ts'
import { linkOffer, reconnectable } from './offer-link.ts'
import { afterContact, mayBeCarriedOut, type ProviderContact } from './provider-contact.ts'
import { describeFailure, isByCode, readResult } from './read-result.ts'
import { type CallRecorder, factsOf, startRecorder } from './record-call.ts'
import { withRenewalNotice } from './renewal-notice.ts'
import { settleCall } from './settle-call.ts'
import type { SharedResults } from './shared-results.ts'

export type CallDeps = ProviderCallDeps &
  EffectDeps & {
    /** Batches the admissions and settlements of concurrent calls. */
    batched: Queryable
    mintLinkToken: MintLinkToken
    callMetrics: CallMetrics
    sharedResults: SharedResults
    acceptedTasks: AcceptedTasks
    baseUrl: string
    health: HealthReader
  }

/** What is known about a call besides its outcome, while it is performed. */
type Progress = {
  running: RunningCall
  recorder: CallRecorder
  observed: CallObservation
  provider: ProviderContact
  /** The step that the call is in. */
  step: CallStepName
  /** The call is a task that its server has accepted. */
  task: AcceptedTask | null
}

type Outcome = Omit<Settlement, 'endedAtStep' | 'carriedOut'>
type Performed = { settlement: Outcome } & (CallResult | { refusal: Refusal })

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
  const admitted = await admitByName(deps, call) // the steps of the admission; the record is reserved
  observed.admitted(admitted)
  call.onRecord?.(admitted.reserved.callId)
  const provider: ProviderContact = { wasCalled: false, hasAnswered: false }
  const running = runningCall(admitted, call)
  const progress: Progress = {
    running,
    recorder,
    observed,
    provider,
    step: 'tool',
    task: resumedTask(deps, admitted, call),
  }
  const explain = (error: unknown): Refusal => afterContact(provider, admitted, asRefusal(error))
  const performed = await perform(deps, admitted, call, progress).catch(error => asFailure(explain(error)))
  if ('refusal' in performed) {
    const { code, message, param = null } = performed.refusal
    observed.failed(code)
    recorder.failed({ message, param })
  }
  observed.enter('settlement')
  observed.settles(performed.settlement.outcome)
  const settlement = {
    ...performed.settlement,
    endedAtStep: isComplete(performed) ? null : progress.step,
    carriedOut: mayBeCarriedOut(provider, 'refusal' in performed ? performed.refusal : null),
    violations: running.violations,
  }
  const durations = { rulesMs: observed.rulesMs(), thirdPartyMs: settlement.thirdPartyMs }
  if (running.argumentsToSend) recorder.sent(running.argumentsToSend)
  const facts = await factsOf(deps, admitted, call, recorder, durations)
  const { wasCalled } = provider
  const performedCall = { ...admitted, keyHash: call.keyHash, elapsedMs: recorder.total(), wasCalled }
  // record and count
  const withheld = await settleCall(deps, performedCall, settlement, facts).then(() => null, explain)
  const ended = withheld ? { refusal: withheld } : performed
  shareResult(deps, running, ended)
  await progress.task?.end(resultOf(deps, ended, call.requestId))
  if (withheld) throw withheld
  await finishTaken(deps, running, performed, call.requestId)
  if ('refusal' in performed) throw performed.refusal
  return performed
}

/** With the callers of this process that wait for the same approval. */
const shareResult = (
  { sharedResults }: CallDeps,
  { approval, callId }: RunningCall,
  performed: CallResult | { refusal: Refusal },
): void => {
  if (approval?.kind !== 'taken') return
  sharedResults.publish(
    approval.id,
    'refusal' in performed ? { callId, error: performed.refusal } : { callId, result: performed },
  )
}

const runningCall = ({ admission, callable, args, reserved }: Admitted, call: ToolCall): RunningCall => ({
  admission,
  callable,
  args,
  requestId: call.requestId,
  keyHash: call.keyHash,
  callId: reserved.callId,
  violations: [],
  gate: null,
  argumentsToSend: null,
  access: null,
  policy: null,
  idempotencyKey: call.idempotencyKey,
  asTask: call.asTask === true && admission.packTasks,
  isMade: call.resumes !== undefined,
  approval: null,
})

/** Whether the call was carried out, or had nothing to carry out. */
const isComplete = ({ settlement: { outcome, errorCode } }: Performed): boolean =>
  outcome === 'success' || outcome === 'replayed' || (outcome === 'needs_auth' && errorCode === null)

/** The steps between admission and settlement, in this order. Nothing is cached from earlier calls. */
const perform = async (
  deps: CallDeps,
  admitted: Admitted,
  call: ToolCall,
  progress: Progress,
): Promise<Performed> => {
  const { admission, callable } = admitted
  const { running, recorder, observed, provider } = progress
  const enter = (name: CallStepName, phase: CallPhase): void => {
    progress.step = name
    observed.enter(phase)
  }
  requireCallTool(admission, call)
  call.onRate?.(rateHeaders(admission))
  const obstacle = await takeSteps(deps, running, ({ name, phase }) => enter(name, phase))
  if (obstacle && 'authRequired' in obstacle)
    return requestAuthentication(deps, admitted, obstacle.authRequired)
  if (obstacle) return waitForApproval(deps, running, obstacle.approvalRequired)
  if (callable.kind === 'authenticate') return connectedResult(callable.connector.name)
  const { gate, access, argumentsToSend: args } = running
  if (!gate || !access || !args) throw new Error('the steps of a call have prepared its provider call')
  enter('provider', 'provider')
  const providerCall = {
    ...call,
    ...admitted,
    callable,
    name: callable.name,
    access,
    args,
    onProgress: inspectProgress(gate, call.onProgress),
    traceparent: observed.traceparent(),
    serverTask: serverTaskOf(deps, call, progress),
  }
  const answered = await callIdempotently(deps, providerCall, async idempotencyKey => {
    requireUnused(running)
    provider.wasCalled = true
    return callProvider(deps, { ...providerCall, idempotencyKey })
  }).catch(inspectFailure(gate)) // the provider, or its stored answer to the same idempotency key
  provider.hasAnswered = provider.wasCalled && !('authRequired' in answered)
  if ('authRequired' in answered) return requestAuthentication(deps, admitted, answered.authRequired)
  enter('result_rules', 'result_rules')
  const whole = await readResult(gate, callable, answered.answer)
  enter('settlement', 'settlement')
  const { result, size } = await viewResult(callable, whole, recorder) // the fields that the pack has chosen
  const returned = isByCode(callable) ? result : await storeIfLarge(deps, admission, result, size) // truncated at the pack's limit
  // A result that reports an error is the provider's.
  if (result.isError) {
    progress.step = 'provider'
    recorder.failed({ message: describeFailure(callable, whole), param: null })
  }
  return {
    result: withRenewalNotice(deps.health, admitted, returned),
    settlement: settlementOf(answered, result),
  }
}

const resumedTask = (
  { acceptedTasks }: CallDeps,
  { admission: { organizationId, userKey } }: Admitted,
  { registeredUserId, resumes }: ToolCall,
): AcceptedTask | null =>
  resumes ? acceptedTasks.resume({ organizationId, id: resumes.taskId, registeredUserId, userKey }) : null

/**
 * A call that the server makes a task of becomes one for its client too, which needs no connection then. An approval and an idempotency key
 * belong to one process, so such a call has to end in its own time.
 */
const serverTaskOf = (deps: CallDeps, call: ToolCall, progress: Progress): ServerTaskOptions | null => {
  const { running } = progress
  if (progress.task)
    return {
      resumes: call.resumes?.serverTaskId ?? null,
      accepted: async () => progress.task?.signal ?? null,
    }
  if (!running.asTask || running.approval || running.idempotencyKey !== null) return null
  return {
    resumes: null,
    accepted: async serverTaskId => {
      progress.task = await deps.acceptedTasks
        .begin(call, running.admission, serverTaskId)
        .catch((error: unknown) => {
          deps.log.error({ error }, 'a call could not become a task')
          return null
        })
      if (progress.task) call.onTask?.(progress.task.id)
      return progress.task?.signal ?? null
    },
  }
}

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
const settlementOf = ({ ms, replayed, failure }: IdempotentAnswer, { isError }: ToolResult): Outcome => {
  if (replayed) return { outcome: 'replayed', errorCode: null, thirdPartyMs: null }
  return isError
    ? { outcome: 'error', errorCode: failure?.code ?? 'third_party_error', thirdPartyMs: ms }
    : { outcome: 'success', errorCode: null, thirdPartyMs: ms }
}

/** Recorded but not counted, because no provider was called. */
const NOT_COUNTED: Outcome = { outcome: 'needs_auth', errorCode: null, thirdPartyMs: null }

const connectedResult = (name: string): Performed => ({
  result: successResult({
    connected: true,
    message: `${name} is connected. List the tools again to see its tools.`,
  }),
  settlement: NOT_COUNTED,
})

const requestAuthentication = async (
  deps: CallDeps,
  admitted: Admitted,
  authRequired: AuthRequired,
): Promise<Performed> => {
  await linkOffer.decide(deps, admitted, authRequired)
  const meta = await linkOffer.apply(deps, admitted, authRequired)
  const { admission, reserved } = admitted
  const held = admission.credential
  const authRequest = {
    meta,
    organizationId: admission.organizationId,
    credential: held && `${held.id}:${held.version}`,
    credentialId: reserved.account === null ? null : reconnectable(admission),
    fixedAccount: admission.fixedAccount,
  }
  return {
    result: authenticateResult(meta),
    authRequest,
    settlement: { ...NOT_COUNTED, errorCode: authRequired.reason },
  }
}

/** An approval is good for one call. A stored answer to the same idempotency key is returned before. */
const requireUnused = ({ approval }: RunningCall): void => {
  if (approval?.kind !== 'used') return
  throw new Refusal('approval_used', {
    message: `This call was approved once and has been carried out as call ${approval.toolCallId}. It was not made again.`,
    retryable: false,
  })
}

const waitForApproval = (
  { baseUrl, vault: { signer } }: CallDeps,
  { admission, callable: { connector }, asTask }: RunningCall,
  pending: WaitingApproval | null,
): Performed => {
  if (!pending) throw new Error('a call that needs an approval has requested it')
  const meta: ApprovalMeta = {
    type: 'approval_meta',
    approval_id: pending.id,
    approval_url: approvalUrl({ baseUrl, signer }, admission, pending),
    expires_at: pending.expiresAt.toISOString(),
    message: `A person must approve this ${connector.name} call. It has not been made. Repeat exactly the same call after the approval; a changed call asks again.`,
  }
  return {
    result: approvalResult(meta),
    approvalRequest: { meta, organizationId: admission.organizationId, asTask, userKey: admission.userKey },
    settlement: { outcome: 'approval_required', errorCode: null, thirdPartyMs: null },
  }
}

/** The result is stored for a task, together with the end of the approval. If this fails, a job ends both as `unknown`. */
const finishTaken = async (
  deps: CallDeps,
  { approval, admission: { organizationId } }: RunningCall,
  performed: Performed,
  requestId: string,
): Promise<void> => {
  if (approval?.kind !== 'taken') return
  const { db, log, vault } = deps
  const taken = { organizationId, id: approval.id }
  const result = resultOf(deps, performed, requestId)
  await finishApproval(db, taken, endOf(performed), tx => completeTaskOf(tx, vault, taken, result)).catch(
    (error: unknown) =>
      log.error({ error, approval_id: approval.id }, 'the end of an approved call could not be recorded'),
  )
}

const resultOf = (
  { baseUrl }: CallDeps,
  ended: CallResult | { refusal: Refusal },
  requestId: string,
): ToolResult =>
  'refusal' in ended
    ? errorResult({ error: { ...errorObject(ended.refusal, requestId, baseUrl) } })
    : ended.result

const endOf = (performed: Performed): ExecutionEnd => {
  if ('refusal' in performed && performed.refusal.carriedOut === 'unknown') return 'unknown'
  return isComplete(performed) || ('refusal' in performed && performed.refusal.carriedOut === 'yes')
    ? 'done'
    : 'failed'
}

const asFailure = (refusal: Refusal): Performed => ({
  refusal,
  settlement: {
    outcome: describeError(refusal.code).outcome ?? 'error',
    errorCode: refusal.code,
    thirdPartyMs: null,
  },
})

const asRefusal = (error: unknown): Refusal => {
  if (error instanceof OAuthError && error.failure.kind === 'certificate_refused')
    return new Refusal('third_party_error', {
      message: `The provider refused the client certificate of this account. The account stays connected. ${RENEW_CERTIFICATE}`,
      cause: error,
      retryable: true,
      carriedOut: 'no',
    })
  if (error instanceof OAuthError) {
    const code = error.failure.kind === 'provider_timeout' ? 'third_party_timeout' : 'third_party_unavailable'
    return new Refusal(code, { cause: error, retryable: true })
  }
  return toRefusal(error)
}
