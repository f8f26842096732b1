import type { ExplainDetail } from '@carabiner/contract'
import { Refusal } from '../../../../core/refusal.ts'
import { endDenied } from '../../../approvals/end-denied.ts'
import { NO_POLICY } from '../../../policies/conditions/policy-cache.ts'
import { decideCall, isAlwaysDenied, type PolicyVerdict } from '../../../policies/decide-call.ts'
import { fixBy, notChecked, type StepText } from '../admission/admission-step.ts'
import { ownServer } from './access.ts'
import { callFactsStore } from './call-facts-store.ts'
import {
  type CallState,
  type CallStep,
  type Decision,
  type DecisionDeps,
  type EffectDeps,
  type RunningCall,
  refusalIn,
} from './call-step.ts'
import { type CountCalls, countOnly, reserveAndCount } from './count-calls.ts'
import { readPolicyFacts, toolsOfPolicy } from './policy-facts.ts'

/** The policies of the organization and of the Tool Pack allow the call. Rules see the arguments as they would be sent. */
export const policyStep: CallStep = {
  name: 'policy',
  phase: 'argument_rules',
  effect: {
    apply: async (deps, call) => {
      const decision = await decidePolicies(deps, call, reserveAndCount)
      if (decision) await endApprovalsOf(deps, call)
      return decision
    },
    foresee: (deps, call) => decidePolicies(deps, call, countOnly),
  },
  explain: ({ args, policy }, obstacle) => {
    const refusal = refusalIn(obstacle)
    if (refusal) return describeDenial(refusal.message, policy)
    if (!policy) return { summary: 'No policy applies to the call.' }
    if (!args) return notChecked('No arguments were given, which decide whether the policy allows the call.')
    return { summary: summaryOf(policy), detail: detailOf(policy) }
  },
}

const decidePolicies = async <Call extends CallState>(
  deps: DecisionDeps,
  call: Call,
  countCalls: CountCalls<Call>,
): Promise<Decision> => {
  const {
    organizationId,
    packId,
    organizationPolicyHash: organization,
    packPolicyHash: pack,
  } = call.admission
  if ((organization === NO_POLICY && pack === NO_POLICY) || call.callable.kind === 'authenticate') return null
  const owner = { organizationId, toolPackId: packId }
  const policies = await deps.policies.policiesFor(owner, { organization, pack })
  const tools = toolsOfPolicy(call)
  const counts = await countCalls(deps, call, policies, tools)
  const facts = { ...(await readPolicyFacts(deps.db, call, policies, tools)), ...(counts && { counts }) }
  // Without arguments, Explain knows only what applies to every call.
  const isUndecided = call.args === null && !isAlwaysDenied(policies, facts)
  const verdict = decideCall(policies, facts)
  call.policy = verdict
  if (verdict?.effect !== 'deny' || isUndecided || waitsForAccount(call, verdict)) return null
  return { refusal: denied(verdict) }
}

/**
 * A rule about the account cannot be evaluated before the user has connected one. The next step ends such a call, and the rule decides once
 * there is an account.
 */
const waitsForAccount = ({ admission, callable }: CallState, { matched, failed }: PolicyVerdict): boolean =>
  admission.credential === null &&
  ownServer(callable) === null &&
  failed.length > 0 &&
  matched.every(match => match.effect !== 'deny' || failed.includes(match))

const OWNERS = { organization: 'The organization’s policy', tool_pack: 'The Tool Pack’s policy' }

export const denied = (
  { rule, of }: PolicyVerdict,
  { isRetryable = false }: { isRetryable?: boolean } = {},
): Refusal => {
  const why = rule ? ` (rule “${rule.name}”)${rule.reason ? `: ${rule.reason}` : ''}` : ' by default'
  const message = `${OWNERS[of]} denies this call${why}`
  return new Refusal('policy_denied', {
    message: `${/[.!?]$/.test(message) ? message : `${message}.`} The call was not made. ${isRetryable ? 'Try again later.' : 'Do not repeat it unchanged.'}`,
    retryable: isRetryable,
  })
}

/** The policy denies the call: its approvals must not be used if the policy is loosened later. */
export const endApprovalsOf = async (
  deps: EffectDeps,
  { admission, callable, argumentsToSend, keyHash }: RunningCall,
): Promise<void> => {
  const { organizationId, userId, packId, userKey } = admission
  if (!argumentsToSend) throw new Error('the steps before the policy have prepared the arguments')
  const facts = { organizationId, userId, credentialId: null, keyHash }
  await endDenied(deps, {
    organizationId,
    registeredUserId: userId,
    toolPackId: packId,
    connectorSlug: callable.connector.slug,
    tool: callable.name.slice(callable.connector.slug.length + 2),
    arguments: argumentsToSend,
    userKey,
    readCallerId: async () => (await callFactsStore.read(deps.db, facts))?.clientId ?? null,
  })
}

const describeDenial = (summary: string, policy: PolicyVerdict | null): StepText => ({
  summary,
  ...(policy && { detail: detailOf(policy) }),
  fix: fixBy('change_policy', 'Change the call, or the rule of the policy if it is wrong.'),
})

const summaryOf = ({ effect, undecided }: PolicyVerdict): string => {
  if (effect === 'ask') return 'The policy asks about the call.'
  return undecided.length > 0 ? 'A hook of the policy decides about the call.' : 'The policy allows the call.'
}

const detailOf = ({ matched, failed }: PolicyVerdict): ExplainDetail => ({
  policy_rules: [...new Set([...matched, ...failed])].map(rule => ({
    id: rule.id,
    name: rule.name,
    effect: rule.effect,
    status: failed.includes(rule) ? 'failed' : 'matched',
  })),
})
