import { type ConnectorFile, type OAuthMethod, oauthMethod } from '@carabiner/contract'
import { isScope } from '../oauth/discovery.ts'
import type { OAuthApp } from '../oauth/oauth-app.ts'
import type { OAuthProvider } from '../oauth/protocol.ts'
import { fillAddress } from '../upstream/http/template.ts'

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

/**
 * The scopes that a link requests: the connector's defaults (or the organization's, for its own app), or the granted
 * ones plus those that a tool call lacked.
 */
export const scopesToRequest = (
  method: OAuthMethod,
  app: OAuthApp,
  more: { granted: string[]; needed: string[] } | null,
): string[] => {
  const usual = app.scopes ?? method.scopes.filter(({ optional }) => !optional).map(({ name }) => name)
  if (!more) return usual
  return [...new Set([...(more.granted.length > 0 ? more.granted : usual), ...more.needed])]
}

type ToolScopes = (string | string[])[]

/** One scope of an inner list is enough; the first is requested. */
export const missingScopes = (wanted: ToolScopes, granted: string[]): string[] =>
  wanted.flatMap(scope => {
    const alternatives = [scope].flat()
    return alternatives.some(name => granted.includes(name)) ? [] : alternatives.slice(0, 1)
  })

const MAX_NAMED_SCOPES = 100

/**
 * The scopes to request after the provider rejected a call for missing scopes: those that it named. Some providers
 * name every sufficient scope, so scopes that the connector does not list are dropped if others remain. Default: the
 * tool's own scopes.
 */
export const refusedScopes = (
  connector: ConnectorFile,
  wanted: ToolScopes,
  namedByProvider: string[],
): string[] => {
  const named = [...new Set(namedByProvider)].filter(isScope).slice(0, MAX_NAMED_SCOPES)
  if (named.length === 0) return missingScopes(wanted, [])
  const listed = named.filter(name => oauthMethod(connector)?.scopes.some(scope => scope.name === name))
  return listed.length > 0 ? listed : named
}
