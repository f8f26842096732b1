import { type ConnectorFile, methodOf, type OAuthMethod, oauthMethod } from '@carabiner/contract'
import type { OAuthApp } from '../oauth/oauth-app.ts'
import type { OAuth1Provider } from '../oauth/oauth1-protocol.ts'
import type { OAuthProvider } from '../oauth/protocol.ts'
import { fillAddress, fillText, tenantValues, type Values } from '../upstream/templates/template.ts'

/** The OAuth endpoints for a credential. Some providers have a separate authorization server for each tenant. */
export const oauthProvider = (
  connector: ConnectorFile | null,
  app: OAuthApp | null,
  tenant: Record<string, string>,
): OAuthProvider | null => {
  const method = connector && oauthMethod(connector)
  if (!method || !app) return null
  const revokedTokenErrors = connector.errors?.unauthorized
  return { method: atTenant(method, app, tenant), app, ...(revokedTokenErrors && { revokedTokenErrors }) }
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

const atTenant = (
  method: OAuthMethod,
  { clientId }: OAuthApp,
  tenant: Record<string, string>,
): OAuthMethod => {
  const fill = (address: string) => fillAddress(address, tenant)
  const values = { ...tenantValues(tenant), client_id: clientId }
  const {
    issuer,
    refresh,
    revocation,
    extra_authorization_parameters: extra,
    token_request: request,
  } = method
  return {
    ...method,
    ...(issuer !== undefined && { issuer: fill(issuer) }),
    authorization_endpoint: fill(method.authorization_endpoint),
    token_endpoint: fill(method.token_endpoint),
    ...(extra && { extra_authorization_parameters: fillTexts(extra, values) }),
    ...(request && {
      token_request: {
        ...request,
        ...(request.headers && { headers: fillTexts(request.headers, values) }),
        ...(request.parameters && { parameters: fillTexts(request.parameters, values) }),
      },
    }),
    ...(refresh?.endpoint && { refresh: { ...refresh, endpoint: fill(refresh.endpoint) } }),
    ...(revocation && { revocation: { ...revocation, endpoint: fill(revocation.endpoint) } }),
  }
}

/** Without the texts that contain a name without a value. */
const fillTexts = (templates: Record<string, string>, values: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries(templates).flatMap(([name, template]) => {
      const text = fillText(template, values)
      return text === null ? [] : [[name, text]]
    }),
  )
