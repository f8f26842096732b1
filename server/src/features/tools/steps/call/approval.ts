import { type AskingRule, decidersOf, type UsersOfCall } from '../../../approvals/deciders.ts'
import { requestApproval } from '../../../approvals/request-approval.ts'
import type { PolicyVerdict } from '../../../policies/decide-call.ts'
import { notChecked } from '../admission/admission-step.ts'
import type { CallState, CallStep, Decision, EffectDeps, RunningCall } from './call-step.ts'
import { freezeCall } from './freeze-call.ts'

/** A person has approved exactly this call, if a policy asks about it. */
export const approvalStep: CallStep = {
  name: 'approval',
  phase: 'credential',
  effect: {
    apply: async (deps, call) => (isAsked(call) && !call.isMade ? askAbout(deps, call, call.policy) : null),
    foresee: (_deps, call) => (isAsked(call) && call.args ? { approvalRequired: null } : null),
  },
  explain: (call, obstacle) => {
    if (obstacle) return { summary: 'The policy asks about the call: it runs once a person has approved it.' }
    if (call.policy && call.policy.undecided.length > 0)
      return notChecked('A hook decides whether the call needs an approval.')
    if (isAsked(call)) return notChecked('No arguments were given, which an approval depends on.')
    return { summary: 'The call needs no approval.' }
  },
}

const isAsked = (call: CallState): call is CallState & { policy: PolicyVerdict } =>
  call.policy?.effect === 'ask'

const askAbout = async (deps: EffectDeps, call: RunningCall, policy: PolicyVerdict): Promise<Decision> => {
  const { call: frozen, shown, users } = await freezeCall(deps.db, call)
  call.argumentsToSend = frozen.arguments
  const answer = await requestApproval(deps, {
    call: frozen,
    shown,
    preview: deps.previewOf(call),
    accountLabel: call.admission.credential?.label ?? null,
    fileToolHash: call.callable.kind === 'http' ? frozen.definition : null,
    rules: rulesThatAsk(policy, users),
    callId: call.callId,
    idempotencyKey: call.idempotencyKey,
    taskHours: call.asTask ? deps.taskApprovalHours : null,
    userKey: call.admission.userKey,
  })
  if (answer.kind === 'waiting') return { approvalRequired: answer.approval }
  call.approval = answer
  return null
}

const rulesThatAsk = ({ matched }: PolicyVerdict, users: UsersOfCall): AskingRule[] =>
  matched
    .filter(({ effect }) => effect === 'ask')
    .map(({ name, approvers, stepUp = false, preventsSelfApproval = false, reason = null }) => ({
      name,
      reason,
      approvers: decidersOf(approvers, users),
      stepUp,
      preventsSelfApproval,
    }))
