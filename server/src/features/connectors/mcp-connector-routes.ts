import {
  McpConnector,
  McpConnectorCreate,
  McpConnectorPatch,
  McpToolsAccept,
  McpToolsState,
} from '@carabiner/contract'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import type { Api } from '../../edge/api.ts'
import { redirectUri } from '../oauth/oauth-app.ts'
import type { Connectors } from './availability.ts'
import { describeCatalogTools } from './catalog/catalog-tools.ts'
import {
  acceptTools,
  changeMcpConnector,
  type RemovalDeps,
  removeMcpConnector,
  requireMcpConnector,
} from './mcp-servers/change-mcp-connector.ts'
import { checkTools } from './mcp-servers/check-mcp-tools.ts'
import { createMcpConnector } from './mcp-servers/create-mcp-connector.ts'
import { describeTools } from './mcp-servers/describe-tools.ts'
import type { StoredMcpConnector } from './mcp-servers/mcp-connector-store.ts'
import type { McpConnectorDeps } from './mcp-servers/mcp-connectors.ts'

const tags = ['Custom connectors']
const settings = { productionKeyOnly: true } as const
const Path = Type.Object({ slug: Type.String({ maxLength: 64 }) })
// The URL is excluded, because it may contain a key.
const values = ['name', 'authentication', 'tool_changes'] as const

type Deps = McpConnectorDeps & RemovalDeps & { connectors: Pick<Connectors, 'catalog' | 'find'> }

/** §2: any MCP server that the organization operates can be a connector. */
export const mcpConnectorRoutes = (api: Api, deps: Deps): void => {
  const { db, baseUrl } = deps
  const show = (connector: StoredMcpConnector): McpConnector => showMcpConnector(baseUrl, connector)

  api.post(
    '/connectors',
    {
      config: {
        ...settings,
        errors: [
          'connector_exists',
          'connector_limit_reached',
          'invalid_mcp_server',
          'mcp_client_required',
          'mcp_secret_required',
        ],
        audit: { action: 'connector.created', target: 'answer.slug', values },
      },
      schema: {
        summary: 'Add an MCP server as a connector',
        description:
          'The server is contacted before anything is stored. Default for `authentication`: `none` if the server allows access without it, otherwise OAuth as the server describes it.',
        tags,
        body: McpConnectorCreate,
        response: { 201: McpConnector },
      },
    },
    async (request, reply) => {
      const given = { ...deps, catalog: deps.connectors.catalog }
      const connector = await createMcpConnector(given, request.principal.organizationId, request.body)
      return reply.code(201).send(show(connector))
    },
  )

  api.get(
    '/connectors/:slug',
    {
      config: { ...settings, errors: ['connector_not_found'] },
      schema: { summary: 'Read an MCP connector', tags, params: Path, response: { 200: McpConnector } },
    },
    async request =>
      show(await requireMcpConnector(db, request.principal.organizationId, request.params.slug)),
  )

  api.patch(
    '/connectors/:slug',
    {
      config: {
        ...settings,
        errors: ['connector_not_found'],
        audit: {
          action: 'connector.updated',
          target: 'params.slug',
          values,
          before: async request => {
            const { slug } = request.params as { slug: string }
            return show(await requireMcpConnector(db, request.principal.organizationId, slug))
          },
        },
      },
      schema: {
        summary: 'Change an MCP connector',
        tags,
        params: Path,
        body: McpConnectorPatch,
        response: { 200: McpConnector },
      },
    },
    async request => {
      const { principal, params, body } = request
      return show(await changeMcpConnector(deps, principal.organizationId, params.slug, body))
    },
  )

  api.delete(
    '/connectors/:slug',
    {
      config: {
        ...settings,
        errors: ['connector_not_found'],
        audit: { action: 'connector.removed', target: 'params.slug' },
      },
      schema: {
        summary: 'Remove an MCP connector',
        description:
          'Its tools are removed at once, and the credentials that users have linked with it are revoked.',
        tags,
        params: Path,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await removeMcpConnector(deps, request.principal.organizationId, request.params.slug)
      return reply.code(204).send(null)
    },
  )

  api.get(
    '/connectors/:slug/tools',
    {
      config: { ...settings, errors: ['connector_not_found'] },
      schema: {
        summary: 'List the tools of a connector',
        description:
          'For a catalog connector: the tools that it describes. For an MCP server: its accepted tools, and pending changes. The list may be empty until an account is linked with the server.',
        tags,
        params: Path,
        response: { 200: McpToolsState },
      },
    },
    async request => {
      const { organizationId } = request.principal
      const connector = await deps.connectors.find(organizationId, request.params.slug)
      if (!connector) throw new Refusal('connector_not_found')
      return connector.serverId === undefined
        ? describeCatalogTools(connector)
        : describeTools(db, await requireMcpConnector(db, organizationId, connector.slug))
    },
  )

  api.post(
    '/connectors/:slug/tools/check',
    {
      config: {
        ...settings,
        errors: ['connector_not_found', 'invalid_mcp_server'],
        audit: { action: 'connector.tools_checked', target: 'params.slug', values: ['tools_hash'] },
      },
      schema: {
        summary: 'Refresh the tools of an MCP server',
        description:
          'This happens automatically once an hour for servers that need no user credential, and whenever a user links for the others.',
        tags,
        params: Path,
        response: { 200: McpToolsState },
      },
    },
    async request => {
      const { organizationId } = request.principal
      const connector = await requireMcpConnector(db, organizationId, request.params.slug)
      const problem = await checkTools(deps, connector)
      if (problem !== null) throw new Refusal('invalid_mcp_server', { message: problem })
      return describeTools(db, await requireMcpConnector(db, organizationId, connector.slug))
    },
  )

  api.post(
    '/connectors/:slug/tools/accept',
    {
      config: {
        ...settings,
        errors: ['connector_not_found', 'tools_hash_mismatch', 'no_pending_tools'],
        audit: { action: 'connector.tools_accepted', target: 'params.slug', values: ['tools_hash'] },
      },
      schema: {
        summary: 'Accept changed tools',
        description:
          'Requires the hash of the tools that were reviewed, so that no later change is accepted unseen.',
        tags,
        params: Path,
        body: McpToolsAccept,
        response: { 200: McpToolsState },
      },
    },
    async request => {
      const { organizationId } = request.principal
      const connector = await requireMcpConnector(db, organizationId, request.params.slug)
      await acceptTools(db, connector, request.body.hash)
      return describeTools(db, await requireMcpConnector(db, organizationId, connector.slug))
    },
  )
}

const showMcpConnector = (baseUrl: string, connector: StoredMcpConnector): McpConnector => ({
  slug: connector.slug,
  name: connector.name,
  summary: connector.summary,
  source: connector.source,
  url: connector.url,
  authentication: connector.authentication,
  authorization_server: connector.authorizationServer?.issuer ?? null,
  redirect_uri: connector.authentication === 'oauth' ? redirectUri(baseUrl, connector.id) : null,
  protocol_revision: connector.revision,
  tool_changes: connector.toolChanges,
  tools_hash: connector.toolsHash,
  pending_hash: connector.pendingHash,
  checked_at: connector.checkedAt?.toISOString() ?? null,
  check_problem: connector.checkProblem,
  created_at: connector.createdAt.toISOString(),
})
