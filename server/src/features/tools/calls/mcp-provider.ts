import { rememberRevision } from '../../connectors/mcp-servers/mcp-connectors.ts'
import { authorizationHeaders } from '../../upstream/authorization-kinds/authorization-kinds.ts'
import { callMcpTool } from '../../upstream/mcp-client/call-mcp-tool.ts'
import type { ProviderResponse } from '../../upstream/provider-response.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import type { Provider, ProviderRequest } from './provider.ts'

type McpServerTool = Extract<CallableTool, { kind: 'mcp' }>

/** A tool of an MCP server: with the user's credential, the organization's, or none. */
export const mcpProvider = ({ connector, server, tool }: McpServerTool): Provider => ({
  name: connector.name,
  connectorSlug: connector.slug,
  repeatable: tool.annotations?.readOnlyHint === true || tool.annotations?.idempotentHint === true,
  // No server can declare it.
  honorsIdempotencyKey: false,
  originFor: () => new URL(server.url).origin,
  call: async (deps, request): Promise<ProviderResponse> => {
    const { url, revision } = server
    const { access, args, options, organizationId } = request
    const headers =
      access.by === 'user' ? authorizationHeaders(connector, access.secret, url) : access.headers
    const target = { url, headers, revision, name: connector.name, sessionKey: sessionKey(request, url) }
    const answer = await callMcpTool(deps, target, tool, args, options)
    if (answer.kind !== 'result') return answer
    if (answer.revision !== revision) rememberRevision(deps, organizationId, server.id, answer.revision)
    return { kind: 'blocks', result: answer.result }
  },
})

/** A session belongs to one user and one credential version. */
const sessionKey = ({ organizationId, registeredUserId, access }: ProviderRequest, url: string): string =>
  JSON.stringify([
    organizationId,
    registeredUserId,
    access.by === 'user' ? [access.held.credential.id, access.held.credential.version] : 'organization',
    url,
  ])
