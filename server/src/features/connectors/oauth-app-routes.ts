import { type ConnectorFile, type OAuthAppState, oauthMethod, signInMethod } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { Refusal } from '../../core/refusal.ts'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { ownContext, redirectUri } from '../oauth/oauth-app.ts'
import { findOwnApp, type OAuthApps } from '../oauth/oauth-apps.ts'
import type { Connectors } from './availability.ts'
import { type RemovalDeps, removeOwnApp, saveOwnApp } from './own-oauth-app.ts'
import { testOAuthApp } from './test-oauth-app.ts'

type Deps = RemovalDeps & {
  vault: Vault
  egress: Egress
  connectors: Connectors
  apps: OAuthApps
  baseUrl: string
}

/** §5.8: the organization's own OAuth app, which shows its name on the provider's consent page. */
export const oauthAppRoutes = (api: Api, deps: Deps): void => {
  const { connectors } = deps

  const requireOAuth = (slug: string): ConnectorFile => {
    const connector = connectors.findShipped(slug)
    if (!connector) throw new Refusal('connector_not_found')
    if (!signInMethod(connector)) throw new Refusal('oauth_app_not_applicable')
    return connector
  }

  serve(api, operations.getOAuthApp, async request =>
    describeApp(deps, request.principal.organizationId, requireOAuth(request.params.slug)),
  )

  serve(
    api,
    operations.replaceOAuthApp,
    async request => {
      const { organizationId } = request.principal
      const connector = requireOAuth(request.params.slug)
      await saveOwnApp(deps, organizationId, connector.slug, request.body)
      return describeApp(deps, organizationId, connector)
    },
    {
      before: request => {
        const { slug } = request.params
        return describeApp(deps, request.principal.organizationId, requireOAuth(slug))
      },
    },
  )

  serve(
    api,
    operations.testOAuthApp,
    async request => testOAuthApp(deps, request.principal.organizationId, requireOAuth(request.params.slug)),
    { skipsWakeUp: true },
  )

  serve(api, operations.deleteOAuthApp, async request => {
    const { slug } = requireOAuth(request.params.slug)
    await removeOwnApp(deps, request.principal.organizationId, slug)
  })
}

const describeApp = async (
  { db, apps, baseUrl }: Deps,
  organizationId: string,
  connector: ConnectorFile,
): Promise<OAuthAppState> => {
  const { slug } = connector
  const own = await findOwnApp(db, organizationId, slug)
  const byDefault = (oauthMethod(connector)?.scopes ?? [])
    .filter(({ optional }) => !optional)
    .map(({ name }) => name)
  return {
    connector_slug: slug,
    redirect_uri: redirectUri(baseUrl, ownContext(organizationId, slug)),
    in_use: own ? 'own' : apps.serviceHas(slug) ? 'service' : 'none',
    client_id: own?.clientId ?? null,
    has_client_secret: own?.sealedSecret != null,
    scopes: own?.scopes ?? byDefault,
    scopes_overridden: own?.scopes != null,
    test_mode: own ? own.testMode : apps.isInTestMode(slug),
    updated_at: own?.updatedAt.toISOString() ?? null,
  }
}
