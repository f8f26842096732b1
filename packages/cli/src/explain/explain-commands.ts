import { withApi } from '../api/api-client.ts'
import { findNamedUser, isUuid } from '../api/find-user.ts'
import type { Client, ExplainRequest, Explanation } from '../api/sdk.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { type RegisterCommands, topCommand } from '../program/create-program.ts'
import { jsonObject } from '../program/option-values.ts'
import {
  EXIT_APPROVAL_REQUIRED,
  EXIT_AUTH_REQUIRED,
  EXIT_REJECTED,
  type FailingOutput,
} from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'

const EXIT_CODES: Record<Explanation['would'], number> = {
  run: 0,
  request_authentication: EXIT_AUTH_REQUIRED,
  request_approval: EXIT_APPROVAL_REQUIRED,
  reject: EXIT_REJECTED,
}

type ExplainOptions = { pack?: string; arguments?: Record<string, unknown> }

/** Whether a tool call would run, and the first step that fails. */
const explain = (
  context: CliContext,
  user: string,
  tool: string,
  options: ExplainOptions,
): Promise<FailingOutput> =>
  withApi(context, async ({ client }) => {
    const explanation = await explainFor(client, user, {
      tool,
      ...(options.pack !== undefined && { tool_pack_id: options.pack }),
      ...(options.arguments !== undefined && { arguments: options.arguments }),
    })
    return { text: describe(explanation), data: explanation, exitCode: EXIT_CODES[explanation.would] }
  })

type Request = Omit<ExplainRequest, 'registered_user_id' | 'origin_user_id'>

/** A user that is unknown may be given by name. */
const explainFor = async (client: Client, user: string, request: Request): Promise<Explanation> => {
  const found = await explainForId(client, user, request)
  const named = found.first_failed === 'user' ? await findNamedUser(client, user) : null
  return named ? client.explain({ ...request, registered_user_id: named.id }) : found
}

/** An application may use UUIDs as its own IDs of users. */
const explainForId = async (client: Client, user: string, request: Request): Promise<Explanation> => {
  const byOrigin = () => client.explain({ ...request, origin_user_id: user })
  if (!isUuid(user)) return byOrigin()
  const found = await client.explain({ ...request, registered_user_id: user })
  if (found.first_failed !== 'user') return found
  const other = await byOrigin()
  return other.first_failed === 'user' ? found : other
}

const MARKS = { passed: '✓', failed: '✗', not_reached: '·', not_checked: '–' } as const
const VERDICTS: Record<Explanation['would'], string> = {
  run: 'The call would run.',
  request_authentication: 'The call would return a link to connect the account.',
  request_approval: 'The call would wait for an approval.',
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

export const registerExplain: RegisterCommands = (program, context) => {
  topCommand(
    program,
    'explain',
    'everyday',
    'Explain whether a tool call would run. Exit code 4: the user must connect an account; 5: a person must approve it; 3: it would be rejected',
  )
    .argument('<user>', 'a Registered User: ID, your own ID, name or email')
    .argument('<tool>', 'name of the tool, such as github__list_issues')
    .option('--pack <id>', 'ID of a Tool Pack (default: the default Tool Pack)')
    .option('--arguments <json>', 'also check these arguments: input schema and security rules', jsonObject)
    .examples('carabiner explain ana sandbox-notes__list_notes')
    .action(
      runs(context, (user: string, tool: string, options: ExplainOptions) =>
        explain(context, user, tool, options),
      ),
    )
}
