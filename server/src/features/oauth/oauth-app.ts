import type { OAuthMethod } from '@carabiner/contract'
import type { Secret } from '../../core/secret.ts'

/** A client registered with a third party. Credentials name it by its id; its context names it in its redirect URI. */
export type OAuthApp = {
  id: string
  context: string
  clientId: string
  /** Null: a public client. */
  clientSecret: Secret | null
  /** Where it was agreed when the client was registered; otherwise the connector's file says. */
  clientAuthentication: OAuthMethod['client_authentication'] | null
  /** What its organization asks for, instead of what the connector asks for by default. */
  scopes: string[] | null
}

/** The service's own apps: one per connector, named by its slug in both places. */
export type ServiceApps = { find(slug: string): OAuthApp | null }

export const createServiceApps = (
  configured: Map<string, { clientId: string; clientSecret: Secret }>,
): ServiceApps => ({
  find: slug => {
    const app = configured.get(slug)
    return app ? { id: slug, context: slug, ...app, clientAuthentication: null, scopes: null } : null
  },
})

/** The one redirect URI of an organization's own app: known before the app is, since the third party asks for it first. */
export const ownContext = (organizationId: string, slug: string): string => `${slug}.${organizationId}`

/** What no app of ours is called is not looked for. */
export const isContext = (text: string): boolean => /^[a-z0-9][a-z0-9.-]{0,127}$/.test(text)

export const redirectUri = (baseUrl: string, context: string): string =>
  `${baseUrl}/oauth/callback/${context}`
