import { digestOfCall } from '../../../approvals/frozen-call.ts'
import { type ApprovedCall, findApproved } from '../../../approvals/request-approval.ts'
import { type PolicyVerdict, settleHooks } from '../../../policies/decide-call.ts'
import type { HookAnswers } from '../../../policies/hooks/hook-answer.ts'
import { notChecked } from '../admission/admission-step.ts'
import type { CallStep, Decision, EffectDeps, RunningCall } from './call-step.ts'
import { freezeCall } from './freeze-call.ts'
import { denied, endApprovalsOf } from './policy.ts'

/** The endpoints of the organization that decide about the call instead of a rule’s effect. They see the call as it would be sent. */
export const policyHooksStep: CallStep = {
  name: 'policy_hooks',
  phase: 'credential',
  effect: {
    apply: (deps, call) =>
      call.policy && call.policy.undecided.length > 0 ? askHooks(deps, call, call.policy) : null,
    foresee: () => null,
  },
  explain: ({ policy }) => {
    const names = policy?.undecided.map(({ name }) => `“${name}”`) ?? []
    if (names.length === 0) return { summary: 'No hook decides about the call.' }
    return notChecked(
      names.length === 1
        ? `The hook of the rule ${names[0]} decides. It is asked only in a call.`
        : `The hooks of the rules ${names.join(', ')} decide. They are asked only in a call.`,
    )
  },
}

const askHooks = async (deps: EffectDeps, call: RunningCall, policy: PolicyVerdict): Promise<Decision> => {
  const { call: frozen, originUserId } = await freezeCall(deps.db, call)
  const approved = await findApproved(deps, { call: frozen, idempotencyKey: call.idempotencyKey })
  const answers = await deps.policyHooks.ask(
    {
      stage: approved ? 'execution' : 'request',
      organization_id: frozen.organizationId,
      mode: frozen.mode,
      registered_user: { id: frozen.registeredUserId, origin_user_id: originUserId },
      tool_pack_id: frozen.toolPackId,
      connector: frozen.connector,
      tool: frozen.tool,
      account_label: call.admission.credential?.label ?? null,
      arguments: frozen.arguments,
      call_digest: digestOfCall(frozen).toString('hex'),
    },
    policy.undecided,
  )
  const verdict = settleHooks(policy, approved ? stillAsking(answers, policy, approved) : answers)
  call.policy = verdict
  if (verdict.effect !== 'deny') return null
  const isRetryable = isByFallback(verdict, answers)
  if (!isRetryable) await endApprovalsOf(deps, call)
  return { refusal: denied(verdict, { isRetryable }) }
}

/** Whether the call is denied only because hooks have not answered, which they may do at the next attempt. */
const isByFallback = ({ rule }: PolicyVerdict, answers: HookAnswers): boolean =>
  rule !== null && [...answers.values()].every(({ effect, isFallback }) => effect !== 'deny' || isFallback)

/** A hook that has asked, and now allows the call, still asks: the call uses up its approval. */
const stillAsking = (
  answers: HookAnswers,
  { undecided }: PolicyVerdict,
  { rules }: ApprovedCall,
): HookAnswers => {
  const hasAsked = (id: string): boolean =>
    rules.some(({ name }) => undecided.some(rule => rule.id === id && rule.name === name))
  return new Map(
    Array.from(answers, ([id, answer]) => [
      id,
      answer.effect === 'allow' && hasAsked(id) ? { ...answer, effect: 'ask' } : answer,
    ]),
  )
}
