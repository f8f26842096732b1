import type { FoundLink } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { Refusal } from '../../../core/refusal.ts'
import { hashToken, parseToken, respellToken } from '../../../core/token.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { readConnectionsHandle } from '../sessions/connections-handle.ts'
import { readSessionHandle } from '../sessions/magic-link.ts'
import { readSession, readSessionBySecret } from '../sessions/open-session.ts'
import { connectionsLinkStore } from './connections-link-store.ts'

type Deps = { db: Database; signer: Signer }
type Owner = { organizationId: string; mode: Mode }
type Link = Owner & { registeredUserId: string }
type Found = { link: Link; linkSessionId: string | null } | null

/**
 * Finds the Link session or connections link of a URL. The error is the same for an unknown link and for one of another
 * organization or mode.
 */
export const findLink = async (deps: Deps, owner: Owner, url: string): Promise<FoundLink> => {
  const found = await readLink(deps, url)
  if (!found || found.link.organizationId !== owner.organizationId || found.link.mode !== owner.mode)
    throw new Refusal('link_not_found', { param: 'url' })
  return { registered_user_id: found.link.registeredUserId, link_session_id: found.linkSessionId }
}

/** At most one query: the first part of the URL that is a token or a signed handle. */
const readLink = ({ db, signer }: Deps, url: string): Promise<Found> => {
  for (const part of url.split(/[/?#&=\s]+/)) {
    const [text = ''] = part.split('.')
    const magicLink = parseToken('magicLink', text)
    const linkToken = magicLink
      ? respellToken(magicLink, 'magicLink', 'linkToken')
      : parseToken('linkToken', text)
    if (linkToken) return ofSession(readSessionBySecret(db, hashToken(linkToken)))
    const connectionsToken = parseToken('connectionsLink', text)
    if (connectionsToken)
      return ofConnections(connectionsLinkStore.findBySecret(db, hashToken(connectionsToken)))
    const session = readSessionHandle(signer, text)
    if (session) return ofSession(readSession(db, session))
    const connections = readConnectionsHandle(signer, text)
    if (connections) return ofConnections(connectionsLinkStore.find(db, connections))
  }
  return Promise.resolve(null)
}

const ofSession = async (reading: ReturnType<typeof readSession>): Promise<Found> => {
  const found = await reading
  return found && { link: found.session, linkSessionId: found.session.id }
}

const ofConnections = async (reading: ReturnType<typeof connectionsLinkStore.find>): Promise<Found> => {
  const link = await reading
  return link && { link, linkSessionId: null }
}
