import { isObject } from '../../../core/json/object.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { ToolCall } from '../admission/admit-call.ts'

/**
 * The call that the arguments of `call_tool` describe. It takes the path of any call, from the admission on. Tools of the service itself
 * have no address there, so `call_tool` cannot call them or itself.
 */
export const readNamedCall = ({
  name,
  arguments: args = {},
  ...others
}: Record<string, unknown>): Pick<ToolCall, 'name' | 'args' | 'byCallTool'> => {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(unknown.slice(0, 128), 'is not an argument of this tool')
  if (typeof name !== 'string') throw invalid('name', 'must be the name of a tool')
  if (!isObject(args)) throw invalid('arguments', 'must be an object of arguments')
  return { name, args, byCallTool: true }
}

const invalid = (param: string, why: string): Refusal =>
  new Refusal('invalid_arguments', { param, message: `"${param}" ${why}.` })
