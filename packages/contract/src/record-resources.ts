import { type Static, Type } from 'typebox'
import { callOutcomes } from './call-outcomes.ts'
import { callSteps } from './explain-resources.ts'
import { Id, Page, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])

/** One tool call, without its arguments and result. */
export const ToolCallRecord = Type.Object({
  id: Id,
  registered_user_id: Id,
  tool_pack_id: Id,
  mode: Type.Enum(['production', 'test']),
  connector: orNull(Type.String({ description: 'Null for a built-in tool.' })),
  tool: Type.String(),
  credential_id: orNull({ ...Id, description: 'The account that the call used. Null: none.' }),
  account_label: orNull(Type.String({ description: 'Label of that account at the time of the call.' })),
  outcome: Type.Enum(callOutcomes),
  error_code: orNull(Type.String()),
  ended_at_step: orNull(
    Type.Enum(callSteps, {
      description:
        'The step that ended the call, as in `POST /explain`. `result_rules`: a security rule blocked the result. `settlement`: the result could not be stored or was withheld. Null: the call was carried out, the outcome is `unknown`, or the tool belongs to the gateway itself.',
    }),
  ),
  counted: Type.Boolean({ description: 'Whether the call counts toward the plan.' }),
  request_id: Type.String(),
  trace_id: orNull(
    Type.String({
      description:
        'Trace ID of the call: that of the caller (W3C traceparent), or of the trace that the service began.',
    }),
  ),
  started_at: Timestamp,
  finished_at: Timestamp,
  gateway_ms: orNull(Type.Number()),
  rules_ms: orNull(Type.Number()),
  third_party_ms: orNull(Type.Number()),
  arguments_bytes: orNull(Type.Integer()),
  result_bytes: orNull(Type.Integer({ description: 'Size of the result after redaction.' })),
  view_bytes: orNull(
    Type.Integer({
      description: 'What the view of the Tool Pack left of the result. Null: the tool has no view.',
    }),
  ),
  headers: Type.Record(Type.String(), Type.String(), { description: 'X-* headers sent by the caller.' }),
  matches: Type.Array(Type.Object({ entity: Type.String(), count: Type.Integer() }), {
    description: 'Number of rule matches by entity. The matched values are not stored.',
  }),
})
export type ToolCallRecord = Static<typeof ToolCallRecord>
export const ToolCallRecords = pageOf(ToolCallRecord)

export const ToolCallDetail = Type.Object({
  ...ToolCallRecord.properties,
  error_message: orNull(
    Type.String({
      description: 'The error message that the caller received. Stored encrypted, like arguments.',
    }),
  ),
  error_param: orNull(Type.String({ description: 'The argument that caused the error.' })),
  steps: Type.Array(
    Type.Object({
      step: Type.Enum(callSteps, { description: 'As in `ended_at_step`.' }),
      title: Type.String({ description: 'Display name of the step, such as `Plan limit`.' }),
      status: Type.Enum(['passed', 'failed', 'not_reached'], {
        description: '`failed`: the step that ended the call.',
      }),
    }),
    {
      description:
        'The steps of this call, in its order. Empty if the tool belongs to the gateway itself, or where the call ended is unknown.',
    },
  ),
  payload: Type.Enum(['kept', 'none', 'unreadable'], {
    description: '`none`: capture was off, or the call ended before there was a payload.',
  }),
  arguments: Type.Unknown({ description: 'Arguments as sent to the provider, after redaction.' }),
  arguments_truncated: Type.Boolean({
    description: 'True if `arguments` is truncated to the beginning of the JSON text.',
  }),
  result: Type.Unknown({ description: 'Result as returned to the agent, after redaction.' }),
  result_truncated: Type.Boolean({
    description: 'True if `result` is truncated to the beginning of the JSON text.',
  }),
})
export type ToolCallDetail = Static<typeof ToolCallDetail>

const Moment = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }))
const word = (description?: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, ...(description && { description }) }))

export const ToolCallFilter = Type.Object(
  {
    registered_user_id: word(),
    tool_pack_id: word(),
    connector: word('Slug of a connector.'),
    tool: word('Tool name with or without its connector: `list_issues` or `github__list_issues`.'),
    account_label: word('Label of the account that the call used, in any case.'),
    outcome: Type.Optional(Type.Enum(callOutcomes)),
    error_code: word('Such as `third_party_rejected`, or `insufficient_scope` for the outcome `needs_auth`.'),
    since: Moment('Inclusive start: a date, or a date with time and time zone.'),
    until: Moment('Exclusive end: a date, or a date with time and time zone.'),
    request_id: word(),
    trace_id: word(),
    header: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description: '`X-Name:value`. The value must match exactly.',
      }),
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

