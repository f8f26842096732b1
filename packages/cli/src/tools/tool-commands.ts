import { findApprovalMeta, findAuthenticateMeta } from '@carabiner/contract/find-meta'
import { type ApiClient, withApi } from '../api/api-client.ts'
import { findPack } from '../api/find-pack.ts'
import { findUser } from '../api/find-user.ts'
import { logRequests } from '../api/log-requests.ts'
import { mcpUrl } from '../api/sdk.ts'
import { describeTools } from '../packs/manage-packs.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { integerFrom, jsonObject, list, readJsonFile } from '../program/option-values.ts'
import {
  EXIT_APPROVAL_REQUIRED,
  EXIT_AUTH_REQUIRED,
  EXIT_REJECTED,
  type FailingOutput,
  UsageError,
} from '../terminal/output.ts'
import { momentOf, printable } from '../terminal/printable.ts'
import { type McpEndpoint, mcpRequest } from './mcp-request.ts'

type EndpointOptions = { pack?: string; connectors?: string[]; authenticatedOnly?: boolean; wait?: number }
type ListedTool = { name: string; title?: string; description?: string }
type ToolResult = {
  content?: { type: string; text?: string }[]
  structuredContent?: unknown
  isError?: boolean
}

const openEndpoint = async (
  { globals, terminal }: CliContext,
  { client, url, access }: ApiClient,
  user: string,
  { pack, connectors, authenticatedOnly, wait }: EndpointOptions,
): Promise<McpEndpoint> => ({
  url: mcpUrl({
    baseUrl: url,
    toolPackId: (await findPack(client, pack)).id,
    registeredUserId: (await findUser(client, user)).id,
    connectors,
    authenticatedOnly,
    wait,
  }),
  key: access.key,
  fetch: globals.verbose ? logRequests(terminal) : globalThis.fetch,
})

/** The tools that an agent of this user gets, from all pages. */
const listTools = (context: CliContext, user: string, options: EndpointOptions): Promise<FailingOutput> =>
  withApi(context, async api => {
    const endpoint = await openEndpoint(context, api, user, options)
    const tools: ListedTool[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await mcpRequest<{ tools: ListedTool[]; nextCursor?: string }>(
        endpoint,
        'tools/list',
        cursor === undefined ? {} : { cursor },
      )
      tools.push(...page.tools)
      if (page.nextCursor === undefined) break
      cursor = page.nextCursor
    }
    return { text: describeTools(context, tools), data: tools }
  })

type CallOptions = EndpointOptions & { arguments?: Record<string, unknown>; argumentsFile?: string }

const callTool = (
  context: CliContext,
  user: string,
  tool: string,
  options: CallOptions,
): Promise<FailingOutput> => {
  if (options.arguments && options.argumentsFile !== undefined)
    throw new UsageError('Use either --arguments or --arguments-file.')
  const given =
    options.argumentsFile === undefined ? (options.arguments ?? {}) : readJsonFile(options.argumentsFile)
  return withApi(context, async api => {
    const endpoint = await openEndpoint(context, api, user, options)
    const result = await mcpRequest<ToolResult>(endpoint, 'tools/call', { name: tool, arguments: given })
    return describeResult(result)
  })
}

const describeResult = (result: ToolResult): FailingOutput => {
  const meta = findAuthenticateMeta(result)
  if (meta)
    return {
      text: [
        `The user must connect a ${printable(meta.Connector)} account first (${meta.reason ?? 'never_linked'}). Link:`,
        '',
        `  ${meta.magic_link_url ?? meta.link_token}`,
        ...(meta.expires_at
          ? ['', `Valid until ${momentOf(meta.expires_at)}. Then call the tool again.`]
          : []),
      ].join('\n'),
      data: result,
      exitCode: EXIT_AUTH_REQUIRED,
    }
  const approval = findApprovalMeta(result)
  if (approval)
    return {
      text: [
        'A person must approve this call first. It has not been made. Approvals:',
        '',
        `  ${printable(approval.approval_url ?? approval.approval_id)}`,
        ...(approval.expires_at
          ? [
              '',
              `Waits until ${momentOf(approval.expires_at)}. After the approval, repeat exactly the same call.`,
            ]
          : []),
      ].join('\n'),
      data: result,
      exitCode: EXIT_APPROVAL_REQUIRED,
    }
  const rejection = rejectionOf(result)
  if (rejection) return { text: printable(rejection), data: result, exitCode: EXIT_REJECTED }
  const text = (result.content ?? []).map(part => part.text ?? `[${part.type}]`).join('\n')
  return {
    text: (text || JSON.stringify(result.structuredContent ?? null, null, 2))
      .split('\n')
      .map(printable)
      .join('\n'),
    data: result,
    ...(result.isError && { exitCode: EXIT_REJECTED }),
  }
}

type ApiError = { error?: { code?: string; message?: string; request_id?: string } }

/** An error of the service is JSON in the text of the result. */
const rejectionOf = ({ isError, content }: ToolResult): string | null => {
  if (!isError) return null
  try {
    const { error } = JSON.parse(content?.[0]?.text ?? '') as ApiError
    return error?.message ? `${error.message} (${error.code}, request ${error.request_id})` : null
  } catch {
    return null
  }
}

export const registerTools: RegisterCommands = (program, context) => {
  const tools = nounCommand(program, 'tools', 'everyday', 'List and call tools as the agent of a user')
  const endpoint = (name: string, description: string) =>
    tools
      .command(name)
      .description(description)
      .argument('<user>', 'a Registered User: ID, your own ID, name or email')
      .option('--pack <pack>', 'ID or name of a Tool Pack (default: the default Tool Pack)')
  endpoint('list', 'List the tools that the MCP endpoint offers to the agent of a user')
    .option('--connectors <slugs>', 'only the tools of these connectors', list)
    .option('--authenticated-only', 'only the tools of connected accounts')
    .examples('carabiner tools list ana', 'carabiner tools list ana --connectors github --json')
    .action(runs(context, (user: string, options: EndpointOptions) => listTools(context, user, options)))
  endpoint(
    'call',
    'Call a tool. Exit code 4: the user must connect an account; 5: a person must approve the call; 3: the call was rejected',
  )
    .argument('<tool>', 'name of the tool, such as github__list_issues')
    .option('--arguments <json>', 'arguments of the tool as a JSON object', jsonObject)
    .option('--arguments-file <path>', 'arguments of the tool in a file; - reads standard input')
    .option('--wait <seconds>', 'wait until the account is connected', integerFrom(1, 300))
    .examples(
      `carabiner tools call ana github__list_issues --arguments '{"owner":"octocat","repo":"hello"}'`,
      'carabiner tools call ana sandbox-notes__list_notes || carabiner link create ana --connector sandbox-notes',
    )
    .action(
      runs(context, (user: string, tool: string, options: CallOptions) =>
        callTool(context, user, tool, options),
      ),
    )
}
