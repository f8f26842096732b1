import type { OAuthMethod } from '@carabiner/contract'
import { isObject } from '@carabiner/server/connector-files'
import { type Part, partsOf, type Resolve, textOf } from './document.ts'
import { isPreferred, type KeyKind, type KeyMethod, readKeyScheme } from './key-method.ts'
import { shorten } from './schema.ts'

type OAuthScheme = { scheme: string; method: Omit<OAuthMethod, 'scopes'>; titles: Map<string, string> }

/** The credentials of the API: at most one OAuth method and one key, by the names that operations use. */
export type Security = {
  oauth: OAuthScheme | null
  /** `scheme`: null if the key was given by `--auth`, and then applies to every operation. */
  key: { scheme: string | null; method: KeyMethod } | null
  skipped: string[]
  guessed: string[]
}

export const readSecurity = (document: Part, resolve: Resolve, given: KeyMethod | null): Security => {
  const components = isObject(document.components) ? document.components : {}
  const skipped: string[] = []
  const schemes = partsOf(components.securitySchemes).flatMap(([name, value]) => {
    try {
      return [{ name, scheme: resolve(value) }]
    } catch (error) {
      skipped.push(`the security scheme ${name}: ${(error as Error).message}`)
      return []
    }
  })
  const oauth = schemes.flatMap(({ name, scheme }) => readOAuth(name, scheme) ?? [])
  const keys = schemes.flatMap(({ name, scheme }) => {
    const key = readKeyScheme(scheme)
    return key ? [{ name, ...key }] : []
  })
  const known = new Set([...oauth.map(({ scheme }) => scheme), ...keys.map(({ name }) => name)])
  for (const { name, scheme } of schemes) if (!known.has(name)) skipped.push(unusable(name, scheme))
  const best = keys.reduce<(typeof keys)[number] | null>(preferred, null)
  for (const { scheme } of oauth.slice(1)) skipped.push(unused(scheme, oauth[0]!.scheme))
  for (const { name } of keys)
    if (given || name !== best?.name) skipped.push(unused(name, given ? '--auth' : best!.name))
  return {
    oauth: oauth[0] ?? null,
    key: given ? { scheme: null, method: given } : best && { scheme: best.name, method: best.method },
    skipped,
    guessed: given ? ['authorization: the key is sent as set by --auth, for every operation'] : [],
  }
}

const preferred = <T extends { kind: KeyKind }>(best: T | null, next: T): T =>
  best && !isPreferred(next.kind, best.kind) ? best : next

const unused = (name: string, chosen: string): string =>
  `the security scheme ${name}: a connector has one method of a kind, and ${chosen} is used`

const unusable = (name: string, scheme: Part): string => {
  if (scheme.type === 'oauth2')
    return `the security scheme ${name}: it has no authorization code flow with https endpoints`
  const kind = [scheme.type, scheme.scheme, scheme.in].filter(word => typeof word === 'string').join(' ')
  return `the security scheme ${name}: ${shorten(kind, 60) || 'it'} is not supported`
}

const readOAuth = (name: string, scheme: Part): OAuthScheme | null => {
  const flows = isObject(scheme.flows) ? scheme.flows : {}
  const flow = flows.authorizationCode
  if (scheme.type !== 'oauth2' || !isObject(flow)) return null
  const [authorize, token] = [textOf(flow.authorizationUrl), textOf(flow.tokenUrl)]
  if (!authorize?.startsWith('https://') || !token?.startsWith('https://')) return null
  const refresh = textOf(flow.refreshUrl)
  return {
    scheme: name,
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
      partsOf(flow.scopes).map(([scope, description]) => [
        scope,
        shorten(textOf(description) ?? '', 80) || shorten(scope, 80),
      ]),
    ),
  }
}
