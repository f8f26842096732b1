import {
  type ConnectorFile,
  OAuthAppPut,
  OAuthAppState,
  OAuthAppTest,
  oauthMethod,
} from '@carabiner/contract'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import type { Api } from '../../edge/api.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { ownContext, redirectUri } from '../oauth/oauth-app.ts'
import { findOwnApp, type OAuthApps } from '../oauth/oauth-apps.ts'
import type { Connectors } from './availability.ts'
import { type RemovalDeps, removeOwnApp, saveOwnApp } from './own-oauth-app.ts'
import { testOAuthApp } from './test-oauth-app.ts'

const tags = ['OAuth apps']
const settings = { productionKeyOnly: true } as const
const Path = Type.Object({ slug: Type.String({ maxLength: 64 }) })

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
  const errors = ['connector_not_found', 'oauth_app_not_applicable'] as const

  const requireOAuth = (slug: string): ConnectorFile => {
    const connector = connectors.findShipped(slug)
    if (!connector) throw new Refusal('connector_not_found')
    if (!oauthMethod(connector)) throw new Refusal('oauth_app_not_applicable')
    return connector
  }

  api.get(
    '/connectors/:slug/oauth-app',
    {
      config: { ...settings, errors: [...errors] },
      schema: {
        summary: 'Read the OAuth app of a connector and the redirect URI to register',
        tags,
        params: Path,
        response: { 200: OAuthAppState },
      },
    },
    async request => describeApp(deps, request.principal.organizationId, requireOAuth(request.params.slug)),
  )

  api.put(
    '/connectors/:slug/oauth-app',
    {
      config: {
        ...settings,
        errors: [...errors],
        audit: {
          action: 'oauth_app.saved',
          target: 'params.slug',
          values: ['in_use', 'client_id'],
          before: request => {
            const { slug } = request.params as { slug: string }
            return describeApp(deps, request.principal.organizationId, requireOAuth(slug))
          },
        },
      },
      schema: {
        summary: 'Use your own OAuth app',
        description:
          'New links use it from now on. The same client_id with another client_secret replaces the secret, which the next refresh uses. Another client_id leaves existing credentials unchanged until they are linked again.',
        tags,
        params: Path,
        body: OAuthAppPut,
        response: { 200: OAuthAppState },
      },
    },
    async request => {
      const { organizationId } = request.principal
      const connector = requireOAuth(request.params.slug)
      await saveOwnApp(deps, organizationId, connector.slug, request.body)
      return describeApp(deps, organizationId, connector)
    },
  )

  api.post(
    '/connectors/:slug/oauth-app/test',
    {
      config: {
        ...settings,
        skipsWakeUp: true,
        idempotency: false,
        errors: [...errors, 'oauth_app_not_found'],
        audit: false,
      },
      schema: {
        summary: 'Test the OAuth app of a connector',
        description:
          'Presents an invalid code to the token endpoint of the third party. The error shows whether it accepts the client ID and the secret. Changes nothing.',
        tags,
        params: Path,
        response: { 200: OAuthAppTest },
      },
    },
    async request => testOAuthApp(deps, request.principal.organizationId, requireOAuth(request.params.slug)),
  )

  api.delete(
    '/connectors/:slug/oauth-app',
    {
      config: {
        ...settings,
        errors: [...errors, 'oauth_app_not_found'],
        audit: { action: 'oauth_app.removed', target: 'params.slug' },
      },
      schema: {
        summary: 'Stop using your own OAuth app',
        description:
          'New links use the service’s app, if there is one. Credentials linked with your app can no longer be refreshed: they become needs_reauth, each with an event.',
        tags,
        params: Path,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { slug } = requireOAuth(request.params.slug)
      await removeOwnApp(deps, request.principal.organizationId, slug)
      return reply.code(204).send(null)
    },
  )
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
    updated_at: own?.updatedAt.toISOString() ?? null,
  }
}
