import { type Static, Type } from 'typebox'
import { Id, Page, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])

export const callOutcomes = [
  'success',
  'replayed',
  'error',
  'needs_auth',
  'blocked',
  'limited',
  'unknown',
] as const
export type CallOutcome = (typeof callOutcomes)[number]

/** One tool call, without what was said in it. */
export const ToolCallRecord = Type.Object({
  id: Id,
  registered_user_id: Id,
  tool_pack_id: Id,
  mode: Type.Enum(['production', 'test']),
  connector: orNull(Type.String({ description: 'Null for a tool of the gateway’s own.' })),
  tool: Type.String(),
  outcome: Type.Enum(callOutcomes),
  error_code: orNull(Type.String()),
  counted: Type.Boolean({ description: 'Whether it counts toward the plan.' }),
  request_id: Type.String(),
  trace_id: orNull(Type.String({ description: 'Of the W3C traceparent that came with the call.' })),
  started_at: Timestamp,
  finished_at: Timestamp,
  gateway_ms: orNull(Type.Number()),
  rules_ms: orNull(Type.Number()),
  third_party_ms: orNull(Type.Number()),
  arguments_bytes: orNull(Type.Integer()),
  result_bytes: orNull(Type.Integer()),
  headers: Type.Record(Type.String(), Type.String(), { description: 'The X-* headers of the caller.' }),
  matches: Type.Array(Type.Object({ entity: Type.String(), count: Type.Integer() }), {
    description: 'What rules found, by entity. The values are kept nowhere.',
  }),
})
export type ToolCallRecord = Static<typeof ToolCallRecord>
export const ToolCallRecords = pageOf(ToolCallRecord)

export const ToolCallDetail = Type.Object({
  ...ToolCallRecord.properties,
  payload: Type.Enum(['kept', 'none', 'unreadable'], {
    description: 'None: capture was off, or the call ended before there was anything to keep.',
  }),
  arguments: Type.Unknown({ description: 'As they were sent to the third party, after redaction.' }),
  arguments_cut: Type.Boolean({ description: 'Too large: `arguments` is the beginning of their JSON text.' }),
  result: Type.Unknown({ description: 'As the agent was given it, after redaction.' }),
  result_cut: Type.Boolean({ description: 'Too large: `result` is the beginning of its JSON text.' }),
})
export type ToolCallDetail = Static<typeof ToolCallDetail>

const Moment = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }))
const word = (description?: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, ...(description && { description }) }))

export const ToolCallFilter = Type.Object(
  {
    registered_user_id: word(),
    tool_pack_id: word(),
    connector: word('The slug of a connector.'),
    tool: word('`list_issues`, or with its connector `github__list_issues`.'),
    outcome: Type.Optional(Type.Enum(callOutcomes)),
    since: Moment('Not before: a date, or a date with time and zone.'),
    until: Moment('Before: a date, or a date with time and zone.'),
    request_id: word(),
    trace_id: word(),
    header: Type.Optional(
      Type.String({ minLength: 1, maxLength: 300, description: '`X-Name:value`, the whole value.' }),
    ),
  },
  strict,
)
export type ToolCallFilter = Static<typeof ToolCallFilter>
export const ToolCallQuery = Type.Object({ ...Page.Query.properties, ...ToolCallFilter.properties }, strict)
export const ToolCallExportQuery = Type.Object(
  { format: Type.Optional(Type.Enum(['jsonl', 'csv'])), ...ToolCallFilter.properties },
  strict,
)

export const usageGroups = ['day', 'user', 'connector', 'tool'] as const
export type UsageGroup = (typeof usageGroups)[number]

export const UsageQuery = Type.Object(
  {
    since: Moment('The first day, UTC; 29 days ago unless told.'),
    until: Moment('The day after the last, UTC; tomorrow unless told.'),
    group_by: Type.Optional(
      Type.String({ maxLength: 40, description: `Of ${usageGroups.join(', ')}, separated by commas.` }),
    ),
  },
  strict,
)
export const UsageSum = Type.Object({
  day: Type.Optional(Type.String({ format: 'date' })),
  registered_user_id: Type.Optional(orNull(Id)),
  connector: Type.Optional(orNull(Type.String())),
  tool: Type.Optional(Type.String()),
  calls: Type.Integer(),
  counted: Type.Integer({ description: 'Toward the plan.' }),
  errors: Type.Integer(),
  blocked: Type.Integer(),
  limited: Type.Integer(),
  needs_auth: Type.Integer(),
  replayed: Type.Integer(),
  unknown: Type.Integer(),
})
export type UsageSum = Static<typeof UsageSum>
export const Usage = Type.Object({
  since: Type.String({ format: 'date' }),
  until: Type.String({ format: 'date' }),
  data: Type.Array(UsageSum),
})
export const UsageCycle = Type.Object({
  plan: Type.String(),
  limit: orNull(Type.Integer({ description: 'Null: as many as there are.' })),
  starts_at: Timestamp,
  ends_at: Timestamp,
  counted: Type.Integer(),
  under_way: Type.Integer({ description: 'Calls that may count once they end.' }),
  left: orNull(Type.Integer()),
})
export type UsageCycle = Static<typeof UsageCycle>
