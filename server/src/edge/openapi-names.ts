import * as contract from '@carabiner/contract'

/** The names of operations in generated clients, by method and path under `/api/v1`. */
export const OPERATION_NAMES: Record<string, string> = {
  'GET /organization': 'getOrganization',
  'PATCH /organization': 'updateOrganization',
  'GET /members': 'listMembers',
  'POST /members': 'inviteMember',
  'PATCH /members/{id}': 'updateMember',
  'DELETE /members/{id}': 'removeMember',
  'POST /members/{id}/sign-in-link': 'createSignInLink',
  'GET /api-keys': 'listApiKeys',
  'POST /api-keys': 'createApiKey',
  'POST /api-keys/{id}/regenerate': 'regenerateApiKey',
  'DELETE /api-keys/{id}': 'revokeApiKey',
  'GET /callback-origins': 'listCallbackOrigins',
  'POST /callback-origins': 'addCallbackOrigin',
  'DELETE /callback-origins': 'removeCallbackOrigin',
  'POST /callback-origins/test': 'testCallbackUrl',
  'GET /link-customization': 'getLinkCustomization',
  'PATCH /link-customization': 'updateLinkCustomization',
  'POST /link-customization/preview': 'createLinkPreview',
  'PUT /link-customization/logo/{theme}': 'uploadLinkLogo',
  'DELETE /link-customization/logo/{theme}': 'deleteLinkLogo',
  'GET /connectors': 'listConnectors',
  'GET /connector-tools': 'searchTools',
  'POST /connectors': 'createMcpConnector',
  'GET /connectors/{slug}': 'getMcpConnector',
  'PATCH /connectors/{slug}': 'updateMcpConnector',
  'DELETE /connectors/{slug}': 'deleteMcpConnector',
  'GET /connectors/{slug}/oauth-app': 'getOAuthApp',
  'PUT /connectors/{slug}/oauth-app': 'replaceOAuthApp',
  'DELETE /connectors/{slug}/oauth-app': 'deleteOAuthApp',
  'POST /connectors/{slug}/oauth-app/test': 'testOAuthApp',
  'GET /connectors/{slug}/tools': 'getMcpConnectorTools',
  'POST /connectors/{slug}/tools/check': 'checkMcpConnectorTools',
  'GET /connectors/{slug}/tools/pending/impact': 'getPendingToolsImpact',
  'POST /connectors/{slug}/tools/accept': 'acceptMcpConnectorTools',
  'GET /tool-packs': 'listToolPacks',
  'GET /tool-packs/{id}/tools': 'listToolPackTools',
  'POST /tool-packs': 'createToolPack',
  'GET /tool-packs/{id}': 'getToolPack',
  'PUT /tool-packs/{id}': 'replaceToolPack',
  'PATCH /tool-packs/{id}': 'updateToolPack',
  'DELETE /tool-packs/{id}': 'deleteToolPack',
  'GET /security-rules': 'getSecurityRules',
  'PUT /security-rules': 'replaceSecurityRules',
  'PATCH /security-rules': 'updateSecurityRules',
  'GET /security-rules/entities': 'listSecurityEntities',
  'POST /security-rules/test': 'testSecurityRules',
  'POST /explain': 'explainCall',
  'GET /tool-packs/{id}/security-rules': 'getToolPackSecurityRules',
  'PUT /tool-packs/{id}/security-rules': 'replaceToolPackSecurityRules',
  'DELETE /tool-packs/{id}/security-rules': 'deleteToolPackSecurityRules',
  'GET /rule-violations': 'listRuleViolations',
  'GET /rule-violations/summary': 'summarizeRuleViolations',
  'GET /registered-users': 'listRegisteredUsers',
  'POST /registered-users': 'createRegisteredUser',
  'GET /registered-users/{id}': 'getRegisteredUser',
  'PATCH /registered-users/{id}': 'updateRegisteredUser',
  'DELETE /registered-users/{id}': 'deleteRegisteredUser',
  'GET /registered-users/{id}/credentials': 'listCredentials',
  'GET /registered-users/{id}/credentials/{credential_id}': 'getCredential',
  'DELETE /registered-users/{id}/credentials/{credential_id}': 'deleteCredential',
  'POST /registered-users/{id}/credentials/{credential_id}/test': 'testCredential',
  'POST /registered-users/{id}/credentials/{credential_id}/pause': 'pauseCredential',
  'POST /registered-users/{id}/credentials/{credential_id}/resume': 'resumeCredential',
  'GET /registered-users/{id}/revocations': 'listRevocations',
  'POST /registered-users/{id}/link-token': 'createLinkToken',
  'POST /registered-users/{id}/connections-link': 'createConnectionsLink',
  'POST /links/find': 'findLink',
  'POST /link-token/confirm': 'confirmLinkCode',
  'GET /registered-users/{id}/link-sessions': 'listLinkSessions',
  'GET /link-sessions/{id}': 'getLinkSession',
  'GET /mcp-keys': 'findMcpKeys',
  'GET /registered-users/{id}/mcp-keys': 'listMcpKeys',
  'POST /registered-users/{id}/mcp-keys': 'createMcpKey',
  'DELETE /registered-users/{id}/mcp-keys/{key_id}': 'revokeMcpKey',
  'GET /audit-entries': 'listAuditEntries',
  'GET /audit-entries/verification': 'verifyAuditTrail',
  'GET /tool-calls': 'listToolCalls',
  'GET /tool-calls/export': 'exportToolCalls',
  'GET /tool-calls/summary': 'summarizeToolCalls',
  'GET /tool-calls/affected-users': 'listAffectedUsers',
  'GET /tool-calls/result-fields': 'listResultFields',
  'POST /tool-calls/{tool_call_id}/view': 'tryView',
  'GET /tool-calls/{tool_call_id}': 'getToolCall',
  'GET /usage': 'getUsage',
  'GET /usage/cycle': 'getUsageCycle',
  'GET /events': 'listEvents',
  'GET /events/stream': 'streamEvents',
  'GET /webhook-endpoints': 'listWebhookEndpoints',
  'POST /webhook-endpoints': 'createWebhookEndpoint',
  'GET /webhook-endpoints/{id}': 'getWebhookEndpoint',
  'PATCH /webhook-endpoints/{id}': 'updateWebhookEndpoint',
  'DELETE /webhook-endpoints/{id}': 'deleteWebhookEndpoint',
  'POST /webhook-endpoints/{id}/rotate-secret': 'rotateWebhookSecret',
  'POST /webhook-endpoints/{id}/test': 'testWebhookEndpoint',
  'POST /webhook-endpoints/{id}/replay': 'replayWebhookDeliveries',
  'GET /webhook-endpoints/{id}/deliveries': 'listWebhookDeliveries',
  'GET /webhook-deliveries': 'listAllWebhookDeliveries',
  'GET /webhook-deliveries/{id}': 'getWebhookDelivery',
  'POST /webhook-deliveries/{id}/replay': 'replayWebhookDelivery',
}

