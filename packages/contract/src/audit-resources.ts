import { type Static, Type } from 'typebox'
import { Id, Page, pageOf, Timestamp } from './resources.ts'

const text = (description: string) => Type.String({ description })
const MaybeText = Type.Union([Type.String(), Type.Null()])
const CurrentName = Type.Union([Type.String(), Type.Null()], {
  description: 'Current name. Null: it has none, or it no longer exists.',
})
const PlainValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

export const AuditEntry = Type.Object({
  sequence: Type.Integer({ minimum: 1, description: 'Starts at 1 and has no gaps' }),
  at: Timestamp,
  action: text('Resource and event, such as tool_pack.updated'),
  outcome: Type.Union([Type.Literal('done'), Type.Literal('unknown'), Type.Literal('denied')], {
    description:
      'unknown: the change may have been applied, fully or in part. denied: the key or the person lacks the permission.',
  }),
  target: Type.Object({ type: Type.String(), id: MaybeText, name: CurrentName }),
  registered_user_id: MaybeText,
  registered_user_name: CurrentName,
  actor: Type.Object({
    type: Type.Enum(['api_key', 'person', 'operator', 'user', 'system'], {
      description:
        '`person`: a member in the dashboard; `hint` is the name. `user`: a Registered User who decides about a call.',
    }),
    id: Type.String(),
    hint: MaybeText,
    name: CurrentName,
  }),
  from: Type.Object({ address: MaybeText, user_agent: MaybeText }),
  request_id: Type.String(),
  changes: Type.Array(
    Type.Object({ field: Type.String(), from: Type.Optional(PlainValue), to: Type.Optional(PlainValue) }),
    { description: 'Changed fields. Values are included only for fields that never hold secrets' },
  ),
  previous_hash: text('Hash of the previous entry, in hexadecimal'),
  hash: text('SHA-256 of the previous hash and this entry'),
})
export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntries = pageOf(AuditEntry)

export const auditBreaks = ['changed', 'missing', 'forked', 'cut', 'added', 'forged'] as const
export const AuditVerificationQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,14}$',
        description: 'Sequence number of the first entry to verify. Default: 1',
      }),
    ),
  },
  { additionalProperties: false },
)
export const AuditVerification = Type.Object({
  verified: Type.Integer({ description: 'Number of entries that this request verified' }),
  head: Type.Object(
    {
      sequence: Type.Integer(),
      hash: text('Record it elsewhere to detect a chain that was reset to an earlier state'),
    },
    { description: 'Last entry of the chain' },
  ),
  unverified_until: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Entries up to this one were imported from an installation that the operator does not know. They are consistent, but their content is not vouched for. Null if there are none',
  }),
  next_from: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Set if there are more entries. Repeat the request with it as `from`',
  }),
  problem: Type.Union(
    [
      Type.Object({
        kind: Type.Enum(auditBreaks),
        sequence: Type.Integer({ description: 'First entry that is affected' }),
        message: Type.String(),
      }),
      Type.Null(),
    ],
    { description: 'First problem. Null if all verified entries are intact' },
  ),
})
export type AuditVerification = Static<typeof AuditVerification>

export const AuditQuery = Type.Object(
  {
    ...Page.Query.properties,
    action: Type.Optional(Type.String({ maxLength: 64 })),
    actor: Type.Optional(
      Type.String({ maxLength: 128, description: 'ID of the API key or person that made the change' }),
    ),
    target: Type.Optional(Type.String({ maxLength: 256, description: 'ID of the changed resource' })),
    registered_user_id: Type.Optional(Id),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Inclusive' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive' })),
  },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>
