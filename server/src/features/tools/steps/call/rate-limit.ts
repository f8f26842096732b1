import { rateRefusal } from '../../../metering/limits/limits.ts'
import { fixBy } from '../admission/admission-step.ts'
import { type CallStep, refusalIn } from './call-step.ts'

/** The user's rate limit allows a call now. The admission has taken a token, if there was one. */
export const rateLimitStep: CallStep = {
  name: 'rate_limit',
  phase: 'admission',
  decide: (_, { admission, callable }) => {
    const refusal = callable.kind === 'authenticate' ? null : rateRefusal(admission)
    return refusal && { refusal }
  },
  explain: ({ admission, callable, subject: { who } }, obstacle) => {
    const { rateLimitPerMinute: limit, rateLeft } = admission
    if (callable.kind === 'authenticate' || limit === null)
      return { summary: `${who} has no rate limit for this call.` }
    const seconds = refusalIn(obstacle)?.retryAfterSeconds
    if (seconds === undefined)
      return {
        summary: `${who} may make ${limit} calls per minute.`,
        detail: { limit, remaining: rateLeft ?? 0 },
      }
    return {
      summary: `${who} has used all ${limit} calls for this minute.`,
      detail: { limit, remaining: 0, retry_after_seconds: seconds },
      fix: fixBy('wait', `Call again in ${seconds} s.`),
    }
  },
}
