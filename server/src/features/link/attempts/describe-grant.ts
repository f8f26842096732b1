import type { ConnectorFile, OAuthMethod } from '@carabiner/contract'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { UsableConnector } from '../../connectors/availability.ts'
import { type CheckedCredential, checkCredential } from '../../connectors/check-credential.ts'
import { type CredentialSecret, oauthSecret } from '../../credentials/credential-secret.ts'
import { OAuthError, requireLearned, type Tokens } from '../../oauth/protocol.ts'
import { listSites } from '../../upstream/http/list-sites.ts'
import type { SessionRow } from '../sessions/link-session-store.ts'
import type { ReturnedAttempt } from './attempt-store.ts'
import type { LinkDeps } from './authorize.ts'
import type { SiteList } from './choose-site.ts'
import { discardObtained, type Obtained } from './complete-session.ts'

/** What the exchange of the code brought. `tenant`: the parts of addresses that are known by then. */
export type Exchanged = { tokens: Tokens; tenant: Record<string, string>; method: OAuthMethod }

type Described = {
  obtained: Obtained
  checked: CheckedCredential
  /** The sites to choose from, if there are several. */
  siteList: SiteList | null
}

/** Whose account the grant is for and where it is used. A grant that cannot be used is revoked before the error is thrown. */
export const describeGrant = async (
  deps: LinkDeps,
  session: SessionRow,
  connector: UsableConnector,
  attempt: ReturnedAttempt,
  { tokens, tenant, method }: Exchanged,
): Promise<Described> => {
  const checked = await checkCredential(deps, attempt.organization_id, connector, oauthSecret(tokens, tenant))
  const known = checked.kind === 'account' ? checked : null
  const obtainedAt = (places: Record<string, string>): Obtained => ({
    attemptId: attempt.id,
    connectorSlug: connector.slug,
    serverId: connector.serverId ?? null,
    secret: oauthSecret(tokens, places),
    scopes: tokens.scopes,
    // A third party that will not say who it is has still given its consent.
    account: known?.account ?? null,
    accountId: known?.accountId ?? null,
    oauthApp: attempt.oauth_app,
    expiresInSeconds: tokens.expiresInSeconds,
  })
  try {
    // A server that will not speak with the token it just had issued is not linked.
    if (connector.mcp && !known)
      throw new OAuthError({ kind: checked.kind === 'rejected' ? 'exchange_failed' : 'provider_unavailable' })
    const learned = requireLearned(method, { identity: known?.answer ?? null })
    const places = { ...tenant, ...learned }
    const siteList = await findSites(
      deps.egress.onBehalfOf(attempt.organization_id),
      connector,
      method,
      oauthSecret(tokens, places),
    )
    const [only, ...others] = siteList?.sites ?? []
    if (!siteList || !only || others.length > 0) return { obtained: obtainedAt(places), checked, siteList }
    return { obtained: obtainedAt({ ...places, [siteList.name]: only.value }), checked, siteList: null }
  } catch (error) {
    await discardObtained(deps, session, obtainedAt(tenant))
    deps.afterRevocation()
    throw error
  }
}

/** Null if the connector has no sites. An account without any site cannot be connected. */
const findSites = async (
  egress: Egress,
  connector: ConnectorFile,
  { site }: OAuthMethod,
  secret: CredentialSecret,
): Promise<SiteList | null> => {
  const listed = await listSites({ egress }, connector, secret)
  if (!site || !listed) return null
  if (listed.kind === 'unavailable') throw new OAuthError({ kind: 'provider_unavailable' })
  if (listed.sites.length === 0) throw new OAuthError({ kind: 'no_site' })
  return { name: site.name, sites: listed.sites }
}
