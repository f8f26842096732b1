import { type Static, Type } from 'typebox'
import { Id, Page, pageOf, Timestamp } from './resources.ts'

const text = (description: string) => Type.String({ description })
const MaybeText = Type.Union([Type.String(), Type.Null()])
const PlainValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

export const AuditEntry = Type.Object({
  sequence: Type.Integer({ minimum: 1, description: 'Starts at 1 and has no gaps' }),
  at: Timestamp,
  action: text('Resource and event, such as tool_pack.updated'),
  outcome: Type.Union([Type.Literal('done'), Type.Literal('unknown'), Type.Literal('denied')], {
    description:
      'unknown: the change may have been applied, fully or in part. denied: the key lacks the permission.',
  }),
  target: Type.Object({ type: Type.String(), id: MaybeText }),
  registered_user_id: MaybeText,
  actor: Type.Object({
    type: Type.Union([Type.Literal('api_key'), Type.Literal('operator'), Type.Literal('system')]),
    id: Type.String(),
    hint: MaybeText,
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

export const AuditQuery = Type.Object(
  {
    ...Page.Query.properties,
    action: Type.Optional(Type.String({ maxLength: 64 })),
    actor: Type.Optional(
      Type.String({ maxLength: 128, description: 'ID of the API key that made the change' }),
    ),
    target: Type.Optional(Type.String({ maxLength: 256, description: 'ID of the changed resource' })),
    registered_user_id: Type.Optional(Id),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Inclusive' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive' })),
  },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>
