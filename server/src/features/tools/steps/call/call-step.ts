import type { ApprovalPreview, ExplainStepName } from '@carabiner/contract'
import type { Refusal } from '../../../../core/refusal.ts'
import type { IsolatedPool } from '../../../../platform/isolation/isolated-pool.ts'
import type { WaitingApproval } from '../../../approvals/request-approval.ts'
import type { RefreshDeps } from '../../../credentials/refresh-credential.ts'
import type { PolicyVerdict } from '../../../policies/decide-call.ts'
import type { PolicyHooks } from '../../../policies/hooks/policy-hooks.ts'
import type { PolicyReader } from '../../../policies/policy-reader.ts'
import type { Gate, RecordedViolation } from '../../../rules/gate.ts'
import type { RuleCache } from '../../../rules/rule-cache.ts'
import type { ToolArguments } from '../../../upstream/http/http-tool.ts'
import type { CallAdmission } from '../../admission/admission-rows.ts'
import type { CallableTool } from '../../admission/callable-tool.ts'
import type { CallPhase } from '../../observation/call-phases.ts'
import type { StepText } from '../admission/admission-step.ts'
import type { Subject } from '../admission/subject.ts'
import type { Access, AuthRequired } from './access.ts'
import type { ArgumentCheck } from './argument-check.ts'

/** What keeps a call from running: an error, a missing connection, or a missing approval. Explain makes no request, so it has none. */
export type Obstacle =
  | { refusal: Refusal }
  | { authRequired: AuthRequired }
  | { approvalRequired: WaitingApproval | null }

/** Null: the call passes. */
export type Decision = Obstacle | null

/** What decisions need: nothing that could refresh a token or call a provider. */
export type DecisionDeps = Pick<RefreshDeps, 'db' | 'connectors' | 'apps' | 'vault' | 'log'> & {
  ruleCache: RuleCache
  policies: PolicyReader
  isolated: IsolatedPool
  checkArguments: ArgumentCheck
}
/** Reads at the provider what the arguments of a call refer to. Null: the tool has no preview. It does not throw. */
export type PreviewReader = (call: CallState) => (() => Promise<ApprovalPreview[]>) | null

export type EffectDeps = DecisionDeps &
  RefreshDeps & { previewOf: PreviewReader; policyHooks: PolicyHooks; taskApprovalHours: number }

/** An admitted call, and what its steps have prepared for later ones. */
export type CallState = {
  readonly admission: CallAdmission
  readonly callable: CallableTool
  /** The arguments of the tool, without the name of the account. Null: Explain was given none. */
  readonly args: ToolArguments | null
  readonly requestId: string
  /** Null: Explain, which knows no key. */
  readonly keyHash: Buffer | null
  /** Matches of the security rules so far. */
  readonly violations: RecordedViolation[]
  /** The security rules as of the admission. */
  gate: Gate | null
  /** The arguments after the security rules, with the values that the pack fixes. */
  argumentsToSend: ToolArguments | null
  access: Access | null
  /** What the policies have decided, from the step `policy_hooks` on with their hooks. Null: there are none. */
  policy: PolicyVerdict | null
}
export type RunningCall = CallState & {
  readonly callId: string
  readonly idempotencyKey: string | null
  /** The call becomes a task if it waits for an approval, or if its server makes a task of it. */
  readonly asTask: boolean
  /** The server has made a task of the call, in another process. */
  readonly isMade: boolean
  /** Null: the policy does not ask about the call. `used`: the same call was carried out already. */
  approval: { kind: 'taken'; id: string } | { kind: 'used'; toolCallId: string } | null
}
export type ExplainedCall = CallState & { readonly subject: Subject }

/**
 * One decision of a call after its admission. A call takes the decision and then the effect; Explain takes the decision and then foresees
 * the effect. Both throw refusals of functions that they use, or return an obstacle.
 */
export type CallStep = {
  name: ExplainStepName
  phase: CallPhase
  /** Reads at most, and changes nothing but the state of the call. */
  decide?: (deps: DecisionDeps, call: CallState) => Decision | Promise<Decision>
  /** For a decision that only the change itself can take: another call may take the last allowance, a provider may reject a refresh. */
  effect?: {
    apply: (deps: EffectDeps, call: RunningCall) => Decision | Promise<Decision>
    /** Whether `apply` would end the call, as far as it can be known without a change. */
    foresee: (deps: DecisionDeps, call: ExplainedCall) => Decision | Promise<Decision>
  }
  explain: (call: ExplainedCall, obstacle: Decision) => StepText
}

export const refusalIn = (obstacle: Decision): Refusal | null =>
  obstacle && 'refusal' in obstacle ? obstacle.refusal : null

export const authRequiredIn = (obstacle: Decision): AuthRequired | null =>
  obstacle && 'authRequired' in obstacle ? obstacle.authRequired : null
