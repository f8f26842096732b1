import { Refusal } from '../../../../core/refusal.ts'
import { fixBy } from '../admission/admission-step.ts'
import type { CallStep } from './call-step.ts'

/** The Tool Pack has calls left on this day (UTC). The admission has reserved one, if there was one. */
export const dailyLimitStep: CallStep = {
  name: 'daily_limit',
  phase: 'admission',
  decide: (_, { admission: { dailyCallLimit, dailyLeft, dailyResetsAt }, callable }) => {
    if (callable.kind === 'authenticate' || dailyLeft === null || dailyLeft > 0) return null
    const resumesAt = dailyResetsAt.toISOString()
    const message = `This Tool Pack allows ${dailyCallLimit} ${dailyCallLimit === 1 ? 'call' : 'calls'} per day. Calls resume at ${resumesAt}.`
    return { refusal: new Refusal('daily_limit_reached', { message, resumesAt }) }
  },
  explain: ({ admission, callable }, obstacle) => {
    const { mode, dailyCallLimit: limit, dailyLeft: left, dailyResetsAt } = admission
    if (callable.kind === 'authenticate' || limit === null || left === null)
      return {
        summary: mode === 'test' ? 'Test calls have no daily limit.' : 'The Tool Pack has no daily limit.',
      }
    const resetsAt = dailyResetsAt.toISOString()
    const detail = { limit, remaining: left, resets_at: resetsAt }
    if (!obstacle) return { summary: `${left} of ${limit} calls of the Tool Pack remain today.`, detail }
    return {
      summary: `The Tool Pack has used all ${limit} calls for today.`,
      detail,
      fix: fixBy('update_tool_pack', `Raise the daily limit of the Tool Pack, or wait until ${resetsAt}.`),
    }
  },
}