export const ToolCallSummaryQuery = Type.Object(
  {
    since: Moment('Inclusive start, at most 31 days before `until`. Default: 24 hours before it.'),
    until: Moment('Exclusive end. Default: now.'),
  },
  strict,
)
const Percentiles = Type.Object({ p50: orNull(Type.Number()), p95: orNull(Type.Number()) })
export const ToolCallSummary = Type.Object({
  since: Timestamp,
  until: Timestamp,
  covered_since: Type.String({
    ...Timestamp,
    description:
      'Start of the calls that are summarized. It is later than `since` if there are more calls than one summary reads; `errors` may reach further back.',
  }),
  interval_seconds: Type.Integer({ description: 'Length of a period of `series`.' }),
  calls: Type.Integer(),
  failed: Type.Integer({ description: 'Calls with the outcome error, blocked, limited or unknown.' }),
  needs_auth: Type.Integer(),
  gateway_ms: Type.Object(Percentiles.properties, {
    description: 'Time that the service added to a call.',
  }),
  third_party_ms: Percentiles,
  waiting_users: Type.Integer({
    description: 'Users whose calls needed a connection that they have not made yet.',
  }),
  series: Type.Array(
    Type.Object({
      at: Timestamp,
      success: Type.Integer(),
      redacted: Type.Integer({ description: 'Successful calls in which a security rule matched.' }),
      needs_auth: Type.Integer(),
      error: Type.Integer(),
    }),
    { description: 'Oldest first. Periods without calls are included.' },
  ),
  errors: Type.Array(
    Type.Object({
      outcome: Type.Enum(callOutcomes),
      error_code: orNull(Type.String()),
      connector: orNull(Type.String()),
      tool: orNull(Type.String({ description: 'Null if the calls are of several tools.' })),
      calls: Type.Integer(),
      users: Type.Integer(),
      first_at: Timestamp,
      last_at: Timestamp,
    }),
    { description: 'Calls without success, grouped by outcome, error code and connector. Largest first.' },
  ),
})
export type ToolCallSummary = Static<typeof ToolCallSummary>

export const AffectedUsersQuery = Type.Object(
  {
    outcome: Type.Enum(['error', 'needs_auth', 'blocked', 'limited', 'unknown']),
    error_code: word(),
    connector: word('Slug of a connector.'),
    ...ToolCallSummaryQuery.properties,
  },
  strict,
)
export const AffectedUsers = Type.Object({
  data: Type.Array(
    Type.Object({
      registered_user_id: Id,
      tool_pack_id: Id,
      calls: Type.Integer(),
      last_at: Timestamp,
    }),
  ),
  has_more: Type.Boolean({ description: 'Whether there are more than 1,000 users.' }),
})
export type AffectedUsers = Static<typeof AffectedUsers>

export const usageGroups = ['day', 'user', 'connector', 'tool'] as const
export type UsageGroup = (typeof usageGroups)[number]

export const UsageQuery = Type.Object(
  {
    since: Moment('First day to include (UTC). Default: 29 days ago.'),
    until: Moment('Day after the last day to include (UTC). Default: tomorrow.'),
    group_by: Type.Optional(
      Type.String({ maxLength: 40, description: `Comma-separated list of: ${usageGroups.join(', ')}.` }),
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
  counted: Type.Integer({ description: 'Number of calls that count toward the plan.' }),
  errors: Type.Integer(),
  blocked: Type.Integer(),
  limited: Type.Integer(),
  needs_auth: Type.Integer(),
  approval_required: Type.Integer(),
  replayed: Type.Integer(),
  unknown: Type.Integer(),
  withheld: Type.Integer(),
})
export type UsageSum = Static<typeof UsageSum>
export const Usage = Type.Object({
  since: Type.String({ format: 'date' }),
  until: Type.String({ format: 'date' }),
  data: Type.Array(UsageSum),
})
export const UsageCycle = Type.Object({
  plan: Type.String(),
  limit: orNull(Type.Integer({ description: 'Null if unlimited.' })),
  starts_at: Timestamp,
  ends_at: Timestamp,
  counted: Type.Integer(),
  in_flight: Type.Integer({ description: 'In-flight calls, which may count when they end.' }),
  left: orNull(Type.Integer()),
})
export type UsageCycle = Static<typeof UsageCycle>
