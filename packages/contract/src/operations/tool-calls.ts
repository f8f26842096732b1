import { Type } from 'typebox'
import { ProviderRequest, ProviderRequestResult, ToolCallRequest, ToolCallResult } from '../call-resources.ts'
import {
  AffectedUsers,
  AffectedUsersQuery,
  ToolCallDetail,
  ToolCallExportQuery,
  ToolCallQuery,
  ToolCallRecords,
  ToolCallSummary,
  ToolCallSummaryQuery,
} from '../record-resources.ts'
import { ResultFields, ResultFieldsQuery, ViewToTry, ViewTried } from '../tool-pack-resources.ts'
import { declareOperations } from './operation.ts'

/** Errors with a status of their own. Those that a model can act on are in the result of the call. */
const CALL_ERRORS = [
  'registered_user_not_found',
  'tool_pack_not_found',
  'tool_not_found',
  'user_inactive',
  'billing_limit_reached',
  'daily_limit_reached',
  'check_capacity_exceeded',
  'approval_limit_reached',
  'code_mode_required',
  'unauthorized_origin',
  'permission_denied',
] as const

export const toolCallOperations = declareOperations('Tool calls', {
  callTool: {
    route: 'POST /tool-calls',
    group: 'tools',
    client: 'tools.call',
    summary: 'Call a tool',
    description:
      'Calls a tool for a Registered User, like `tools/call` at the MCP endpoint: with the same checks, limits, records, policies and approvals. What a model can act on is in the result, with `is_error`; every other error has its own status. With an `Idempotency-Key`, the call is made once for this user, and a repeat returns its stored result for a day.',
    body: ToolCallRequest,
    responses: { 200: ToolCallResult },
    errors: CALL_ERRORS,
    audit: false,
    idempotency: 'of_call',
    waits: true,
  },
  sendRequest: {
    route: 'POST /registered-users/{id}/connectors/{slug}/requests',
    group: 'tools',
    client: 'request',
    summary: 'Send a request to a provider',
    description:
      'Sends a request to the API of a connector with the user’s account, if the Tool Pack allows raw requests with this method and path. Returns the response of the provider, whatever its status. It is a tool call: with the same checks, limits, records, policies and approvals. The result contains a `response`, or an `error`, `authenticate_meta` or `approval_meta` instead.',
    body: ProviderRequest,
    responses: { 200: ProviderRequestResult },
    errors: CALL_ERRORS,
    audit: false,
    idempotency: 'of_call',
    waits: true,
  },
  listToolCalls: {
    route: 'GET /tool-calls',
    client: 'toolCalls.list',
    summary: 'List tool calls',
    description:
      'Newest first. A page may be short or empty although more records exist. Continue until next_cursor is null.',
    query: ToolCallQuery,
    responses: { 200: ToolCallRecords },
    errors: ['invalid_cursor', 'invalid_request'],
    tool: { name: 'list_tool_calls', access: 'read' },
  },
  listAffectedUsers: {
    route: 'GET /tool-calls/affected-users',
    client: 'toolCalls.affectedUsers',
    summary: 'List affected users',
    description:
      'Lists the users of one entry of `errors` in the summary, with the Tool Pack of their latest call. The latest call comes first.',
    query: AffectedUsersQuery,
    responses: { 200: AffectedUsers },
    errors: ['invalid_request'],
  },
  exportToolCalls: {
    route: 'GET /tool-calls/export',
    client: 'toolCalls.export',
    summary: 'Export tool calls',
    description:
      'Streams the records as JSON lines or CSV, newest first. If the export fails midway, the last line is an error.',
    query: ToolCallExportQuery,
    responses: { 200: Type.String() },
    errors: ['invalid_request'],
    types: ['application/x-ndjson', 'text/csv'],
  },
  listResultFields: {
    route: 'GET /tool-calls/result-fields',
    client: { method: 'toolCalls.resultFields', argument: 'tool' },
    summary: 'List result fields',
    description:
      'Lists the fields in recorded results of a tool, largest first, for choosing its view. Reads up to 50 results of the last 30 days. Requires stored results (the organization’s `capture`). Returns field names, never values.',
    query: ResultFieldsQuery,
    responses: { 200: ResultFields },
    errors: ['invalid_request'],
  },
  summarizeToolCalls: {
    route: 'GET /tool-calls/summary',
    client: 'toolCalls.summary',
    summary: 'Summarize tool calls',
    description:
      'Counts calls over time and by error, with latencies. Reads up to 50,000 of the latest calls, and up to 20,000 of each unsuccessful outcome.',
    query: ToolCallSummaryQuery,
    responses: { 200: ToolCallSummary },
    errors: ['invalid_request'],
  },
  getToolCall: {
    route: 'GET /tool-calls/{tool_call_id}',
    client: 'toolCalls.get',
    summary: 'Retrieve a tool call',
    description: 'Includes the arguments and the result if they were stored.',
    responses: { 200: ToolCallDetail },
    errors: ['tool_call_not_found'],
    tool: { name: 'get_tool_call', access: 'read' },
  },
  tryView: {
    route: 'POST /tool-calls/{tool_call_id}/view',
    group: 'read',
    client: { method: 'toolCalls.tryView', argument: 'view' },
    summary: 'Try a view',
    description:
      'Applies a view to the recorded result of a call, as a Tool Pack would, and compares the sizes. Changes nothing.',
    body: ViewToTry,
    responses: { 200: ViewTried },
    errors: ['tool_call_not_found', 'invalid_tool_choice', 'duplicate_choice'],
    permission: 'read',
    audit: false,
    idempotency: false,
  },
})
