import type { ErrorCode, ExplainFix, Explanation } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { ExplainTarget } from '../admission/admission-preview-store.ts'
import { linkOffer } from '../calls/offer-link.ts'
import { findNamedTool } from '../listing/find-named-tool.ts'
import { connectorOf, type Subject } from '../steps/admission/subject.ts'
import type { AuthRequired } from '../steps/call/access.ts'
import {
  authRequiredIn,
  type Decision,
  type DecisionDeps,
  type ExplainedCall,
  refusalIn,
} from '../steps/call/call-step.ts'
import { TOOL_STEPS } from '../steps/steps.ts'
import { type Failure, type Foreseen, foreseeSteps, toStep } from './foresee-steps.ts'
import { type CallToExplain, readSubject } from './read-subject.ts'

export type ExplainDeps = DecisionDeps

/**
 * Takes the decisions of a tool call without making it: the steps of the call, without their effects. Nothing is reserved, counted,
 * recorded, refreshed or sent.
 */
export const explainCall = async (deps: ExplainDeps, request: CallToExplain): Promise<Explanation> => {
  const explained = await explainName(deps, request)
  const found = isUnknownTool(explained) ? await findNamed(deps, request, explained.subject) : null
  if (!found) return describe(explained)
  if ('refusal' in found) {
    const failure = explained.failure && { ...explained.failure, obstacle: found }
    return describe({ ...explained, failure })
  }
  return describe(await explainName(deps, { ...request, tool: found.name }))
}

type Explained = Foreseen & { subject: Subject }

const isUnknownTool = ({ subject: { ownToolOffered }, failure }: Explained): boolean =>
  ownToolOffered === null && TOOL_STEPS.some(({ name }) => name === failure?.step)

/** A call also finds a tool whose name the client has rewritten, and suggests others. */
const findNamed = async (
  deps: ExplainDeps,
  { organizationId, tool: name, only }: CallToExplain,
  { preview: { packId, packServing } }: Subject,
) => packId && findNamedTool(deps, { organizationId, packId, packServing }, { name, only })

const explainName = async (deps: ExplainDeps, request: CallToExplain): Promise<Explained> => {
  const subject = await readSubject(deps, request)
  const foreseen = await foreseeSteps(deps, subject, request.requestId)
  return { subject, ...(await replaceImpossibleLink(deps, foreseen)) }
}

/** A missing connection is an error if the call could not offer a link either. */
const replaceImpossibleLink = async (deps: ExplainDeps, foreseen: Foreseen): Promise<Foreseen> => {
  const { steps, failure, call } = foreseen
  const authRequired = authRequiredIn(failure?.obstacle ?? null)
  const refusal = call && authRequired && (await findLinkRefusal(deps, call, authRequired))
  if (!failure || !refusal) return foreseen
  const { fix: _, summary, ...text } = failure.text
  const fix = LINK_FIXES[refusal.code]
  const replaced: Failure = {
    step: failure.step,
    text: {
      ...text,
      summary: `${summary} A link cannot be offered: ${refusal.message}`,
      ...(fix && { fix }),
    },
    obstacle: { refusal },
  }
  return {
    steps: steps.map(step =>
      step.step === failure.step ? toStep(step.step, replaced.text, replaced.obstacle) : step,
    ),
    failure: replaced,
    call,
  }
}

const LINK_FIXES: { [code in ErrorCode]?: ExplainFix } = {
  code_mode_required: {
    action: 'set_runtime_callback_url',
    label: 'Set the organization’s runtime_callback_url.',
  },
  unauthorized_origin: {
    action: 'allow_origin',
    label: 'Add the origin of the runtime_callback_url to the allowed callback origins.',
  },
  connector_not_configured: {
    action: 'configure_connector',
    label: 'Configure an OAuth app for the Connector.',
  },
  third_party_forbidden: {
    action: 'check_permissions',
    label: 'Check which permissions the account allows, then disconnect it and connect it again.',
  },
}

const findLinkRefusal = async (
  deps: ExplainDeps,
  call: ExplainedCall,
  authRequired: AuthRequired,
): Promise<Refusal | null> => {
  try {
    await linkOffer.decide(deps, call, authRequired)
    await linkOffer.foresee(deps, call, authRequired)
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

const describe = ({ subject, steps, failure }: Explained): Explanation => {
  const connector = connectorOf(subject)
  const obstacle = failure?.obstacle ?? null
  const authRequired = authRequiredIn(obstacle)
  const refusal = refusalIn(obstacle)
  return {
    allowed: failure === null,
    would: wouldOf(obstacle),
    first_failed: failure?.step ?? null,
    summary: failure?.text.summary ?? summaryOf(steps),
    error: refusal && describeRefusal(refusal),
    authentication:
      authRequired && connector
        ? {
            connector: connector.slug,
            reason: authRequired.reason,
            ...(authRequired.missingScopes && { missing_scopes: authRequired.missingScopes }),
          }
        : null,
    tool: subject.name,
    connector: connector && { slug: connector.slug, name: connector.name },
    ...describeTarget(subject.target),
    steps,
  }
}

const summaryOf = (steps: Explanation['steps']): string =>
  dependsOnHook(steps)
    ? 'A hook of the policy decides when the call is made. Nothing else prevents it from running.'
    : 'Nothing prevents the call from running.'

/** Whether a hook decides about the call, which Explain does not ask. */
export const dependsOnHook = (steps: Explanation['steps']): boolean =>
  steps.some(({ detail }) => detail?.policy_rules?.some(({ effect }) => effect === null))

const wouldOf = (obstacle: Decision): Explanation['would'] => {
  if (!obstacle) return 'run'
  if ('authRequired' in obstacle) return 'request_authentication'
  return 'approvalRequired' in obstacle ? 'request_approval' : 'reject'
}

const describeRefusal = ({
  code,
  message,
  param,
  retryable,
  retryAfterSeconds,
}: Refusal): Explanation['error'] => ({
  code,
  message,
  ...(param !== undefined && { param }),
  ...(retryable !== undefined && { retryable }),
  ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
})

const describeTarget = (target: ExplainTarget): Pick<Explanation, 'registered_user' | 'tool_pack'> => {
  const { userId, userMode, originUserId, originUserName, packId, packName } = target
  return {
    registered_user:
      userId === null || userMode === null || originUserId === null
        ? null
        : { id: userId, origin_user_id: originUserId, origin_user_name: originUserName, mode: userMode },
    tool_pack: packId === null || packName === null ? null : { id: packId, name: packName },
  }
}
