import { hash } from 'node:crypto'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Refusal } from '../../core/refusal.ts'
import { findMisfit, type Misfit, presumedInput, withFixed } from '../connectors/tool-choice.ts'
import type { ToolArguments } from '../upstream/http-tool.ts'
import { type CallableTool, inputOf, type ToolInput } from './callable-tool.ts'

export type ArgumentCheck = (callable: CallableTool, args: ToolArguments) => void

/** Enough for every tool of the catalogue and many servers' besides; a server that changes often only costs compiling. */
const MOST_KEPT = 5_000

const remember = <Value>(): ((key: string, make: () => Value) => Value) => {
  const kept = new Map<string, Value>()
  return (key, make) => {
    const known = kept.get(key)
    if (known !== undefined) return known
    if (kept.size >= MOST_KEPT) kept.clear()
    const made = make()
    kept.set(key, made)
    return made
  }
}

/** A pack may fix 32 KB of values: thousands of them are not kept for the sake of a name. */
const digestOf = (inputs: object): string => hash('sha256', JSON.stringify(inputs), 'base64url')

/**
 * Compiled once per tool: arguments that its schema refuses never reach a third party. They are judged together with what the pack
 * fixes, by the tool's own schema, so that packs share a check. How a pack offers a tool is judged once per tool and choice.
 */
export const createArgumentCheck = (): ArgumentCheck => {
  const compiled = remember<ValidateFunction>()
  const misfits = remember<Misfit | null>()
  return (callable, args) => {
    const input = inputOf(callable)
    if (!input) return
    const { key, schema, choice } = input
    if (choice.inputs)
      requireFitting(misfits(`${key} ${digestOf(choice.inputs)}`, () => findMisfit(schema, choice)))
    refuseWrong(input, args, compiled(key, input.compile))
  }
}

/** The tool has changed since the pack was saved. Without the pack's values the call is not the one that was allowed. */
const requireFitting = (misfit: Misfit | null): void => {
  if (misfit)
    throw new Refusal('tool_not_found', {
      param: 'name',
      message: `The Tool Pack’s setting of this tool no longer fits it, so it is not offered. ${misfit.why}`,
    })
}

const refuseWrong = ({ choice }: ToolInput, args: ToolArguments, validate: ValidateFunction): void => {
  const presumed = presumedInput(choice, args)
  if (presumed !== null) throw invalid(presumed, UNKNOWN_ARGUMENT)
  if (validate(withFixed(choice, args))) return
  throw describeIssue(validate.errors?.[0])
}

const describeIssue = (issue: ErrorObject | undefined): Refusal => {
  const at = issue?.instancePath.slice(1) ?? ''
  const member = (name: unknown) => [at, String(name)].filter(Boolean).join('/')
  if (issue?.keyword === 'required') return invalid(member(issue.params.missingProperty), 'is required')
  if (issue?.keyword === 'additionalProperties')
    return invalid(member(issue.params.additionalProperty), UNKNOWN_ARGUMENT)
  return invalid(at || 'arguments', issue?.message ?? 'is not valid')
}

const UNKNOWN_ARGUMENT = 'is not an argument of this tool'

const invalid = (param: string, why: string): Refusal =>
  new Refusal('invalid_arguments', { param, message: `"${param}" ${why}.` })
