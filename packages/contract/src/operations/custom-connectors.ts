import { Type } from 'typebox'
import {
  McpConnector,
  McpConnectorCreate,
  McpConnectorPatch,
  McpToolsAccept,
  McpToolsState,
  PendingToolsImpact,
  PendingToolsQuery,
} from '../connector-resources.ts'
import { ConnectorPath } from './connectors.ts'
import { declareOperations } from './operation.ts'

/** The URL is excluded, because it may contain a key. */
const auditedFields = ['name', 'authentication', 'tool_changes'] as const

export const customConnectorOperations = declareOperations('Custom connectors', {
  createMcpConnector: {
    route: 'POST /connectors',
    group: 'settings',
    client: 'mcpConnectors.create',
    summary: 'Create an MCP connector',
    description:
      'Adds an MCP server as a connector. The server is contacted before anything is stored. Default for `authentication`: `none` if the server allows access without it, otherwise OAuth as the server describes it.',
    body: McpConnectorCreate,
    responses: { 201: McpConnector },
    errors: [
      'connector_exists',
      'connector_limit_reached',
      'invalid_mcp_server',
      'mcp_client_required',
      'mcp_secret_required',
    ],
    productionKeyOnly: true,
    audit: {
      action: 'connector.created',
      target: 'response.slug',
      values: auditedFields,
    },
  },
  getMcpConnector: {
    route: 'GET /connectors/{slug}',
    client: 'mcpConnectors.get',
    summary: 'Retrieve an MCP connector',
    params: ConnectorPath,
    responses: { 200: McpConnector },
    errors: ['connector_not_found'],
    productionKeyOnly: true,
  },
  updateMcpConnector: {
    route: 'PATCH /connectors/{slug}',
    group: 'settings',
    client: 'mcpConnectors.update',
    summary: 'Update an MCP connector',
    params: ConnectorPath,
    body: McpConnectorPatch,
    responses: { 200: McpConnector },
    errors: ['connector_not_found'],
    productionKeyOnly: true,
    audit: {
      action: 'connector.updated',
      target: 'params.slug',
      values: auditedFields,
    },
  },
  deleteMcpConnector: {
    route: 'DELETE /connectors/{slug}',
    group: 'settings',
    client: 'mcpConnectors.delete',
    summary: 'Delete an MCP connector',
    description:
      'Its tools are removed immediately, and the credentials that users have linked with it are revoked.',
    params: ConnectorPath,
    responses: { 204: Type.Null() },
    errors: ['connector_not_found'],
    productionKeyOnly: true,
    audit: { action: 'connector.removed', target: 'params.slug' },
  },
  getMcpConnectorTools: {
    route: 'GET /connectors/{slug}/tools',
    client: 'mcpConnectors.tools',
    summary: 'List a connector’s tools',
    description:
      'For a catalog connector: the tools that it describes. For an MCP server: its accepted tools, and pending changes. The list may be empty until an account is linked with the server.',
    params: ConnectorPath,
    responses: { 200: McpToolsState },
    errors: ['connector_not_found'],
    productionKeyOnly: true,
  },
  acceptMcpConnectorTools: {
    route: 'POST /connectors/{slug}/tools/accept',
    group: 'settings',
    client: { method: 'mcpConnectors.acceptTools', argument: 'hash' },
    summary: 'Accept changed tools',
    description: 'Requires the hash of the reviewed tools, so that later changes are not accepted unseen.',
    params: ConnectorPath,
    body: McpToolsAccept,
    responses: { 200: McpToolsState },
    errors: ['connector_not_found', 'tools_hash_mismatch', 'no_pending_tools'],
    productionKeyOnly: true,
    audit: { action: 'connector.tools_accepted', target: 'params.slug', values: ['tools_hash'] },
  },
  checkMcpConnectorTools: {
    route: 'POST /connectors/{slug}/tools/check',
    group: 'settings',
    client: 'mcpConnectors.checkTools',
    summary: 'Refresh an MCP server’s tools',
    description:
      'Lists the server’s tools again. This happens automatically once an hour for servers that need no user credential. For all others, it happens whenever a user links an account.',
    params: ConnectorPath,
    responses: { 200: McpToolsState },
    errors: ['connector_not_found', 'invalid_mcp_server'],
    productionKeyOnly: true,
    audit: { action: 'connector.tools_checked', target: 'params.slug', values: ['tools_hash'] },
  },
  getPendingToolsImpact: {
    route: 'GET /connectors/{slug}/tools/pending/impact',
    client: 'mcpConnectors.pendingImpact',
    summary: 'Preview the impact of changed tools',
    description:
      'Checks the arguments of recent calls in both modes against the tool definitions pending review, and counts the calls that they would reject. Requires stored arguments (the organization’s `capture`). Returns input names, never values.',
    params: ConnectorPath,
    query: PendingToolsQuery,
    responses: { 200: PendingToolsImpact },
    errors: ['connector_not_found', 'no_pending_tools'],
    productionKeyOnly: true,
  },
})
