import { type ApproverType, DEFAULT_APPROVERS } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { similarNames } from '../../core/similar-names.ts'
import type { Queryable } from '../../platform/database/database.ts'
import type { Connectors } from '../connectors/availability.ts'
import { readToolSchemas } from '../connectors/tool-schemas.ts'
import { RAW_REQUEST } from '../upstream/http/raw-request.ts'
import { checkCondition } from './conditions/check-condition.ts'
import type { ConditionIssue, NamedTool } from './conditions/policy.ts'

export type CheckDeps = { db: Queryable; connectors: Connectors }
type CheckedRule = {
  tools: readonly string[]
  when?: string | null
  approvers?: readonly ApproverType[]
  step_up?: boolean
  prevent_self_approval?: boolean
}
/** Why a rule cannot be saved. `param`: the field, such as `tools.0`. */
export type RuleIssue = ConditionIssue & { param: string }

/** Throws if a rule names an unknown tool, if users could approve where only members may, or if its condition is invalid for its tools. `under`: its path in the request body. */
export const checkRule = async (
  deps: CheckDeps,
  organizationId: string,
  rule: CheckedRule,
  under = '',
): Promise<void> => {
  const [issue] = await findRuleIssues(deps, organizationId, rule)
  if (!issue) return
  const { message, position, param } = issue
  throw new Refusal(param === 'when' ? 'invalid_condition' : 'invalid_request', {
    param: `${under}${param}`,
    message: position ? `At character ${position.offset + 1}: ${message}` : message,
  })
}

/** The error of a rule with both or neither. */
export const effectOrHook = (under = ''): Refusal =>
  new Refusal('invalid_request', {
    param: `${under}effect`,
    message: 'A rule has either "effect" or "hook".',
  })

/** Unknown tools and wrong approvers, or else what is invalid in the condition. */
export const findRuleIssues = async (
  deps: CheckDeps,
  organizationId: string,
  { tools, when = null, approvers = DEFAULT_APPROVERS, ...rule }: CheckedRule,
): Promise<RuleIssue[]> => {
  const named: NamedTool[] = []
  const unknown: RuleIssue[] = []
  for (const [position, name] of tools.entries()) {
    if (name === '*') continue
    const found = await toolsNamed(deps, organizationId, name)
    if ('issue' in found) unknown.push({ param: `tools.${position}`, message: found.issue })
    else named.push(...found.tools)
  }
  const ofUsers = approvers.some(approver => approver !== 'members')
    ? OF_MEMBERS.filter(({ param }) => rule[param])
    : []
  const wrong = [...unknown, ...ofUsers]
  // The arguments of unknown tools are not known.
  if (wrong.length > 0 || when === null) return wrong
  const issues = checkCondition(when, { tools: tools.includes('*') ? [] : named })
  return issues.map(issue => ({ ...issue, param: 'when' }))
}

const OF_MEMBERS: (RuleIssue & { param: 'step_up' | 'prevent_self_approval' })[] = [
  {
    param: 'step_up',
    message: 'Only members approve with a passkey: `approvers` must be `["members"]`.',
  },
  {
    param: 'prevent_self_approval',
    message: 'Only members can be told from the user: `approvers` must be `["members"]`.',
  },
]

/** The tools that `gmail__send_email` or `gmail__*` names. */
const toolsNamed = async (
  deps: CheckDeps,
  organizationId: string,
  name: string,
): Promise<{ tools: NamedTool[] } | { issue: string }> => {
  const split = name.indexOf('__')
  const [slug, tool] = [name.slice(0, split), name.slice(split + 2)]
  const tools = await readToolSchemas(deps, organizationId, slug)
  if (!tools) return { issue: `There is no connector with the slug "${slug}".` }
  const chosen = tool === '*' ? tools : tools.filter(each => each.name === name)
  // Raw requests have no schema of their own, and the tools of a server may be unknown until an account is linked.
  if (chosen.length > 0 || tool === '*' || tool === RAW_REQUEST || tools.length === 0)
    return { tools: chosen }
  const similar = similarNames(
    name,
    tools.map(each => each.name),
    3,
  )
  const hint = similar.length > 0 ? ` Similar tools: ${similar.join(', ')}.` : ''
  return { issue: `There is no tool "${name}".${hint}` }
}
