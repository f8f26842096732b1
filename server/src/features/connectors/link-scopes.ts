import { type ConnectorFile, type OAuthMethod, oauthMethod } from '@carabiner/contract'
import { isScope } from '../oauth/discovery.ts'

/** All are required; of an inner list, one is enough. */
export type ToolScopes = (string | string[])[]

/**
 * Why a link requests scopes by name: the request for the link names them, a tool that was called needs them, or the account was linked
 * without them.
 */
export type ScopesReason = 'requested' | 'called' | 'lacking'

export type ScopesInput = {
  /** Scopes to request by name, and those that the user has granted to the account before. */
  more: { reason: ScopesReason; names: string[]; granted: string[] } | null
  /** The scopes of the tools that the Tool Pack has chosen. Null: it offers every tool of every connector, and has chosen none. */
  tools: ToolScopes[] | null
}

/** The scopes that links may request with an OAuth app: the configured ones, or all of the connector. */
export const offeredScopes = (method: OAuthMethod, configured: string[] | null): string[] =>
  configured ?? method.scopes.map(({ name }) => name)

export const requiredScopes = (method: OAuthMethod | null): string[] =>
  method?.scopes.filter(({ optional }) => !optional).map(({ name }) => name) ?? []

/**
 * The scopes that a link requests. `configured`: those of the organization's own OAuth app, which bound the request; scopes of its own that the
 * connector does not list are always requested.
 */
export const scopesToRequest = (
  method: OAuthMethod,
  configured: string[] | null,
  { more, tools }: ScopesInput,
): string[] => {
  const offered = offeredScopes(method, configured)
  const optional = method.scopes.filter(scope => scope.optional).map(({ name }) => name)
  const core = offered.filter(name => !optional.includes(name))
  const usual = configured ?? core
  if (more) {
    const base = more.reason === 'requested' ? core : usual
    return [...new Set([...(more.granted.length > 0 ? more.granted : base), ...more.names])]
  }
  return tools === null ? usual : withToolScopes(core, offered, tools)
}

const withToolScopes = (core: string[], offered: string[], tools: ToolScopes[]): string[] => {
  const requested = [...core]
  for (const scopes of tools) {
    const available = scopes.map(scope => [scope].flat().filter(name => offered.includes(name)))
    requested.push(...missingScopes(available, requested))
  }
  return offered.filter(name => requested.includes(name))
}

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
