import { hash } from 'node:crypto'
import { isObject } from '../../../../core/json/object.ts'
import { Refusal } from '../../../../core/refusal.ts'
import { rankNames } from '../../../../core/similar-names.ts'
import { capacityExceeded } from '../../../../edge/capacity-exceeded.ts'
import { IsolatedError, type IsolatedPool } from '../../../../platform/isolation/isolated-pool.ts'
import {
  type ChoiceProblem,
  findChoiceProblem,
  findForbiddenInput,
  withFixed,
} from '../../../connectors/catalog/tool-choice.ts'
import type { ToolArguments } from '../../../upstream/http/http-tool.ts'
import { checkRawRequest } from '../../../upstream/http/raw-request.ts'
import { INLINE_BUDGET, type SchemaCheck } from '../../../upstream/json-schema/check.ts'
import { checkIsolated } from '../../../upstream/json-schema/isolated-check.ts'
import { prepareInlineCheck } from '../../../upstream/json-schema/parse-schema.ts'
import { type CallableTool, inputOf, type ToolInput } from '../../admission/callable-tool.ts'
import { refuseArguments } from './argument-problems.ts'

/** Rejects arguments that do not match the tool's input schema, before they reach a provider. */
export type ArgumentCheck = (
  organizationId: string,
  callable: CallableTool,
  args: ToolArguments,
) => Promise<void>

/** Enough for every tool of the catalog and many of MCP servers. */
const MAX_REMEMBERED = 5_000

const remember = <Value>(): ((key: string, make: () => Value) => Value) => {
  const kept = new Map<string, Value>()
  return (key, make) => {
    const known = kept.get(key)
    if (known !== undefined) return known
    if (kept.size >= MAX_REMEMBERED) kept.clear()
    const made = make()
    kept.set(key, made)
    return made
  }
}

/** A pack may fix 32 KB of values, so the key is a hash. */
const digestOf = (inputs: object): string => hash('sha256', JSON.stringify(inputs), 'base64url')

/**
 * Prepared once per tool. Arguments are checked together with the values that the pack fixes, by the tool's own schema, so that packs
 * share a check. Ordinary schemas and arguments are checked here; a check that needs more steps than the inline budget runs in a
 * worker, on the account of the organization that calls.
 */
export const createArgumentCheck = ({ isolated }: { isolated: IsolatedPool }): ArgumentCheck => {
  const prepared = remember<SchemaCheck | null>()
  const choiceProblems = remember<ChoiceProblem | null>()
  return async (organizationId, callable, args) => {
    const input = inputOf(callable)
    if (!input) return
    const { key, schema, trusted, choice } = input
    if (choice.inputs)
      requireFitting(
        choiceProblems(`${key} ${digestOf(choice.inputs)}`, () => findChoiceProblem(schema, choice)),
      )
    rejectForbiddenInput(input, args)
    const value = withFixed(choice, args)
    const check = prepared(key, () => prepareInlineCheck(schema, { trusted }))
    const found = check?.(value, INLINE_BUDGET) ?? null
    const issues =
      check && found !== 'too_expensive'
        ? found
        : await checkIsolated(isolated, organizationId, input, value).catch(explain)
    if (issues) throw refuseArguments(issues, choice)
    if (callable.kind === 'request') checkRawRequest(callable.rules, args)
  }
}

/** The part of the check that needs no arguments. */
export const requireFittingChoice = (callable: CallableTool): void => {
  const input = inputOf(callable)
  if (input?.choice.inputs) requireFitting(findChoiceProblem(input.schema, input.choice))
}

/** The tool has changed since the pack was saved, and a call without the pack's values was not allowed. */
const requireFitting = (problem: ChoiceProblem | null): void => {
  if (problem)
    throw new Refusal('tool_not_found', {
      param: 'name',
      message: `The Tool Pack’s settings for this tool no longer fit, so the tool is not offered. ${problem.why}`,
    })
}

const rejectForbiddenInput = ({ choice, schema }: ToolInput, args: ToolArguments): void => {
  const name = findForbiddenInput(choice, args)
  if (name === null) return
  const fields = rankNames(name, isObject(schema.properties) ? Object.keys(schema.properties) : [])
  throw refuseArguments([{ path: [], message: 'is not an argument of this tool', name, fields }], choice)
}

const explain = (error: unknown): never => {
  if (!(error instanceof IsolatedError)) throw error
  if (error.failure === 'busy') throw capacityExceeded(error)
  throw new Refusal('arguments_too_complex', { retryable: false, cause: error })
}
