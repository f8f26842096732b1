import * as contract from './index.ts'

/** Repeated schemas inside of exported ones, by the path to them. */
const INNER: Record<string, string> = {
  ApiKeyCreator: 'ApiKey/properties/created_by',
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
  ToolPackFixedAccount: 'ToolPack/properties/accounts/patternProperties/^.*$/anyOf/0',
  ToolPackRequiredAccount: 'ToolPack/properties/accounts/patternProperties/^.*$/anyOf/1',
  ToolListCosts: 'ToolPackTools/properties/list_costs',
  ToolListCost: 'ToolPackTools/properties/list_costs/properties/list',
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
  WebhookAttemptDetail: 'WebhookDeliveryDetail/properties/attempts/items',
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
