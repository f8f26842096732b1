import { parseArgs } from 'node:util'
import { explainApiError, openApi } from '../events/api-client.ts'
import { printable } from '../events/terminal.ts'
import { helpOn } from '../help.ts'
import { type FailingOutput, UsageError } from '../output.ts'
import type { Client, ExplainRequest, Explanation } from '../sdk.ts'

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  pack: { type: 'string' },
  arguments: { type: 'string' },
} as const

const EXIT_CODES: Record<Explanation['would'], number> = { run: 0, request_authentication: 2, reject: 3 }

/** `carabiner explain USER TOOL`: whether a tool call would run, and the first step that fails. */
export const runExplain = async (
  args: string[],
  environment: Record<string, string | undefined>,
): Promise<FailingOutput> => {
  const { values, positionals } = parse(args)
  if (values.help || positionals.length === 0) return { text: helpOn('explain'), data: null }
  const [user, tool, ...others] = positionals
  if (user === undefined || tool === undefined || others.length > 0)
    throw new UsageError(`"explain" needs a user and a tool.\n\n${helpOn('explain')}`)
  const request = {
    tool,
    ...(values.pack !== undefined && { tool_pack_id: values.pack }),
    ...(values.arguments !== undefined && { arguments: readArguments(values.arguments) }),
  }
  const { client, url } = openApi(environment)
  try {
    const explanation = await explainFor(client, user, request)
    return { text: describe(explanation), data: explanation, exitCode: EXIT_CODES[explanation.would] }
  } catch (error) {
    throw explainApiError(error, url)
  }
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${helpOn('explain')}`)
  }
}

const readArguments = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Reported below, like JSON of another type.
  }
  throw new UsageError(`--arguments must be a JSON object, such as '{"query":"milk"}'.`)
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An application may use UUIDs as its own IDs of users. */
const explainFor = async (
  client: Client,
  user: string,
  request: Omit<ExplainRequest, 'registered_user_id' | 'origin_user_id'>,
): Promise<Explanation> => {
  const byOrigin = () => client.explain({ ...request, origin_user_id: user })
  if (!UUID.test(user)) return byOrigin()
  const found = await client.explain({ ...request, registered_user_id: user })
  if (found.first_failed !== 'user') return found
  const other = await byOrigin()
  return other.first_failed === 'user' ? found : other
}

const MARKS = { passed: '✓', failed: '✗', not_reached: '·', not_checked: '–' } as const
const VERDICTS: Record<Explanation['would'], string> = {
  run: 'The call would run.',
  request_authentication: 'The call would answer with a link to connect the account.',
  reject: 'The call would be rejected',
}

const describe = ({
  would,
  error,
  steps,
  tool,
  registered_user: user,
  tool_pack: pack,
}: Explanation): string => {
  const width = Math.max(...steps.map(({ step }) => step.length))
  const lines = steps.flatMap(({ step, status, summary, fix }) => {
    const line = `  ${MARKS[status]} ${step.padEnd(width)}  ${status === 'not_reached' ? 'not reached' : summary}`
    if (!fix) return [line]
    const indent = ' '.repeat(width + 6)
    const { request } = fix
    const sent =
      request && `${request.method} ${request.path} ${request.body ? JSON.stringify(request.body) : ''}`
    return [line, `${indent}Fix: ${fix.label}`, ...(sent ? [`${indent}${sent.trimEnd()}`] : [])]
  })
  const subject = [
    tool,
    user && `user ${user.origin_user_name ?? user.origin_user_id} (${user.id}, ${user.mode})`,
    pack && `Tool Pack ${pack.name}`,
  ]
  const verdict = error ? `${VERDICTS[would]}: ${error.code}.` : VERDICTS[would]
  return [subject.filter(Boolean).join(', '), '', ...lines, '', verdict].map(printable).join('\n')
}
