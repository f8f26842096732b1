import type { ErrorCode, ExplainFix, ExplainStepName, Explanation } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { refuseRepeatedScopes } from '../calls/refuse-repeated-scopes.ts'
import { reconnectable, requireAuthenticable, requireOwnAccount } from '../calls/request-authentication.ts'
import type { AuthRequired } from '../calls/resolve-credential.ts'
import { findNamedTool } from '../listing/find-named-tool.ts'
import { admissionRungs } from './admission-rungs.ts'
import { type CallRungDeps, callRungs } from './call-rungs.ts'
import type { ExplainTarget } from './explained-call-store.ts'
import { admittedCall, connectorOf, type Subject } from './explained-subject.ts'
import { type Climbed, climb, type Failure, type Obstacle, toStep } from './ladder.ts'
import { type CallToExplain, readSubject } from './read-subject.ts'

export type ExplainDeps = CallRungDeps & { db: Database }

/**
 * Takes the decisions of a tool call without making it. Every decision comes from the code of the call path; nothing is reserved,
 * counted, recorded, refreshed or sent.
 */
export const explainCall = async (deps: ExplainDeps, request: CallToExplain): Promise<Explanation> => {
  const explained = await explainName(deps, request)
  const found = isUnknownTool(explained) ? await findNamed(deps, request, explained.subject) : null
  if (!found) return describe(explained.subject, explained.climbed)
  if ('refusal' in found) return describe(explained.subject, replaceObstacle(explained.climbed, found))
  const meant = await explainName(deps, { ...request, tool: found.name })
  return describe(meant.subject, meant.climbed)
}

type Explained = { subject: Subject; climbed: Climbed }

const UNKNOWN_TOOL: readonly ExplainStepName[] = ['connector', 'tool', 'tool_definition']

const isUnknownTool = ({ subject: { ownToolOffered }, climbed: { failure } }: Explained): boolean =>
  ownToolOffered === null && failure !== null && UNKNOWN_TOOL.includes(failure.step)

/** A call also finds a tool whose name the client has rewritten, and suggests others. */
const findNamed = async (
  deps: ExplainDeps,
  { organizationId, tool: name, only }: CallToExplain,
  { call: { packId, packServing } }: Subject,
) => packId && findNamedTool(deps, { organizationId, packId, packServing }, { name, only })

const replaceObstacle = ({ steps, failure }: Climbed, obstacle: Obstacle): Climbed => ({
  steps,
  failure: failure && { ...failure, obstacle },
})

const explainName = async (deps: ExplainDeps, request: CallToExplain): Promise<Explained> => {
  const subject = await readSubject(deps, request)
  const who = subject.target.originUserName ?? 'The user'
  const climbed = await climb({
    ...admissionRungs(subject, who),
    ...callRungs(deps, subject, who),
  })
  return { subject, climbed: await replaceImpossibleLink(deps, subject, climbed) }
}

/** A missing connection is an error if the call could not offer a link either. */
const replaceImpossibleLink = async (
  deps: ExplainDeps,
  subject: Subject,
  { steps, failure }: Climbed,
): Promise<Climbed> => {
  if (!failure || !('authRequired' in failure.obstacle)) return { steps, failure }
  const refusal = await findLinkRefusal(deps, subject, failure.obstacle.authRequired)
  if (!refusal) return { steps, failure }
  const fix = LINK_FIXES[refusal.code]
  const { fix: _, ...found } = failure
  const replaced: Failure = {
    ...found,
    summary: `${failure.summary} A link cannot be offered: ${refusal.message}`,
    obstacle: { refusal },
    ...(fix && { fix }),
  }
  return {
    steps: steps.map(step => (step.step === failure.step ? toStep(step.step, replaced) : step)),
    failure: { ...replaced, step: failure.step },
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
  subject: Subject,
  { reason, missingScopes }: AuthRequired,
): Promise<Refusal | null> => {
  const admitted = admittedCall(subject)
  if (!admitted) return null
  const { admission, callable } = admitted
  try {
    requireOwnAccount(admission, callable.connector)
    if (reason === 'insufficient_scope')
      await refuseRepeatedScopes(deps.db, admission, callable.connector, missingScopes ?? [])
    await requireAuthenticable(deps, {
      caller: admission,
      callable,
      reason,
      missing: missingScopes,
      credentialId: reconnectable(admission),
      fixedAccount: admission.fixedAccount,
    })
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

const describe = (subject: Subject, { steps, failure }: Climbed): Explanation => {
  const connector = connectorOf(subject)
  const obstacle = failure?.obstacle ?? null
  const authRequired = obstacle && 'authRequired' in obstacle ? obstacle.authRequired : null
  const refusal = obstacle && 'refusal' in obstacle ? obstacle.refusal : null
  return {
    allowed: failure === null,
    would: failure === null ? 'run' : authRequired ? 'request_authentication' : 'reject',
    first_failed: failure?.step ?? null,
    summary: failure?.summary ?? 'Nothing keeps the call from running.',
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
