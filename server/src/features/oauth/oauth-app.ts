import type { Secret } from '../../core/secret.ts'

/** A client registered with a third party. Its context names it in the one redirect URI that it alone uses. */
export type OAuthApp = { context: string; clientId: string; clientSecret: Secret }

export type OAuthApps = {
  /** The app that new links of a connector use. */
  find(slug: string): OAuthApp | null
  /** The app that a credential or an attempt was made with. */
  byContext(context: string): OAuthApp | null
}

/** The service's own apps: one per connector, named by its slug. */
export const createOAuthApps = (
  configured: Map<string, { clientId: string; clientSecret: Secret }>,
): OAuthApps => {
  const find = (slug: string): OAuthApp | null => {
    const app = configured.get(slug)
    return app ? { context: slug, ...app } : null
  }
  return { find, byContext: find }
}

export const redirectUri = (baseUrl: string, context: string): string =>
  `${baseUrl}/oauth/callback/${context}`
