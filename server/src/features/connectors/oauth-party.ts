import { type ConnectorFile, type OAuthMethod, oauthMethod } from '@carabiner/contract'
import { isScope } from '../oauth/discovery.ts'
import type { OAuthApp } from '../oauth/oauth-app.ts'
import type { OAuthProvider } from '../oauth/protocol.ts'
import { fillAddress } from '../upstream/http/template.ts'

/** Whom to speak with about a credential: the customer's own authorization server where each has one. */
export const oauthParty = (
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
 * What a link asks for: what the connector asks for by default (or its organization, with an app of its own), or, where a
 * tool was refused for want of scopes, those on top of what the user has granted already.
 */
export const scopesToAsk = (
  method: OAuthMethod,
  app: OAuthApp,
  more: { granted: string[]; needed: string[] } | null,
): string[] => {
  const usual = app.scopes ?? method.scopes.filter(({ optional }) => !optional).map(({ name }) => name)
  if (!more) return usual
  return [...new Set([...(more.granted.length > 0 ? more.granted : usual), ...more.needed])]
}

type ToolScopes = (string | string[])[]

/** One of an inner list is enough; the first one is requested. */
export const missingScopes = (wanted: ToolScopes, granted: string[]): string[] =>
  wanted.flatMap(scope => {
    const alternatives = [scope].flat()
    return alternatives.some(name => granted.includes(name)) ? [] : alternatives.slice(0, 1)
  })

const MAX_NAMED_SCOPES = 100

/**
 * The scopes to request after the provider refused a call for lack of scopes: those that it named. Some providers name every scope
 * that would do, so those that the connector does not list are left out where others remain. Without any name, the tool's own.
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
