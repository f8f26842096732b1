import { MINUTE } from '../../../core/duration.ts'

/** As long as a link token: the link is opened right after it was requested. */
export const CONNECTIONS_LINK_TTL_MS = 30 * MINUTE

export type ConnectionsLinkFacts = {
  expired: boolean
  userActive: boolean
  /** Deactivating a user ends the links minted before; reactivation does not restore them. */
  endedWithUser: boolean
}
export type ConnectionsLinkStanding = 'open' | 'expired' | 'user_inactive'

export const connectionsLinkStanding = ({
  expired,
  userActive,
  endedWithUser,
}: ConnectionsLinkFacts): ConnectionsLinkStanding => {
  if (expired || (endedWithUser && userActive)) return 'expired'
  return userActive ? 'open' : 'user_inactive'
}
