import { type Static, Type } from 'typebox'
import { Slug } from './connector.ts'

const Timestamp = Type.String({ format: 'date-time' })
const SlugOrNull = Type.Union([Slug, Type.Null()])
const TextOrNull = Type.Union([Type.String(), Type.Null()])

/** Status of a session. Only `completed` means that a credential is stored. */
export const linkStatuses = ['open', 'awaiting_confirmation', 'completed', 'expired', 'ended'] as const
export type LinkStatus = (typeof linkStatuses)[number]
const LinkStatusName = Type.Enum(linkStatuses)

const LastAttempt = Type.Object({
  outcome: Type.Enum(['exit', 'error']),
  reason: TextOrNull,
  Connector: Type.String(),
  at: Timestamp,
})

/** Payload of a session's event stream. It never contains a code, a token or an account. */
export const LinkState = Type.Object({
  status: LinkStatusName,
  Connector: SlugOrNull,
  scopes: Type.Array(Type.String()),
  last: Type.Union([LastAttempt, Type.Null()]),
})
export type LinkState = Static<typeof LinkState>

/** Response to the exchange of a link token for its session. */
export const TradedSession = Type.Object({
  session: Type.String(),
  url: Type.String(),
  status: Type.Enum(['open', 'used', 'expired', 'withdrawn', 'user_inactive', 'unauthorized_origin']),
  expires_at: Timestamp,
  Connector: SlugOrNull,
})
export type TradedSession = Static<typeof TradedSession>

/** The My connections page in a frame. */
export const FramedConnections = Type.Object({
  url: Type.String(),
  status: Type.Enum(['open', 'expired', 'user_inactive']),
})
export type FramedConnections = Static<typeof FramedConnections>

export const linkSteps = [
  'minted',
  'opened_by_scanner',
  'opened_by_person',
  'chosen',
  'left',
  'key_submitted',
  'choosing_site',
  'choosing_account',
  'cancelled',
  'denied',
  'failed',
  'code_issued',
  'completed',
  'renewal_requested',
] as const

const LinkStep = Type.Object({
  step: Type.Enum(linkSteps),
  at: Timestamp,
  connector_slug: SlugOrNull,
  reason: TextOrNull,
})

export const LinkSession = Type.Object({
  id: Type.String({ format: 'uuid' }),
  registered_user_id: Type.String({ format: 'uuid' }),
  status: LinkStatusName,
  connector_slug: SlugOrNull,
  scopes: Type.Array(Type.String()),
  minted_at: Timestamp,
  expires_at: Timestamp,
  timeline: Type.Array(LinkStep, { description: 'Steps of the session, oldest first' }),
})
export type LinkSession = Static<typeof LinkSession>

export const LinkSessions = Type.Object({ data: Type.Array(LinkSession), next_cursor: TextOrNull })
