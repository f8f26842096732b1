/** A management tool: a request of the API, made with the caller's own credentials. */
export type ManagementTool = {
  name: string
  /** Method and path, as in the API document. */
  operation: string
  /** `write` tools are offered only at `?access=write`. */
  access: 'read' | 'write'
  /** Names of arguments that differ from those of the request. */
  argumentNames?: Readonly<Record<string, string>>
  /** Aliases in the request that would only confuse a model. */
  hiddenArguments?: readonly string[]
  /** Fields of the response that a model does not need. */
  hiddenFields?: readonly string[]
  /** A field of the items of a list that contains a URL. The model receives its origin only, because the rest is often secret. */
  shortenedUrl?: string
}

const ofUser = { id: 'registered_user_id' }
const ofPack = { id: 'tool_pack_id' }

/** No tool deletes anything, and none returns a key or a secret, because the response becomes part of a model's context. */
export const MANAGEMENT_TOOLS: readonly ManagementTool[] = [
  { name: 'list_connectors', operation: 'GET /connectors', access: 'read' },
  { name: 'search_connector_tools', operation: 'GET /connector-tools', access: 'read' },
  { name: 'list_tool_packs', operation: 'GET /tool-packs', access: 'read' },
  { name: 'get_tool_pack', operation: 'GET /tool-packs/{id}', access: 'read', argumentNames: ofPack },
  {
    name: 'list_tool_pack_tools',
    operation: 'GET /tool-packs/{id}/tools',
    access: 'read',
    argumentNames: ofPack,
  },
  { name: 'list_registered_users', operation: 'GET /registered-users', access: 'read' },
  {
    name: 'get_registered_user',
    operation: 'GET /registered-users/{id}',
    access: 'read',
    argumentNames: ofUser,
  },
  {
    name: 'list_connections',
    operation: 'GET /registered-users/{id}/credentials',
    access: 'read',
    argumentNames: ofUser,
  },
  { name: 'explain_tool_call', operation: 'POST /explain', access: 'read' },
  {
    name: 'list_link_sessions',
    operation: 'GET /registered-users/{id}/link-sessions',
    access: 'read',
    argumentNames: ofUser,
  },
  {
    name: 'get_link_session',
    operation: 'GET /link-sessions/{id}',
    access: 'read',
    argumentNames: { id: 'link_session_id' },
  },
  { name: 'list_tool_calls', operation: 'GET /tool-calls', access: 'read' },
  { name: 'get_tool_call', operation: 'GET /tool-calls/{tool_call_id}', access: 'read' },
  { name: 'get_usage', operation: 'GET /usage', access: 'read' },
  { name: 'get_security_rules', operation: 'GET /security-rules', access: 'read' },
  { name: 'test_security_rules', operation: 'POST /security-rules/test', access: 'read' },
  { name: 'list_rule_violations', operation: 'GET /rule-violations', access: 'read' },
  { name: 'list_events', operation: 'GET /events', access: 'read' },
  {
    name: 'list_webhook_endpoints',
    operation: 'GET /webhook-endpoints',
    access: 'read',
    shortenedUrl: 'url',
  },
  { name: 'list_webhook_deliveries', operation: 'GET /webhook-deliveries', access: 'read' },
  { name: 'list_audit_entries', operation: 'GET /audit-entries', access: 'read' },
  { name: 'test_callback_url', operation: 'POST /callback-origins/test', access: 'read' },
  { name: 'save_registered_user', operation: 'POST /registered-users', access: 'write' },
  {
    name: 'create_link',
    operation: 'POST /registered-users/{id}/link-token',
    access: 'write',
    argumentNames: ofUser,
    hiddenArguments: ['Connector', 'connector_slug'],
    hiddenFields: ['link_token'],
  },
  { name: 'create_tool_pack', operation: 'POST /tool-packs', access: 'write' },
  { name: 'update_tool_pack', operation: 'PATCH /tool-packs/{id}', access: 'write', argumentNames: ofPack },
  {
    name: 'test_connection',
    operation: 'POST /registered-users/{id}/credentials/{credential_id}/test',
    access: 'write',
    argumentNames: ofUser,
  },
  {
    name: 'pause_connection',
    operation: 'POST /registered-users/{id}/credentials/{credential_id}/pause',
    access: 'write',
    argumentNames: ofUser,
  },
  {
    name: 'resume_connection',
    operation: 'POST /registered-users/{id}/credentials/{credential_id}/resume',
    access: 'write',
    argumentNames: ofUser,
  },
]
