import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import { type CallableTool, inputOf } from './callable-tool.ts'

/** The argument that names the account of a call, by its label or its credential ID. Tools need not know it. */
export const ACCOUNT_ARGUMENT = 'carabiner_account'

/** Longer than every label and ID. */
const MAX_NAME = 200
/** No account has an empty label. */
const NO_ACCOUNT = ''

/** The account that a call names; null if it names none. */
export const namedAccount = (args: ToolArguments): string | null => {
  const name = args[ACCOUNT_ARGUMENT] ?? null
  if (name === null) return null
  const readable = typeof name === 'string' && name.length <= MAX_NAME && !name.includes('\0')
  return readable ? name.trim() : NO_ACCOUNT
}

/** Whether the tool itself has an input of this name, which is then not the name of an account. */
export const hasAccountInput = (schema: Record<string, unknown>): boolean =>
  Object.hasOwn((schema.properties as object | undefined) ?? {}, ACCOUNT_ARGUMENT)

/** The arguments of the tool itself. */
export const withoutAccount = (callable: CallableTool, args: ToolArguments): ToolArguments => {
  if (!Object.hasOwn(args, ACCOUNT_ARGUMENT)) return args
  const input = inputOf(callable)
  if (input && hasAccountInput(input.schema)) return args
  const { [ACCOUNT_ARGUMENT]: _, ...own } = args
  return own
}
