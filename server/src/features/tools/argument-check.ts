import { Ajv, type ValidateFunction } from 'ajv'
import { Refusal } from '../../core/refusal.ts'
import type { ToolArguments } from '../upstream/http-tool.ts'
import { type NamedTool, toolName } from './tool-names.ts'

export type ArgumentCheck = (named: NamedTool, args: ToolArguments) => void

/** Compiled once per tool: arguments that its schema refuses never reach a third party. */
export const createArgumentCheck = (): ArgumentCheck => {
  const ajv = new Ajv({ strict: false, allErrors: false })
  const compiled = new Map<string, ValidateFunction>()
  return ({ connector, tool }, args) => {
    const name = toolName(connector, tool)
    const validate = compiled.get(name) ?? ajv.compile(tool.input_schema)
    compiled.set(name, validate)
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
