import { type Static, Type } from 'typebox'
import { keyGroups } from './key-groups.ts'
import { Id, orNull, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const

export const MAX_API_KEY_DAYS = 3650
/** How long a rolled key may stay valid beside its replacement. */
export const MAX_OVERLAP_MINUTES = 24 * 60
export const DEFAULT_OVERLAP_MINUTES = 60

const Mode = Type.Enum(['production', 'test'])
const Groups = Type.Array(Type.Enum(keyGroups), { minItems: 1, uniqueItems: true })

export const ApiKey = Type.Object({
  id: Id,
  mode: Mode,
  name: Type.String(),
  hint: Type.String({ description: 'The prefix and last four characters' }),
  groups: Type.Union([Groups, Type.Null()], {
    description: 'Groups of operations that a restricted key may use. Null: the key is not restricted.',
  }),
  created_at: Timestamp,
  created_by: Type.Object(
    {
      type: Type.Enum(['api_key', 'person', 'operator', 'system'], {
        description: '`person`: a member in the dashboard. `system`: the service itself.',
      }),
      id: Type.String({ description: 'ID of the key or the person.' }),
      hint: orNull(Type.String({ description: 'Name of the person, or hint of the key. Null: none.' })),
    },
    { description: 'Who created the key, as in the audit trail.' },
  ),
  last_used_at: Type.Union([Timestamp, Type.Null()], {
    description: 'The last request with the key, stored about once a minute. Null: never used.',
  }),
  expires_at: Type.Union([Timestamp, Type.Null()], {
    description: 'When the key stops working. For a rolled key, the end of its overlap. Null: never.',
  }),
  replaced_by: Type.Union([Id, Type.Null()], {
    description: 'ID of the current key that replaces this rolled one. Null: the key was not rolled.',
  }),
  lineage: Type.String({
    ...Id,
    description:
      'ID of the first key: a key that replaces another one inherits it. Approvals and tasks belong to all keys of a lineage.',
  }),
})
export type ApiKey = Static<typeof ApiKey>

const Secret = Type.String({ description: 'Returned only in this response' })
export const NewApiKey = Type.Object({ ...ApiKey.properties, key: Secret })
export const RolledApiKey = Type.Object({
  ...NewApiKey.properties,
  previous_key_expires_at: Type.String({ ...Timestamp, description: 'When the rolled key stops working.' }),
})
export const ApiKeys = Type.Object({ data: Type.Array(ApiKey) })

export const ApiKeyCreate = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    mode: Type.Optional(
      Type.Enum(['production', 'test'], { description: '`production` or `test`. Default: `test`.' }),
    ),
    groups: Type.Optional(
      Type.Array(Type.Enum(keyGroups), {
        minItems: 1,
        uniqueItems: true,
        description: 'Restricts the key to these groups of operations. Default: not restricted.',
      }),
    ),
    expires_in_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_API_KEY_DAYS,
        description: 'Lifetime of the key. Default: unlimited.',
      }),
    ),
    expires_at: Type.Optional(
      Type.String({
        ...Timestamp,
        maxLength: 64,
        description: 'When the key expires, instead of `expires_in_days`.',
      }),
    ),
  },
  strict,
)
export type ApiKeyCreate = Static<typeof ApiKeyCreate>

export const ApiKeyRoll = Type.Object(
  {
    overlap_minutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_MINUTES,
        description: `How long the rolled key still works. Default: ${DEFAULT_OVERLAP_MINUTES}.`,
      }),
    ),
  },
  strict,
)
