import { type ConnectorFile, methodOf, type OAuthMethod, oauthMethod } from '@carabiner/contract'
import type { OAuthApp } from '../oauth/oauth-app.ts'
import type { OAuth1Provider } from '../oauth/oauth1-protocol.ts'
import type { OAuthProvider } from '../oauth/protocol.ts'
import { fillAddress } from '../upstream/templates/template.ts'

/** The OAuth endpoints for a credential. Some providers have a separate authorization server for each tenant. */
export const oauthProvider = (
  connector: ConnectorFile | null,
  app: OAuthApp | null,
  tenant: Record<string, string>,
): OAuthProvider | null => {
  const method = connector && oauthMethod(connector)
  if (!method || !app) return null
  const revokedTokenErrors = connector.errors?.unauthorized
  return { method: atTenant(method, tenant), app, ...(revokedTokenErrors && { revokedTokenErrors }) }
}

/** The same for OAuth 1.0a. */
export const oauth1Provider = (
  connector: ConnectorFile | null,
  app: OAuthApp | null,
  tenant: Record<string, string>,
): OAuth1Provider | null => {
  const method = connector && methodOf(connector, 'oauth1')
  if (!method || !app) return null
  const fill = (address: string) => fillAddress(address, tenant)
  const addresses = {
    request_token_endpoint: fill(method.request_token_endpoint),
    authorization_endpoint: fill(method.authorization_endpoint),
    access_token_endpoint: fill(method.access_token_endpoint),
  }
  return { method: { ...method, ...addresses }, app }
}

const atTenant = (method: OAuthMethod, tenant: Record<string, string>): OAuthMethod => {
  const fill = (address: string) => fillAddress(address, tenant)
  const { issuer, refresh, revocation } = method
  return {
    ...method,
    ...(issuer !== undefined && { issuer: fill(issuer) }),
    authorization_endpoint: fill(method.authorization_endpoint),
    token_endpoint: fill(method.token_endpoint),
    ...(refresh?.endpoint && { refresh: { ...refresh, endpoint: fill(refresh.endpoint) } }),
    ...(revocation && { revocation: { ...revocation, endpoint: fill(revocation.endpoint) } }),
  }
}
