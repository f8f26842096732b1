import { isRefusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { viewQuery } from '../../pages/view.ts'
import type { LinkTarget, MintLinkToken } from '../sessions/mint-link-token.ts'
import type { ConnectionsPageContext } from './connections-guard.ts'
import { connectionsLinkStore } from './connections-link-store.ts'
import { ownerOf } from './read-connections.ts'

type Deps = { db: Database; connectors: Connectors; mintLinkToken: MintLinkToken }

/**
 * Whether the account can be connected again from this page: the connector must be offered, and the organization must let
 * links store credentials without a code.
 */
export const canReconnect = async (
  { db, connectors }: Pick<Deps, 'db' | 'connectors'>,
  { session }: ConnectionsPageContext,
  slug: string,
): Promise<boolean> =>
  session.linkBinding !== 'code_only' &&
  (await connectors.findUsable(session.organizationId, slug)) !== null &&
  (await connectionsLinkStore.packOffering(db, session, slug)) !== null

/**
 * Starts a Link session that is locked to the connector, to reconnect a credential or to add an account, and returns its address. Consent is shown there as for any other
 * link, and its last page leads back. Null if the connector is not offered any more.
 */
export const startReconnect = async (
  { db, mintLinkToken }: Deps,
  context: ConnectionsPageContext,
  slug: string,
  account: Pick<LinkTarget, 'credentialId' | 'accountChoice'>,
): Promise<string | null> => {
  const toolPackId = await connectionsLinkStore.packOffering(db, context.session, slug)
  if (toolPackId === null) return null
  try {
    const target = { connectorSlug: slug, toolPackId, callback: null, state: null, ...account }
    const { registeredUserId, ...owner } = ownerOf(context)
    const { magic_link_url } = await mintLinkToken(owner, registeredUserId, target)
    // A frame opens the link in a window, which ends there.
    const leavesFrame = context.view.frame !== null
    return `${magic_link_url}${
      leavesFrame
        ? viewQuery({ ...context.view, surface: 'magic_link', opener: null, nonce: null, frame: null })
        : viewQuery(context.view, { connections: context.handle })
    }`
  } catch (error) {
    if (NOT_OFFERED.some(code => isRefusal(error, code))) return null
    throw error
  }
}

const NOT_OFFERED = [
  'credential_not_found',
  'unknown_connector',
  'connector_not_configured',
  'connector_needs_no_link',
  'connector_not_in_tool_pack',
  'tool_pack_not_found',
  'code_mode_required',
] as const
