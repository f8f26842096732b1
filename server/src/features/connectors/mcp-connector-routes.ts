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
import type { Transaction } from '../../platform/database/database.ts'
import { seal } from '../../platform/vault/sealing.ts'
import { redirectUri } from '../oauth/oauth-app.ts'
import { canonicalJson } from '../upstream/json.ts'
import type { McpTool } from '../upstream/mcp-client/tool-definitions.ts'
import type { Connectors } from './availability.ts'
import { describeCatalogTools } from './catalog/catalog-tools.ts'
import { checkTools } from './mcp-servers/check-mcp-tools.ts'
import { createMcpConnector } from './mcp-servers/create-mcp-connector.ts'
import { type McpConnectorRow, mcpConnectorStore } from './mcp-servers/mcp-connector-store.ts'
import { type McpConnectorDeps, secretContext } from './mcp-servers/mcp-connectors.ts'

const tags = ['Custom connectors']
const settings = { productionKeyOnly: true } as const
const Path = Type.Object({ slug: Type.String({ maxLength: 64 }) })
// The URL is excluded, because it may contain a key.
const values = ['name', 'authentication', 'tool_changes'] as const

type Deps = McpConnectorDeps & {
  connectors: Pick<Connectors, 'catalog' | 'find'>
  /** Revokes the credentials that were linked with a removed server. */
  endConnectorCredentials: (tx: Transaction, organizationId: string, slug: string) => Promise<void>
  afterRevocation: () => void
}

/** §2: any MCP server that the organization operates can be a connector. */
export const mcpConnectorRoutes = (api: Api, deps: Deps): void => {
  const { db, vault, baseUrl } = deps
  const show = (row: McpConnectorRow): McpConnector => showMcpConnector(baseUrl, row)
  const requireRow = async (organizationId: string, slug: string): Promise<McpConnectorRow> => {
    const row = await mcpConnectorStore.find(db, organizationId, slug)
    if (!row) throw new Refusal('connector_not_found')
    return row
  }

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
      const row = await createMcpConnector(given, request.principal.organizationId, request.body)
      return reply.code(201).send(show(row))
    },
  )

  api.get(
    '/connectors/:slug',
    {
      config: { ...settings, errors: ['connector_not_found'] },
      schema: { summary: 'Read an MCP connector', tags, params: Path, response: { 200: McpConnector } },
    },
    async request => show(await requireRow(request.principal.organizationId, request.params.slug)),
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
            return show(await requireRow(request.principal.organizationId, slug))
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
      const { organizationId } = request.principal
      const row = await requireRow(organizationId, request.params.slug)
      const { secret, ...rest } = request.body
      if (secret !== undefined && row.authentication !== 'organization_secret')
        throw new Refusal('invalid_request', {
          param: 'secret',
          message: 'This connector has no organization secret.',
        })
      const sealed =
        secret === undefined
          ? null
          : seal(await vault.organizationKey(organizationId), secret, secretContext(organizationId, row.id))
      const changed = await mcpConnectorStore.update(db, row, { ...rest, sealed_secret: sealed })
      if (!changed) throw new Refusal('connector_not_found')
      return show(changed)
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
      const { organizationId } = request.principal
      const { slug } = request.params
      const removed = await db.transaction(async tx => {
        const row = await mcpConnectorStore.remove(tx, organizationId, slug)
        if (row) await deps.endConnectorCredentials(tx, organizationId, slug)
        return row
      })
      if (!removed) throw new Refusal('connector_not_found')
      deps.afterRevocation()
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
        : describeTools(deps, await requireRow(organizationId, connector.slug))
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
      const row = await requireRow(organizationId, request.params.slug)
      const problem = await checkTools(deps, row)
      if (problem !== null) throw new Refusal('invalid_mcp_server', { message: problem })
      return describeTools(deps, await requireRow(organizationId, row.slug))
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
      const row = await requireRow(organizationId, request.params.slug)
      await db.transaction(async tx => {
        await mcpConnectorStore.lock(tx, row)
        const pending = await mcpConnectorStore.pending(tx, row)
        if (!pending) throw new Refusal('no_pending_tools')
        if (pending.hash !== request.body.hash) throw new Refusal('tools_hash_mismatch', { param: 'hash' })
        await mcpConnectorStore.pin(tx, row, pending.hash, pending.found)
      })
      return describeTools(deps, await requireRow(organizationId, row.slug))
    },
  )
}

const showMcpConnector = (baseUrl: string, row: McpConnectorRow): McpConnector => ({
  slug: row.slug,
  name: row.name,
  summary: row.summary,
  source: row.source,
  url: row.url,
  authentication: row.authentication,
  authorization_server: row.authorization_server?.issuer ?? null,
  redirect_uri: row.authentication === 'oauth' ? redirectUri(baseUrl, row.id) : null,
  protocol_revision: row.revision,
  tool_changes: row.tool_changes,
  tools_hash: row.tools_hash,
  pending_hash: row.pending_hash,
  checked_at: row.checked_at?.toISOString() ?? null,
  check_problem: row.check_problem,
  created_at: row.created_at.toISOString(),
})

const showTool = ({ name, upstreamName, title, description, inputSchema, annotations }: McpTool) => ({
  name,
  upstream_name: upstreamName,
  title,
  description,
  input_schema: inputSchema,
  annotations,
})

const describeTools = async ({ db }: Deps, row: McpConnectorRow): Promise<McpToolsState> => {
  const [tools, pending] = await Promise.all([
    mcpConnectorStore.tools(db, row.organization_id, row.id),
    mcpConnectorStore.pending(db, row),
  ])
  const known = new Map(tools.map(tool => [tool.name, canonicalJson(tool)]))
  const next = pending?.found.tools ?? []
  return {
    tools_hash: row.tools_hash,
    tools: tools.map(showTool),
    problems: row.tool_problems,
    pending: pending && {
      hash: pending.hash,
      since: (row.pending_since ?? new Date(0)).toISOString(),
      added: next.filter(({ name }) => !known.has(name)).map(({ name }) => name),
      removed: tools.filter(({ name }) => !next.some(tool => tool.name === name)).map(({ name }) => name),
      changed: next
        .filter(tool => known.has(tool.name) && known.get(tool.name) !== canonicalJson(tool))
        .map(({ name }) => name),
      tools: next.map(showTool),
      problems: pending.found.problems,
    },
  }
}
