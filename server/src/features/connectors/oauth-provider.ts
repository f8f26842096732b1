import { type ConnectorFile, type OAuthMethod, oauthMethod } from '@carabiner/contract'
import type { OAuthApp } from '../oauth/oauth-app.ts'
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
