import type { McpConnector } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { Refusal } from '../../core/refusal.ts'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
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

type Deps = McpConnectorDeps & RemovalDeps & { connectors: Pick<Connectors, 'catalog' | 'find'> }

/** §2: any MCP server that the organization operates can be a connector. */
export const mcpConnectorRoutes = (api: Api, deps: Deps): void => {
  const { db, baseUrl } = deps
  const show = (connector: StoredMcpConnector): McpConnector => showMcpConnector(baseUrl, connector)

  serve(api, operations.createMcpConnector, async request => {
    const given = { ...deps, catalog: deps.connectors.catalog }
    const connector = await createMcpConnector(given, request.principal.organizationId, request.body)
    return show(connector)
  })

  serve(api, operations.getMcpConnector, async request =>
    show(await requireMcpConnector(db, request.principal.organizationId, request.params.slug)),
  )

  serve(
    api,
    operations.updateMcpConnector,
    async request => {
      const { principal, params, body } = request
      return show(await changeMcpConnector(deps, principal.organizationId, params.slug, body))
    },
    {
      before: async request => {
        const { slug } = request.params
        return show(await requireMcpConnector(db, request.principal.organizationId, slug))
      },
    },
  )

  serve(api, operations.deleteMcpConnector, async request => {
    await removeMcpConnector(deps, request.principal.organizationId, request.params.slug)
  })

  serve(api, operations.getMcpConnectorTools, async request => {
    const { organizationId } = request.principal
    const connector = await deps.connectors.find(organizationId, request.params.slug)
    if (!connector) throw new Refusal('connector_not_found')
    return connector.serverId === undefined
      ? describeCatalogTools(connector)
      : describeTools(db, await requireMcpConnector(db, organizationId, connector.slug))
  })

  serve(api, operations.checkMcpConnectorTools, async request => {
    const { organizationId } = request.principal
    const connector = await requireMcpConnector(db, organizationId, request.params.slug)
    const problem = await checkTools(deps, connector)
    if (problem !== null) throw new Refusal('invalid_mcp_server', { message: problem })
    return describeTools(db, await requireMcpConnector(db, organizationId, connector.slug))
  })

  serve(api, operations.acceptMcpConnectorTools, async request => {
    const { organizationId } = request.principal
    const connector = await requireMcpConnector(db, organizationId, request.params.slug)
    await acceptTools(db, connector, request.body.hash)
    return describeTools(db, await requireMcpConnector(db, organizationId, connector.slug))
  })
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
