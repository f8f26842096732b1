import type { OAuthMethod } from '@carabiner/contract'
import type { Secret } from '../../core/secret.ts'

/** A client registered at a provider. Credentials refer to it by its ID; its redirect URI contains its context. */
export type OAuthApp = {
  id: string
  context: string
  clientId: string
  /** Null: a public client. */
  clientSecret: Secret | null
  /** The method agreed at registration. Null: the connector's file determines it. */
  clientAuthentication: OAuthMethod['client_authentication'] | null
  /** The scopes that the organization requests instead of the connector's defaults. */
  scopes: string[] | null
}

/** The apps of the service itself: one per connector, with the slug as ID and context. */
export type ServiceApps = {
  find(slug: string): OAuthApp | null
  /** Whether the provider has not published the app yet. */
  isInTestMode(slug: string): boolean
}

export const createServiceApps = (
  configured: Map<string, { clientId: string; clientSecret: Secret; testMode?: boolean }>,
): ServiceApps => ({
  find: slug => {
    const app = configured.get(slug)
    if (!app) return null
    const { clientId, clientSecret } = app
    return { id: slug, context: slug, clientId, clientSecret, clientAuthentication: null, scopes: null }
  },
  isInTestMode: slug => configured.get(slug)?.testMode === true,
})

/**
 * The context of an organization's own app. It is known before the app is created, because the provider requires the
 * redirect URI first.
 */
export const ownContext = (organizationId: string, slug: string): string => `${slug}.${organizationId}`

/** Malformed contexts are not looked up. */
export const isContext = (text: string): boolean => /^[a-z0-9][a-z0-9.-]{0,127}$/.test(text)

export const redirectUri = (baseUrl: string, context: string): string =>
  `${baseUrl}/oauth/callback/${context}`
