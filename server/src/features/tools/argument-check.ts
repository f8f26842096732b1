import type { ValidateFunction } from 'ajv'
import { Refusal } from '../../core/refusal.ts'
import type { ToolArguments } from '../upstream/http-tool.ts'
import { type CallableTool, inputOf } from './callable-tool.ts'

export type ArgumentCheck = (callable: CallableTool, args: ToolArguments) => void

/** Enough for every tool of the catalogue and many servers' besides; a server that changes often only costs compiling. */
const MOST_COMPILED = 5_000

/** Compiled once per tool: arguments that its schema refuses never reach a third party. */
export const createArgumentCheck = (): ArgumentCheck => {
  const compiled = new Map<string, ValidateFunction>()
  const keep = (key: string, validate: ValidateFunction): ValidateFunction => {
    if (compiled.size >= MOST_COMPILED) compiled.clear()
    compiled.set(key, validate)
    return validate
  }
  return (callable, args) => {
    const input = inputOf(callable)
    if (!input) return
    const validate = compiled.get(input.key) ?? keep(input.key, input.compile())
    if (validate(args)) return
    const [issue] = validate.errors ?? []
    const param =
      issue?.instancePath.slice(1) ||
      String(issue?.params.missingProperty ?? issue?.params.additionalProperty ?? 'arguments')
    throw new Refusal('invalid_arguments', {
      param,
      message: `"${param}" ${issue?.message ?? 'is not valid'}.`,
    })
  }
}
