import { type Static, Type } from 'typebox'
import { Slug } from './connector.ts'
import { AccountLabel, Id, orNull, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const

/** Limits of a Tool Pack, which keep its list of tools small enough for a model. */
export const toolPackBounds = {
  packs: 100,
  connectors: 1000,
  toolsOfConnector: 500,
  descriptionLength: 2000,
  fixedBytes: 32 * 1024,
  favorites: 50,
  requestPaths: 50,
  viewFields: 100,
  resultLimit: { minimum: 1000, maximum: 1_000_000, default: 100_000 },
  dailyCallLimit: 1_000_000_000,
} as const

// --- selection of connectors and tools ------------------------------------------------------------------------------

const InputSetting = Type.Object(
  {
    fixed: Type.Optional(
      Type.Unknown({ description: 'Value that the pack sets. The input is not shown to the model.' }),
    ),
    hidden: Type.Optional(
      Type.Literal(true, { description: 'The input is not shown to the model and has no value.' }),
    ),
  },
  { ...strict, minProperties: 1, maxProperties: 1 },
)
const Inputs = Type.Record(Type.String(), InputSetting)

const Description = Type.String({
  minLength: 1,
  maxLength: toolPackBounds.descriptionLength,
  description: 'Replaces the tool’s own description for the model.',
})

const requestMethods = Type.Array(Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']), {
  minItems: 1,
  maxItems: 5,
  description: 'Default: `["GET"]`.',
})
const requestPaths = Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
  minItems: 1,
  maxItems: toolPackBounds.requestPaths,
  description:
    'Patterns of paths below the connector’s API address, such as `/repos/*/*/labels`. `*` is one segment, `**` at the end is one or more.',
})
const requestsNote = {
  description:
    'Offers the tool `<connector>__request`, which sends a request to the connector’s API with the user’s credential. Default: not offered.',
}

const OutputView = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
  minItems: 1,
  maxItems: toolPackBounds.viewFields,
  description:
    'Fields of the result that the model receives, as JSON Pointers with `*` for the items of an array, such as `/items/*/title`. Default: all.',
})

export const ViewToTry = Type.Object({ view: OutputView }, strict)
export const ViewTried = Type.Object({
  result_bytes: Type.Integer({ description: 'Size of the recorded result.' }),
  view_bytes: Type.Integer({ description: 'Size of the part that the view selects.' }),
  result: Type.Unknown({ description: 'The result that the model would receive.' }),
})
export type ViewTried = Static<typeof ViewTried>

export const ResultFieldsQuery = Type.Object(
  {
    tool: Type.String({
      maxLength: 128,
      description: 'Full name of the tool, such as `github__list_issues`.',
    }),
  },
  strict,
)
export const ResultFields = Type.Object({
  tool: Type.String(),
  results: Type.Integer({ description: 'Recorded results that were read.' }),
  skipped: Type.Integer({ description: 'Results that are not JSON, or were not stored completely.' }),
  bytes: Type.Integer({ description: 'Sum of the sizes of the results that were read.' }),
  fields: Type.Array(
    Type.Object({
      field: Type.String({ description: 'For `view` of a tool in a Tool Pack.' }),
      bytes: Type.Integer(),
      share: Type.Number({ description: 'Share of the bytes, from 0 to 1.' }),
      results: Type.Integer({ description: 'Results that contain the field.' }),
    }),
  ),
})
export type ResultFields = Static<typeof ResultFields>

const ChosenTool = Type.Object({
  name: Type.String(),
  description: Type.Optional(Description),
  inputs: Type.Optional(Inputs),
  view: Type.Optional(OutputView),
})
const ChosenConnector = Type.Object({
  slug: Slug,
  tools: Type.Union([Type.Array(ChosenTool), Type.Null()], {
    description: 'Null: all tools, including those added later.',
  }),
  requests: Type.Optional(Type.Object({ methods: requestMethods, paths: requestPaths }, requestsNote)),
})
export type ChosenConnector = Static<typeof ChosenConnector>

