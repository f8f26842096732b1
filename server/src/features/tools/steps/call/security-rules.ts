import type { ExplainDetail } from '@carabiner/contract'
import { Refusal } from '../../../../core/refusal.ts'
import { openGate, type RecordedViolation } from '../../../rules/gate.ts'
import type { ToolArguments } from '../../../upstream/http/http-tool.ts'
import { argumentsToSend } from '../../admission/callable-tool.ts'
import { fixBy, notChecked } from '../admission/admission-step.ts'
import { type CallState, type CallStep, type DecisionDeps, refusalIn } from './call-step.ts'

/** No rule blocks the arguments. Prepares the arguments to send, and the gate that progress and result pass later. */
export const securityRulesStep: CallStep = {
  name: 'security_rules',
  phase: 'argument_rules',
  decide: async (deps, call) => {
    if (!call.args) return null
    const gate = await openGateOf(deps, call)
    const passed = (await gate.passAny('inbound', call.args)) as ToolArguments
    if (passed !== call.args) await requireAcceptable(deps, call, passed)
    call.gate = gate
    call.argumentsToSend = argumentsToSend(call.callable, passed)
    return null
  },
  explain: ({ args, violations }, obstacle) => {
    if (!args) return notChecked('No arguments were given.')
    const matches = matchesOf(violations)
    const refusal = refusalIn(obstacle)
    if (refusal)
      return {
        summary: refusal.message,
        detail: { matches },
        fix: fixBy('change_arguments', 'Remove the data that the rule does not allow.'),
      }
    const redacted = violations.some(({ action, dry_run: dryRun }) => action === 'redact' && !dryRun)
    return {
      summary: redacted
        ? 'A security rule replaces part of the arguments.'
        : 'The security rules allow the arguments.',
      detail: { redacted, matches },
    }
  },
}

/** The rules as of the admission of the call. */
const openGateOf = async (
  { ruleCache, isolated, log }: DecisionDeps,
  { admission, requestId, violations }: CallState,
) => {
  const owner = { organizationId: admission.organizationId, toolPackId: admission.packId }
  const onFault = (error: unknown) =>
    log.error({ request_id: requestId, error }, 'the security rules could not be applied')
  const rules = await ruleCache.rulesFor(owner, admission.rulesHash)
  return openGate(rules, { isolated, organizationId: owner.organizationId, onFault, violations })
}

/** A placeholder may not match the input schema (a number, an enum). Such arguments are not sent. */
const requireAcceptable = async (
  { checkArguments }: DecisionDeps,
  { admission, callable }: CallState,
  redacted: ToolArguments,
): Promise<void> => {
  try {
    await checkArguments(admission.organizationId, callable, redacted)
  } catch (error) {
    throw new Refusal('security_rule_blocked', {
      message:
        'A security rule fired: part of the arguments has to be redacted, and the tool does not accept the redacted value. The call was not made. Leave the value out and call again.',
      retryable: false,
      cause: error,
    })
  }
}

const matchesOf = (violations: RecordedViolation[]): NonNullable<ExplainDetail['matches']> =>
  violations.map(({ entity, action, count }) => ({ entity, action, count }))
