import { type Static, Type } from 'typebox'
import { Id, Page, pageOf, Timestamp } from './resources.ts'

const text = (description: string) => Type.String({ description })
const MaybeText = Type.Union([Type.String(), Type.Null()])
const PlainValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

export const AuditEntry = Type.Object({
  sequence: Type.Integer({ minimum: 1, description: 'From 1, without gaps' }),
  at: Timestamp,
  action: text('A noun and what happened to it, such as tool_pack.updated'),
  outcome: Type.Union([Type.Literal('done'), Type.Literal('unknown'), Type.Literal('denied')], {
    description: 'unknown: it may have happened, wholly or in part. denied: the key lacks the right.',
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
    { description: 'Fields by name; values only where they are never secret' },
  ),
  previous_hash: text('The hash of the entry before, in hexadecimal'),
  hash: text('SHA-256 over the hash before and this entry'),
})
export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntries = pageOf(AuditEntry)

export const AuditQuery = Type.Object(
  {
    ...Page.Query.properties,
    action: Type.Optional(Type.String({ maxLength: 64 })),
    actor: Type.Optional(Type.String({ maxLength: 128, description: 'The id of an API key' })),
    target: Type.Optional(Type.String({ maxLength: 256, description: 'The id of what was changed' })),
    registered_user_id: Type.Optional(Id),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Inclusive' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive' })),
  },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>
