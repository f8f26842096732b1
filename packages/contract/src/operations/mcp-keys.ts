import { Type } from 'typebox'
import { Page } from '../resources.ts'
import { FoundMcpKeys, McpKeyCreate, McpKeyFilter, McpKeys, NewMcpKey } from '../tool-pack-resources.ts'
import { declareOperations } from './operation.ts'

export const mcpKeyOperations = declareOperations('MCP keys', {
  findMcpKeys: {
    route: 'GET /mcp-keys',
    client: { method: 'registeredUsers.mcpKeys.find', argument: 'hint' },
    summary: 'Find MCP keys',
    description: 'Finds keys by their last characters. At most 20, newest first.',
    query: McpKeyFilter,
    responses: { 200: FoundMcpKeys },
  },
  listMcpKeys: {
    route: 'GET /registered-users/{id}/mcp-keys',
    client: 'registeredUsers.mcpKeys.list',
    summary: 'List MCP keys',
    description: 'Lists a Registered User’s keys. Expired keys are listed for another 30 days.',
    query: Page.Query,
    responses: { 200: McpKeys },
    errors: ['registered_user_not_found', 'invalid_cursor'],
  },
  createMcpKey: {
    route: 'POST /registered-users/{id}/mcp-keys',
    group: 'tools',
    client: 'registeredUsers.mcpKeys.create',
    summary: 'Create an MCP key',
    description:
      'The key works only at the MCP endpoint, for one Registered User and the chosen Tool Packs. It is shown only once.',
    body: McpKeyCreate,
    responses: { 201: NewMcpKey },
    errors: ['registered_user_not_found', 'user_inactive', 'tool_pack_not_found', 'mcp_key_limit_reached'],
    // Not the name, which often contains that of the user.
    audit: { action: 'mcp_key.created', target: 'response.id', values: ['hint', 'expires_at'] },
    idempotency: false,
  },
  revokeMcpKey: {
    route: 'DELETE /registered-users/{id}/mcp-keys/{key_id}',
    group: 'tools',
    client: 'registeredUsers.mcpKeys.revoke',
    summary: 'Revoke an MCP key',
    description: 'The key stops working immediately, and its open streams are closed.',
    responses: { 204: Type.Null() },
    errors: ['registered_user_not_found', 'mcp_key_not_found'],
    audit: { action: 'mcp_key.revoked', target: 'params.key_id' },
  },
})
