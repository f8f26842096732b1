import { type Static, Type } from 'typebox'
import { Slug } from './connector.ts'

export const authenticateReasons = [
  'never_linked',
  'expired',
  'revoked',
  'insufficient_scope',
  'expiring',
] as const
export type AuthenticateReason = (typeof authenticateReasons)[number]

export const AuthenticateMeta = Type.Object(
  {
    type: Type.Literal('authenticate_meta'),
    Connector: Slug,
    link_token: Type.String(),
    expires_at: Type.String({ format: 'date-time' }),
    magic_link_url: Type.String({ format: 'uri' }),
    message: Type.String(),
    reason: Type.Enum(authenticateReasons),
  },
  { additionalProperties: false },
)

export type AuthenticateMeta = Static<typeof AuthenticateMeta>
