import type { ConnectorFile, ConnectorSite } from '@carabiner/contract'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { UsableConnector } from '../../connectors/availability.ts'
import { type CheckedCredential, checkCredential } from '../../connectors/check-credential.ts'
import type { CredentialSecret } from '../../credentials/credential-secret.ts'
import { OAuthError, requireLearned } from '../../oauth/protocol.ts'
import { listSites } from '../../upstream/http/list-sites.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'
import type { ReturnedAttempt } from './attempt-store.ts'
import type { SiteList } from './choose-site.ts'
import { discardObtained } from './complete-session.ts'
import type { LinkDeps } from './link-deps.ts'
import type { ObtainedCredential } from './obtained-credential.ts'
import type { SignInResult } from './sign-in-state.ts'

type GrantDescription = {
  obtained: ObtainedCredential
  checked: CheckedCredential
  /** The sites to choose from, if there are several. */
  siteList: SiteList | null
}

/**
 * Determines the account and the address variables of a grant. A grant that cannot be used is revoked before the error is
 * thrown.
 */
export const describeGrant = async (
  deps: LinkDeps,
  session: StoredSession,
  connector: UsableConnector,
  attempt: ReturnedAttempt,
  { secretAt, scopes, expiresInSeconds, endsInSeconds, tenant, method }: SignInResult,
): Promise<GrantDescription> => {
  const checked = await checkCredential(deps, attempt.organizationId, connector, secretAt(tenant))
  const known = checked.kind === 'account' ? checked : null
  const obtainedWith = (tenantValues: Record<string, string>): ObtainedCredential => ({
    attemptId: attempt.id,
    connectorSlug: connector.slug,
    serverId: connector.serverId ?? null,
    secret: secretAt(tenantValues),
    scopes,
    // Providers that do not identify the account can still be linked.
    account: known?.account ?? null,
    accountId: known?.accountId ?? null,
    oauthApp: attempt.oauthApp,
    expiresInSeconds,
    endsInSeconds,
  })
  try {
    // An MCP server that rejects the token it has just issued is not linked.
    if (connector.mcp && !known)
      throw new OAuthError({ kind: checked.kind === 'rejected' ? 'exchange_failed' : 'provider_unavailable' })
    const learned = method ? requireLearned(method, { identity: known?.answer ?? null }) : {}
    const tenantValues = { ...tenant, ...learned }
    const siteList = await findSites(
      deps.egress.onBehalfOf(attempt.organizationId),
      connector,
      method?.site,
      secretAt(tenantValues),
    )
    const [only, ...others] = siteList?.sites ?? []
    if (!siteList || !only || others.length > 0)
      return { obtained: obtainedWith(tenantValues), checked, siteList }
    return {
      obtained: obtainedWith({ ...tenantValues, ...only.sets }),
      checked,
      siteList: null,
    }
  } catch (error) {
    await discardObtained(deps, session, obtainedWith(tenant))
    deps.afterRevocation()
    throw error
  }
}

/** Returns null if the connector has no sites. An account without any site cannot be connected. */
const findSites = async (
  egress: Egress,
  connector: ConnectorFile,
  site: ConnectorSite | undefined,
  secret: CredentialSecret,
): Promise<SiteList | null> => {
  const listed = await listSites({ egress }, connector, secret)
  if (!site || !listed) return null
  if (listed.kind === 'unavailable') throw new OAuthError({ kind: 'provider_unavailable' })
  if (listed.sites.length === 0) throw new OAuthError({ kind: 'no_site' })
  return { kind: site.kind ?? 'site', sites: listed.sites }
}