// The long form comes first, because validation errors refer to the first alternative.
const ToolToChoose = Type.Union([
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 128 }),
      description: Type.Optional(Type.Union([Description, Type.Null()])),
      inputs: Type.Optional(Type.Union([Inputs, Type.Null()])),
      view: Type.Optional(orNull(OutputView)),
    },
    strict,
  ),
  Type.String({ minLength: 1, maxLength: 128 }),
])
const ConnectorToChoose = Type.Union([
  Type.Object(
    {
      slug: Type.String({ minLength: 1, maxLength: 64 }),
      tools: Type.Optional(
        Type.Union([Type.Array(ToolToChoose, { maxItems: toolPackBounds.toolsOfConnector }), Type.Null()]),
      ),
      requests: Type.Optional(
        orNull(
          Type.Object(
            { methods: Type.Optional(requestMethods), paths: requestPaths },
            { ...strict, ...requestsNote },
          ),
        ),
      ),
    },
    strict,
  ),
  Type.String({ minLength: 1, maxLength: 64 }),
])
export type ConnectorToChoose = Static<typeof ConnectorToChoose>

// --- Tool Packs -----------------------------------------------------------------------------------------------------

const { resultLimit } = toolPackBounds
const name = Type.String({ minLength: 1, maxLength: 255 })
const PackDescription = Type.String({ maxLength: toolPackBounds.descriptionLength })
const ChosenConnectors = Type.Array(ConnectorToChoose, {
  maxItems: toolPackBounds.connectors,
  description:
    'A slug as a string selects all tools of the connector; a tool name as a string selects the tool without changes.',
})
const ResultLimit = Type.Integer({
  minimum: resultLimit.minimum,
  maximum: resultLimit.maximum,
  description: `Maximum size in bytes of a result passed to the model. Default: ${resultLimit.default}.`,
})
const DailyCallLimit = orNull(
  Type.Integer({
    minimum: 0,
    maximum: toolPackBounds.dailyCallLimit,
    description:
      'Maximum number of successful calls per day (UTC) by users of the production mode. Null, the default: no limit.',
  }),
)
const Serving = Type.Enum(['list', 'search', 'reveal'], {
  description:
    'How `tools/list` presents the tools. `list`: all of them. `search`: only `search_tools`, `call_tool` and the favorites. `reveal`: only `search_tools` and the favorites; tools that a search finds are added to the list of the session. Default: `list`.',
})
const Favorites = Type.Array(Type.String({ pattern: '^[a-z0-9-]+__[\\x21-\\x7e]+$', maxLength: 128 }), {
  maxItems: toolPackBounds.favorites,
  description:
    'Names of tools, such as `gmail__send_message`, that are listed although the pack is served as search.',
})
const AccountRule = Type.Union([
  Type.Object(
    {
      fixed: Type.String({
        ...AccountLabel,
        description:
          'Label or credential ID. Calls use only this account, and the model is not offered a choice.',
      }),
    },
    strict,
  ),
  Type.Object(
    {
      required: Type.Literal(true, {
        description: 'A call must name the account, even if the user has only one.',
      }),
    },
    strict,
  ),
])
const PackAccounts = Type.Record(Type.String({ maxLength: 64 }), AccountRule, {
  maxProperties: toolPackBounds.connectors,
  description:
    'Which of the user’s accounts calls may use, by connector. Default: a call names the account if the user has several.',
})
export type PackAccounts = Static<typeof PackAccounts>
const settings = {
  description: Type.Optional(PackDescription),
  is_default: Type.Optional(
    Type.Boolean({
      description: 'True makes this pack the organization’s default and replaces the previous default.',
    }),
  ),
  connectors: Type.Optional(ChosenConnectors),
  result_limit: Type.Optional(ResultLimit),
  result_handles: Type.Optional(
    Type.Boolean({
      description: 'Keep the part of a result beyond the limit for one hour, so that the model can read on.',
    }),
  ),
  explain_access: Type.Optional(
    Type.Boolean({
      description:
        'Offer the tool `explain_access`, which tells the model why a tool does not work for the user. Default: false.',
    }),
  ),
  renewal_notices: Type.Optional(
    Type.Boolean({
      description:
        'Add a notice to results while the user’s account is about to end, and offer the tool `renew_connection`, which returns a link for it. Default: false.',
    }),
  ),
  tasks: Type.Optional(
    Type.Boolean({
      description:
        'Turn calls that wait for an approval into MCP tasks, for clients that support them. Results are stored for an hour. Default: true.',
    }),
  ),
  daily_call_limit: Type.Optional(DailyCallLimit),
  serving: Type.Optional(Serving),
  favorites: Type.Optional(Favorites),
  accounts: Type.Optional(PackAccounts),
}

export const ToolPackWrite = Type.Object({ name, ...settings }, strict)
export type ToolPackWrite = Static<typeof ToolPackWrite>
/** Null restores the default of a new pack. */
export const ToolPackPatch = Type.Object(
  {
    name: Type.Optional(name),
    ...settings,
    description: Type.Optional(orNull(PackDescription)),
    connectors: Type.Optional(orNull(ChosenConnectors)),
    result_limit: Type.Optional(orNull(ResultLimit)),
    accounts: Type.Optional(orNull(PackAccounts)),
  },
  strict,
)
export type ToolPackPatch = Static<typeof ToolPackPatch>

