import type { PendingChange } from '../../connectors/mcp-servers/describe-tools.ts'
import { INLINE_BUDGET, type SchemaCheck } from '../../upstream/json-schema/check.ts'
import { prepareInlineCheck } from '../../upstream/json-schema/parse-schema.ts'

/** Why a pending definition rejects recorded arguments. */
export type Rejection = { param: string | null; message: string }
export type ArgumentsVerdict = 'accepted' | 'not_checked' | Rejection

type Definition = PendingChange['pending'][number]

/** Checks recorded arguments against pending definitions. Each definition is prepared once. */
export const createPendingCheck = ({ accepted, pending }: Pick<PendingChange, 'accepted' | 'pending'>) => {
  const before = new Map(accepted.map(tool => [tool.name, tool]))
  const next = new Map(pending.map(tool => [tool.name, tool]))
  const checks = new Map<string, SchemaCheck | null>()
  return (name: string, args: Record<string, unknown>): ArgumentsVerdict => {
    const tool = next.get(name)
    if (!tool)
      return before.has(name)
        ? { param: null, message: 'The server no longer lists this tool.' }
        : 'not_checked'
    const check = checks.get(name) ?? prepareInlineCheck(tool.inputSchema, { trusted: false })
    checks.set(name, check)
    const issues = check?.(args, INLINE_BUDGET) ?? null
    if (!check || issues === 'too_expensive') return 'not_checked'
    if (!issues) return 'accepted'
    const [issue] = issues
    const param = [...issue.path, ...(issue.name === undefined ? [] : [issue.name])].join('/') || null
    return { param, message: describeIssue(before.get(name), tool, args, param, issue.message) }
  }
}

const describeIssue = (
  before: Definition | undefined,
  next: Definition,
  args: Record<string, unknown>,
  param: string | null,
  message: string,
): string =>
  describeRename(before, next, args, param) ??
  (param === null ? `The arguments ${message}.` : `\`${param}\` ${message}.`)

/** An input that disappeared while exactly one of the same type is new was most likely renamed. */
const describeRename = (
  before: Definition | undefined,
  next: Definition,
  args: Record<string, unknown>,
  param: string | null,
): string | null => {
  const [old, current] = [inputsOf(before), inputsOf(next)]
  const removed = Object.keys(old).filter(name => !Object.hasOwn(current, name))
  const added = Object.keys(current).filter(name => !Object.hasOwn(old, name))
  const [from] = removed
  const [to] = added
  if (from === undefined || to === undefined || removed.length > 1 || added.length > 1) return null
  const isSameType = typeOf(old[from]) === typeOf(current[to])
  if (!isSameType || !Object.hasOwn(args, from) || (param !== from && param !== to)) return null
  return `\`${from}\` was renamed to \`${to}\`.`
}

const inputsOf = (tool: Definition | undefined): Record<string, unknown> => {
  const properties = tool?.inputSchema['properties']
  return typeof properties === 'object' && properties !== null ? (properties as Record<string, unknown>) : {}
}

const typeOf = (schema: unknown): string =>
  JSON.stringify((schema as { type?: unknown } | null | undefined)?.type ?? null)
