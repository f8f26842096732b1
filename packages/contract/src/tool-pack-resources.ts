import { type Static, Type } from 'typebox'
import { Slug } from './connector.ts'
import { Id, orNull, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const

/** What a Tool Pack may hold, so that a list of tools stays something that a model can read. */
export const toolPackBounds = {
  packs: 100,
  connectors: 1000,
  toolsOfConnector: 500,
  descriptionLength: 2000,
  fixedBytes: 32 * 1024,
  resultLimit: { least: 1000, most: 1_000_000, unlessTold: 100_000 },
} as const

// --- what a pack chooses --------------------------------------------------------------------------------------------

const InputSetting = Type.Object(
  {
    fixed: Type.Optional(
      Type.Unknown({ description: 'The pack gives this value; the model neither sees nor gives the input.' }),
    ),
    hidden: Type.Optional(Type.Literal(true, { description: 'Nobody gives the input.' })),
  },
  { ...strict, minProperties: 1, maxProperties: 1 },
)
const Inputs = Type.Record(Type.String(), InputSetting)

const Description = Type.String({
  minLength: 1,
  maxLength: toolPackBounds.descriptionLength,
  description: 'Shown to the model in place of the tool’s own.',
})

const ChosenTool = Type.Object({
  name: Type.String(),
  description: Type.Optional(Description),
  inputs: Type.Optional(Inputs),
})
const ChosenConnector = Type.Object({
  slug: Slug,
  tools: Type.Union([Type.Array(ChosenTool), Type.Null()], {
    description: 'Null: all of them, also those that come later.',
  }),
})
export type ChosenConnector = Static<typeof ChosenConnector>

// The long form comes first: what is wrong in it is then what the refusal names.
const ToolToChoose = Type.Union([
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 128 }),
      description: Type.Optional(Type.Union([Description, Type.Null()])),
      inputs: Type.Optional(Type.Union([Inputs, Type.Null()])),
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
    },
    strict,
  ),
  Type.String({ minLength: 1, maxLength: 64 }),
])
export type ConnectorToChoose = Static<typeof ConnectorToChoose>

// --- Tool Packs -----------------------------------------------------------------------------------------------------

const { least, most, unlessTold } = toolPackBounds.resultLimit
const name = Type.String({ minLength: 1, maxLength: 255 })
const PackDescription = Type.String({ maxLength: toolPackBounds.descriptionLength })
const ChosenConnectors = Type.Array(ConnectorToChoose, {
  maxItems: toolPackBounds.connectors,
  description: 'A string is short for all tools of a connector, or for a tool as it is.',
})
const ResultLimit = Type.Integer({
  minimum: least,
  maximum: most,
  description: `Bytes of a result that reach the model. Default: ${unlessTold}.`,
})
const settings = {
  description: Type.Optional(PackDescription),
  is_default: Type.Optional(
    Type.Boolean({ description: 'True makes it the organization’s default in place of the one that is.' }),
  ),
  connectors: Type.Optional(ChosenConnectors),
  result_limit: Type.Optional(ResultLimit),
  result_handles: Type.Optional(
    Type.Boolean({ description: 'Keep what is beyond the limit for an hour, to be read on.' }),
  ),
}

export const ToolPackWrite = Type.Object({ name, ...settings }, strict)
export type ToolPackWrite = Static<typeof ToolPackWrite>
/** Null goes back to what a new pack has. */
export const ToolPackPatch = Type.Object(
  {
    name: Type.Optional(name),
    ...settings,
    description: Type.Optional(orNull(PackDescription)),
    connectors: Type.Optional(orNull(ChosenConnectors)),
    result_limit: Type.Optional(orNull(ResultLimit)),
  },
  strict,
)
export type ToolPackPatch = Static<typeof ToolPackPatch>

export const ToolPack = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  is_default: Type.Boolean(),
  connectors: Type.Union([Type.Array(ChosenConnector), Type.Null()], {
    description: 'Null: every Connector that is usable now.',
  }),
  result_limit: Type.Integer(),
  result_handles: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ToolPack = Static<typeof ToolPack>
export const ToolPacks = pageOf(ToolPack)

// --- MCP keys -------------------------------------------------------------------------------------------------------

export const MOST_MCP_KEY_DAYS = 365

export const McpKeyCreate = Type.Object(
  {
    name,
    tool_pack_ids: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        minItems: 1,
        maxItems: toolPackBounds.packs,
        description: 'The default Tool Pack unless told.',
      }),
    ),
    expires_in_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_MCP_KEY_DAYS, description: '30 unless told.' }),
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
  tool_pack_ids: Type.Array(Id, { description: 'Those that still exist.' }),
  created_at: Timestamp,
  expires_at: Timestamp,
})
export const NewMcpKey = Type.Object({
  ...McpKey.properties,
  key: Type.String({ description: 'Shown this once' }),
})
export const McpKeys = pageOf(McpKey)
