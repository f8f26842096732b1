import { type Static, Type } from 'typebox'
import { described, optional, strict } from './connector-parts.ts'

const days = (description: string) => optional(Type.Integer({ minimum: 1, maximum: 3660, description }))

/** What ends a credential of a method, as the vendor documents it. */
export const Lifetime = Type.Object(
  {
    idle_days: days(
      'It ends after this many days without use. For `oauth2`, only a refresh is a use: the limit is the one of the refresh token.',
    ),
    max_days: days('It ends this many days after the account was linked, however often it is used.'),
    test_mode_days: days(
      'The same for an OAuth app that the vendor has not published yet. Only for `oauth2`.',
    ),
    rotate_days: days(
      'The vendor asks its customers to replace the key after this many days. The key does not end by itself.',
    ),
    password_change: optional(
      Type.Boolean(described('A change of the user’s password at the vendor ends it.')),
    ),
    source: Type.String({
      pattern: '^https://',
      maxLength: 400,
      description: 'The vendor’s page that states it.',
    }),
    checked_on: Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d$',
      description: 'Date on which the page was read.',
    }),
  },
  {
    ...strict,
    description:
      'What ends a credential of this method, if the vendor documents it. Users are warned before.',
  },
)
export type Lifetime = Static<typeof Lifetime>
