import type { Explanation } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { type Caller, callerStore } from '../admission/caller-store.ts'
import { type RecordedRequest, recordOwnCall } from '../calls/record-own-call.ts'
import { EXPLAIN_ACCESS } from '../listing/explain-access-tool.ts'
import { successResult, type ToolResult } from '../results/tool-result.ts'
import { requireActiveCaller } from '../steps/require-caller.ts'
import { dependsOnHook, type ExplainDeps, explainCall } from './explain-call.ts'

type AccessCall = Caller &
  RecordedRequest & {
    args: Record<string, unknown>
    /** `?connectors=a,b` */
    only: string[] | null
  }

/**
 * The tool `explain_access`: explains a tool for the calling user. Recorded but not counted. Without the pack's setting, the tool does
 * not exist.
 */
export const explainAccess = async (deps: ExplainDeps, call: AccessCall): Promise<ToolResult> => {
  const caller = requireActiveCaller(await callerStore.find(deps.db, call))
  if (!caller.packExplainAccess) throw new Refusal('tool_not_found', { param: 'name' })
  const explanation = await explainCall(deps, {
    organizationId: caller.organizationId,
    mode: caller.mode,
    user: { registeredUserId: caller.userId },
    toolPackId: caller.packId,
    tool: readTool(call.args),
    args: null,
    only: call.only,
    requestId: call.requestId,
  })
  await recordOwnCall(deps.db, caller, call, { tool: EXPLAIN_ACCESS })
  return successResult(describeToModel(explanation))
}

const MAX_NAME_LENGTH = 128

const readTool = ({ tool, ...others }: Record<string, unknown>): string => {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw invalid(unknown.slice(0, MAX_NAME_LENGTH), 'is not an argument of this tool')
  if (typeof tool !== 'string' || tool === '' || tool.length > MAX_NAME_LENGTH)
    throw invalid('tool', 'must be the name of a tool')
  return tool
}

const invalid = (param: string, why: string): Refusal =>
  new Refusal('invalid_arguments', { param, message: `"${param}" ${why}.` })

/** Only what a call of the tool would return to this user as well: no settings of the organization, no rules. */
const describeToModel = ({
  allowed,
  would,
  first_failed: step,
  error,
  authentication,
  tool,
  steps,
}: Explanation) => ({
  tool,
  works: allowed,
  would,
  first_failed: step,
  summary: allowed
    ? dependsOnHook(steps)
      ? 'Whether the tool works is decided when it is called. Nothing else prevents it from working for this user.'
      : 'Nothing prevents the tool from working for this user.'
    : (error?.message ?? steps.find(each => each.step === step)?.summary ?? ''),
  ...(authentication && { connector: authentication.connector, reason: authentication.reason }),
  ...(authentication?.missing_scopes && { missing_scopes: authentication.missing_scopes }),
  ...(error && { error_code: error.code }),
  ...(error?.retry_after_seconds !== undefined && { retry_after_seconds: error.retry_after_seconds }),
  fix: allowed ? null : fixFor(tool, would, error),
})

const fixFor = (tool: string, would: Explanation['would'], error: Explanation['error']): string => {
  if (would === 'request_authentication')
    return `Call ${tool}. It returns a link. Give the link to the user, and call again once the account is connected.`
  if (error?.retry_after_seconds !== undefined) return `Call again in ${error.retry_after_seconds} s.`
  if (error?.code === 'tool_not_found') return 'Use one of the listed tools.'
  return 'Only an administrator of this application can change this.'
}
