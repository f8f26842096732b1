import type { ConnectorFile, OAuthMethod } from '@carabiner/contract'
import { isPart, type Part, partsOf, type Resolve, textOf } from './openapi-document.ts'
import { shorten } from './openapi-schema.ts'

type Method = ConnectorFile['authorization'][number]
type KeyMethod = Extract<Method, { type: 'api_key' }>

/** How the document's API is entered: at most one OAuth method and one key, by the names that its operations use. */
export type Security = {
  oauth: { scheme: string; method: Omit<OAuthMethod, 'scopes'>; titles: Map<string, string> } | null
  key: { scheme: string; method: KeyMethod } | null
  untaken: string[]
}

export const readSecurity = (document: Part, resolve: Resolve): Security => {
  const security: Security = { oauth: null, key: null, untaken: [] }
  const components = isPart(document.components) ? document.components : {}
  for (const [name, given] of partsOf(components.securitySchemes)) {
    try {
      takeScheme(security, name, resolve(given))
    } catch (error) {
      security.untaken.push(`the security scheme ${name}: ${(error as Error).message}`)
    }
  }
  return security
}

const takeScheme = (security: Security, name: string, scheme: Part): void => {
  const oauth = readOAuth(scheme)
  if (oauth && !security.oauth) security.oauth = { scheme: name, ...oauth }
  const key = oauth ? null : readKey(scheme)
  if (key && !security.key) security.key = { scheme: name, method: key }
  if (oauth || key) return
  const kind = [scheme.type, scheme.scheme, scheme.in].filter(word => typeof word === 'string').join(' ')
  security.untaken.push(
    `the security scheme ${name}: ${shorten(kind, 60) || 'it'} is not a way that credentials are sent here`,
  )
}

const readOAuth = (scheme: Part): Omit<NonNullable<Security['oauth']>, 'scheme'> | null => {
  const flows = isPart(scheme.flows) ? scheme.flows : {}
  const flow = flows.authorizationCode
  if (scheme.type !== 'oauth2' || !isPart(flow)) return null
  const [authorize, token] = [textOf(flow.authorizationUrl), textOf(flow.tokenUrl)]
  if (!authorize?.startsWith('https://') || !token?.startsWith('https://')) return null
  const refresh = textOf(flow.refreshUrl)
  return {
    method: {
      type: 'oauth2',
      authorization_endpoint: authorize,
      token_endpoint: token,
      client_authentication: 'client_secret_basic',
      pkce: 'undocumented',
      ...(refresh !== undefined && {
        refresh: {
          rotates: true,
          ...(refresh.startsWith('https://') && refresh !== token && { endpoint: refresh }),
        },
      }),
    },
    titles: new Map(
      partsOf(flow.scopes).map(([scope, said]) => [
        scope,
        shorten(textOf(said) ?? '', 80) || shorten(scope, 80),
      ]),
    ),
  }
}

const field = (name: string, label: string, secret: boolean) => ({ name, label, secret })

const readKey = (scheme: Part): KeyMethod | null => {
  const kind = textOf(scheme.scheme)?.toLowerCase()
  if (scheme.type === 'http' && kind === 'bearer')
    return {
      type: 'api_key',
      fields: [field('token', 'Token', true)],
      headers: { Authorization: 'Bearer {token}' },
    }
  if (scheme.type === 'http' && kind === 'basic')
    return {
      type: 'api_key',
      fields: [field('username', 'User name', false), field('password', 'Password or token', true)],
      basic: { username: '{username}', password: '{password}' },
    }
  const header = textOf(scheme.name)
  if (scheme.type === 'apiKey' && scheme.in === 'header' && header)
    return {
      type: 'api_key',
      fields: [field('api_key', 'API key', true)],
      headers: { [header]: '{api_key}' },
    }
  return null
}

/** The scopes that one operation needs, or null where it asks for a credential that is not had. */
export const scopesOf = (operation: Part, document: Part, { oauth, key }: Security): string[] | null => {
  const alternatives = Array.isArray(operation.security) ? operation.security : document.security
  if (!Array.isArray(alternatives) || alternatives.length === 0) return []
  for (const alternative of alternatives) {
    const needed = partsOf(alternative)
    const known = needed.every(([name]) => name === oauth?.scheme || name === key?.scheme)
    if (!known) continue
    const scopes = needed.find(([name]) => name === oauth?.scheme)?.[1]
    return Array.isArray(scopes) ? scopes.filter(scope => typeof scope === 'string' && scope !== '') : []
  }
  return null
}