export const TAGS: Record<string, string> = {
  Organization: 'The organization, its API keys and its callback origins.',
  Members: 'The people who use the dashboard.',
  'Link customization': 'The appearance and texts of Link pages.',
  Connectors: 'The connectors that can be used.',
  'Custom connectors': 'MCP servers that are added as connectors.',
  'OAuth apps': 'The OAuth app that a connector uses.',
  'Tool Packs': 'Selections of connectors and tools for agents.',
  'Security Gateway': 'Rules for what tool calls send and receive, and what they found.',
  'Registered Users': 'The users of your application.',
  Credentials: 'The accounts that Registered Users have connected.',
  Linking: 'Link tokens, authorization codes and Link sessions.',
  'MCP keys': 'Keys with which a Registered User’s own MCP clients connect.',
  Explain: 'Whether a tool call would run, and what keeps it from running.',
  'Audit trail': 'Changes, who made them and when.',
  'Tool calls': 'Records of tool calls.',
  Usage: 'Counts of tool calls and the billing cycle.',
  Events: 'What has happened, as a list and as a stream.',
  Webhooks: 'Endpoints that receive events, and deliveries to them.',
}

/** Repeated schemas inside of exported ones, by the path to them. */
const INNER: Record<string, string> = {
  LinkLanguageTexts: 'LinkTexts/properties/en',
  LinkLogos: 'LinkCustomization/properties/logo',
  LinkContrast: 'LinkCustomization/properties/contrast',
  LinkThemeContrast: 'LinkCustomization/properties/contrast/properties/light',
  ToolPackConnector: 'ToolPack/properties/connectors/anyOf/0/items',
  ToolPackTool: 'ToolPack/properties/connectors/anyOf/0/items/properties/tools/anyOf/0/items',
  ToolPackToolInput:
    'ToolPack/properties/connectors/anyOf/0/items/properties/tools/anyOf/0/items/properties/inputs/patternProperties/^.*$',
  ToolPackConnectorWrite: 'ToolPackWrite/properties/connectors/items/anyOf/0',
  ToolPackToolWrite:
    'ToolPackWrite/properties/connectors/items/anyOf/0/properties/tools/anyOf/0/items/anyOf/0',
  McpTool: 'McpToolsState/properties/tools/items',
  PendingMcpTools: 'McpToolsState/properties/pending/anyOf/0',
  EffectiveSecurityRules: 'SecurityRules/properties/effective',
  EffectiveEntityRule: 'SecurityRules/properties/effective/properties/entities/patternProperties/^.*$',
  EffectiveCustomSecurityRule: 'SecurityRules/properties/effective/properties/custom_rules/items',
  LinkSessionStep: 'LinkSession/properties/timeline/items',
  RuleMatch: 'ToolCallRecord/properties/matches/items',
  RegisteredUserEventData: 'eventCatalog/registered_user.created/data',
  EmptyEventData: 'eventCatalog/registered_user.deleted/data',
  LinkSessionEventData: 'eventCatalog/link.opened/data',
  EndedCredentialEventData: 'eventCatalog/credential.revoked/data',
  ToolCallEventData: 'eventCatalog/tool_call.completed/data',
  WebhookAttempt: 'WebhookDelivery/properties/attempts/items',
}

const isObjectSchema = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && 'properties' in value && 'type' in value

/** The names of schemas: those of the contract's exports, and of repeated ones inside of them. */
export const namedSchemas = (): Map<string, string> => {
  const names = new Map<string, string>()
  const { ErrorBody, ...rest } = contract
  const exported: Record<string, unknown> = { Error: ErrorBody, ...rest }
  for (const [name, schema] of Object.entries(exported))
    if (isObjectSchema(schema) && !names.has(JSON.stringify(schema))) names.set(JSON.stringify(schema), name)
  for (const [name, place] of Object.entries(INNER)) {
    const schema = place
      .split('/')
      .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], exported)
    if (!isObjectSchema(schema)) throw new Error(`no schema at ${place}`)
    if (!names.has(JSON.stringify(schema))) names.set(JSON.stringify(schema), name)
  }
  return names
}