export const ToolPack = Type.Object({
  id: Id,
  handle: Type.String({
    description:
      'Users sign in with their MCP client at `{base_url}/mcp/{handle}`. A test key gets the handle for users of the test mode.',
  }),
  name: Type.String(),
  description: Type.String(),
  is_default: Type.Boolean(),
  connectors: Type.Union([Type.Array(ChosenConnector), Type.Null()], {
    description: 'Null: all usable Connectors.',
  }),
  result_limit: Type.Integer(),
  result_handles: Type.Boolean(),
  explain_access: Type.Boolean(),
  renewal_notices: Type.Boolean(),
  tasks: Type.Boolean(),
  daily_call_limit: DailyCallLimit,
  serving: Serving,
  favorites: Type.Array(Type.String()),
  accounts: PackAccounts,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ToolPack = Static<typeof ToolPack>
export const ToolPacks = pageOf(ToolPack)

const ToolPackTool = Type.Object({
  name: Type.String(),
  connector: orNull(Type.String({ description: 'Null for a built-in tool.' })),
  title: Type.Optional(Type.String()),
  description: Type.String(),
  input_schema: Type.Record(Type.String(), Type.Unknown()),
  annotations: Type.Record(Type.String(), Type.Unknown()),
  definition_bytes: Type.Integer({ description: 'Size of the definition in `tools/list`, as JSON.' }),
})
export type ToolPackTool = Static<typeof ToolPackTool>
/** Tokenizers differ; for JSON with English descriptions, four bytes are about one token. */
export const BYTES_PER_TOKEN = 4

const ListCost = Type.Object({
  tools: Type.Integer(),
  definition_bytes: Type.Integer(),
  estimated_tokens: Type.Integer({
    description: `An estimate: ${BYTES_PER_TOKEN} bytes of a definition are about one token.`,
  }),
})
export type ListCost = Static<typeof ListCost>
const ListCosts = Type.Object(
  { list: ListCost, search: ListCost, reveal: ListCost },
  { description: 'What `tools/list` contains at the start of a session for each value of `serving`.' },
)
export type ListCosts = Static<typeof ListCosts>
export const ToolPackTools = Type.Object({
  ...pageOf(ToolPackTool).properties,
  total_tools: Type.Integer(),
  total_definition_bytes: Type.Integer({ description: 'Sum for all tools of the pack.' }),
  list_costs: ListCosts,
})
export type ToolPackTools = Static<typeof ToolPackTools>

export const ToolPackEstimate = Type.Object(
  {
    connectors: Type.Optional(ChosenConnectors),
  },
  strict,
)
export type ToolPackEstimate = Static<typeof ToolPackEstimate>
export const ToolPackEstimated = Type.Object({ list_costs: ListCosts })
export type ToolPackEstimated = Static<typeof ToolPackEstimated>

// --- MCP keys -------------------------------------------------------------------------------------------------------

export const MAX_MCP_KEY_DAYS = 365

export const McpKeyCreate = Type.Object(
  {
    name,
    tool_pack_ids: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        minItems: 1,
        maxItems: toolPackBounds.packs,
        description: 'Default: the default Tool Pack.',
      }),
    ),
    expires_in_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_MCP_KEY_DAYS, description: 'Default: 30.' }),
    ),
    expires_at: Type.Optional(Timestamp),
  },
  strict,
)
export type McpKeyCreate = Static<typeof McpKeyCreate>

export const McpKey = Type.Object({
  id: Id,
  registered_user_id: Id,
  name: Type.String(),
  hint: Type.String({ description: 'The prefix and last four characters' }),
  tool_pack_ids: Type.Array(Id, { description: 'Tool Packs of the key that still exist.' }),
  created_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()], {
    description: 'The last request with the key, stored about once a minute. Null: never used.',
  }),
  expires_at: Timestamp,
})
export const NewMcpKey = Type.Object({
  ...McpKey.properties,
  key: Type.String({ description: 'Returned only in this response' }),
})
export const McpKeys = pageOf(McpKey)
export const McpKeyFilter = Type.Object(
  { hint: Type.String({ pattern: '^[0-9A-Za-z]{4}$', description: 'The last four characters of the key.' }) },
  strict,
)
export const FoundMcpKeys = Type.Object({ data: Type.Array(McpKey) })
