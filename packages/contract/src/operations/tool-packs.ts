import { Type } from 'typebox'
import { Page } from '../resources.ts'
import {
  ToolPack,
  ToolPackEstimate,
  ToolPackEstimated,
  ToolPackPatch,
  ToolPacks,
  ToolPackTools,
  ToolPackWrite,
} from '../tool-pack-resources.ts'
import { declareOperations } from './operation.ts'

const choiceErrors = [
  'unknown_connector',
  'connector_not_configured',
  'unknown_tool',
  'duplicate_choice',
  'invalid_tool_choice',
] as const

/** Both modes share the packs, so a test key must not change what production offers. */
export const toolPackOperations = declareOperations('Tool Packs', {
  listToolPacks: {
    route: 'GET /tool-packs',
    client: 'toolPacks.list',
    summary: 'List Tool Packs',
    query: Page.Query,
    responses: { 200: ToolPacks },
    errors: ['invalid_cursor'],
    tool: { name: 'list_tool_packs', access: 'read' },
  },
  createToolPack: {
    route: 'POST /tool-packs',
    group: 'settings',
    client: 'toolPacks.create',
    summary: 'Create a Tool Pack',
    description:
      'Selects connectors, their tools, and what the model sees of them. Default for `connectors`: every usable Connector.',
    body: ToolPackWrite,
    responses: { 201: ToolPack },
    errors: [...choiceErrors, 'tool_pack_limit_reached'],
    productionKeyOnly: true,
    audit: { action: 'tool_pack.created', target: 'response.id', values: ['name', 'is_default'] },
    tool: { name: 'create_tool_pack', access: 'write' },
  },
  getToolPack: {
    route: 'GET /tool-packs/{id}',
    client: 'toolPacks.get',
    summary: 'Retrieve a Tool Pack',
    responses: { 200: ToolPack },
    errors: ['tool_pack_not_found'],
    tool: { name: 'get_tool_pack', access: 'read' },
  },
  replaceToolPack: {
    route: 'PUT /tool-packs/{id}',
    group: 'settings',
    client: 'toolPacks.replace',
    summary: 'Replace a Tool Pack',
    description:
      'Missing fields get their defaults: without `connectors`, the pack contains every Connector again. Only `is_default` stays unchanged.',
    body: ToolPackWrite,
    responses: { 200: ToolPack },
    errors: [...choiceErrors, 'tool_pack_not_found', 'default_tool_pack_required'],
    productionKeyOnly: true,
    audit: { action: 'tool_pack.updated', target: 'params.id', values: ['name', 'is_default'] },
  },
  updateToolPack: {
    route: 'PATCH /tool-packs/{id}',
    group: 'settings',
    client: 'toolPacks.update',
    summary: 'Update a Tool Pack',
    description: 'Omitted fields stay unchanged.',
    body: ToolPackPatch,
    responses: { 200: ToolPack },
    errors: [...choiceErrors, 'tool_pack_not_found', 'default_tool_pack_required'],
    productionKeyOnly: true,
    audit: { action: 'tool_pack.updated', target: 'params.id', values: ['name', 'is_default'] },
    tool: { name: 'update_tool_pack', access: 'write' },
  },
  deleteToolPack: {
    route: 'DELETE /tool-packs/{id}',
    group: 'settings',
    client: 'toolPacks.delete',
    summary: 'Delete a Tool Pack',
    description:
      'Its URL stops working immediately, open links for it offer no connectors, and it is removed from MCP keys.',
    responses: { 204: Type.Null() },
    errors: ['tool_pack_not_found', 'default_tool_pack_required'],
    productionKeyOnly: true,
    audit: { action: 'tool_pack.deleted', target: 'params.id' },
  },
  listToolPackTools: {
    route: 'GET /tool-packs/{id}/tools',
    client: 'toolPacks.tools',
    summary: 'List a Tool Pack’s tools',
    description:
      'Returns the definitions as a model sees them, sorted by name, with the size of each. The totals are those of the whole pack; `list_costs` is what its list costs a model.',
    query: Page.Query,
    responses: { 200: ToolPackTools },
    errors: ['tool_pack_not_found', 'invalid_cursor'],
    tool: { name: 'list_tool_pack_tools', access: 'read' },
  },
  estimateToolPack: {
    route: 'POST /tool-packs/{id}/tools/estimate',
    client: 'toolPacks.estimate',
    summary: 'Estimate what other tools of a Tool Pack would cost a model',
    description:
      'Nothing is changed. Default for `connectors`: every usable Connector. The favorites are those of the Tool Pack.',
    body: ToolPackEstimate,
    responses: { 200: ToolPackEstimated },
    errors: [...choiceErrors, 'tool_pack_not_found'],
    permission: 'read',
    group: 'read',
    audit: false,
    idempotency: false,
  },
})
