import { Refusal } from '../../../../core/refusal.ts'
import { takeAllowance } from '../../../metering/limits/limits.ts'
import { fixBy } from '../admission/admission-step.ts'
import type { CallStep, Decision } from './call-step.ts'

const decideBy = (isLeft: boolean): Decision =>
  isLeft ? null : { refusal: new Refusal('billing_limit_reached') }

/** Calls remain in the billing cycle. The admission has reserved one, unless the slot of this process was empty. */
export const planLimitStep: CallStep = {
  name: 'plan_limit',
  phase: 'admission',
  effect: {
    apply: ({ db }, { admission, callable, callId }) => {
      if (callable.kind === 'authenticate' || admission.cycle === null || admission.slot !== null) return null
      return takeAllowance(db, admission.organizationId, callId).then(decideBy)
    },
    foresee: (_, { callable, subject }) => {
      const { planLeft } = subject.preview
      return callable.kind === 'authenticate' || planLeft === null ? null : decideBy(planLeft > 0)
    },
  },
  explain: ({ callable, subject: { preview } }, obstacle) => {
    const { mode, callLimit, planLeft, cycleEndsAt } = preview
    if (callable.kind === 'authenticate' || planLeft === null)
      return {
        summary:
          mode === 'test' ? 'Test calls are not limited by the plan.' : 'The plan does not limit this call.',
      }
    const resetsAt = cycleEndsAt?.toISOString()
    const detail = {
      ...(callLimit !== null && { limit: callLimit }),
      remaining: Math.max(0, planLeft),
      ...(resetsAt !== undefined && { resets_at: resetsAt }),
    }
    if (!obstacle)
      return { summary: `${planLeft} of ${callLimit} calls remain in this billing cycle.`, detail }
    return {
      summary: `The organization has used all ${callLimit} calls of this billing cycle.`,
      detail,
      fix: fixBy('raise_plan_limit', `Ask the operator for a higher limit, or wait until ${resetsAt}.`),
    }
  },
}
