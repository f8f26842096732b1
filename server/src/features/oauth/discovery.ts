import { bearerChallenge } from '../../core/auth-challenge.ts'
import { SECOND } from '../../core/duration.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import {
  fetchDocument,
  isAddressText,
  type MetadataDocument,
  type Search,
  textsOf,
  vetAddress,
} from './discovery-document.ts'
import { DiscoveryError } from './discovery-error.ts'

/** How to authorize at a server that was never heard of before. Plain data: it is stored as it is. */
export type DiscoveredServer = {
  /** RFC 8707: what tokens are asked for. */
  resource: string
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  registration_endpoint?: string
  revocation_endpoint?: string
  scopes: string[]
  client_id_metadata_document_supported: boolean
  authorization_response_iss_parameter_supported: boolean
  token_endpoint_auth_methods_supported: string[]
}

const DISCOVERY_TIMEOUT = 20 * SECOND
const MOST_AUTHORIZATION_SERVERS = 5
const MOST_SCOPES = 100
const OFFLINE_ACCESS = 'offline_access'

/** From the address of an MCP server, and what it said when it refused, to its authorization server. */
export const discoverAuthorization = async (
  { egress }: { egress: Egress },
  { serverUrl, challenge }: { serverUrl: string; challenge: string | null },
): Promise<DiscoveredServer> => {
  const search: Search = { egress, signal: AbortSignal.timeout(DISCOVERY_TIMEOUT) }
  const server = new URL(await vetAddress(search, serverUrl, 'The address'))
  const asked = bearerChallenge(challenge)
  const protection = await findResource(search, server, asked.get('resource_metadata') ?? null)
  const metadata = await firstUsable(search, protection.issuers)
  const scopes = asked.has('scope') ? (asked.get('scope') ?? '').split(' ') : protection.scopes
  // Without it some servers give no refresh token, and a link would end with its first access token.
  const lasting = textsOf(metadata.document.scopes_supported).includes(OFFLINE_ACCESS) ? [OFFLINE_ACCESS] : []
  return {
    resource: protection.resource,
    ...metadata.endpoints,
    scopes: [...new Set([...scopes, ...lasting])].filter(isScope).slice(0, MOST_SCOPES),
  }
}

/** RFC 6749 §3.3. */
export const isScope = (scope: string): boolean => /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/.test(scope)

type Protection = { resource: string; issuers: string[]; scopes: string[] }

/** RFC 9728 §3: where the refusal named the document, there; else at the server's path, then at its root. */
const findResource = async (search: Search, server: URL, named: string | null): Promise<Protection> => {
  const addresses = named === null ? resourceMetadataUrls(server) : [named]
  for (const address of addresses) {
    const document = await fetchDocument(search, address)
    if (!document) continue
    const issuers = textsOf(document.authorization_servers).slice(0, MOST_AUTHORIZATION_SERVERS)
    if (issuers.length === 0)
      throw new DiscoveryError('metadata_invalid', 'The server names no authorization server of its own.')
    return {
      resource: checkResource(document.resource, server),
      issuers,
      scopes: textsOf(document.scopes_supported),
    }
  }
  if (named !== null)
    throw new DiscoveryError('metadata_missing', 'The server names a metadata document that is not there.')
  // 2025-03-26: the server's own origin is its authorization server.
  return { resource: server.href, issuers: [server.origin], scopes: [] }
}

export const resourceMetadataUrls = (server: URL): string[] => {
  const root = `${server.origin}/.well-known/oauth-protected-resource`
  const path = server.pathname.replace(/\/$/, '')
  return path === '' ? [root] : [`${root}${path}${server.search}`, root]
}

/** RFC 9728 §3.3: a document about somebody else's resource must not be believed. A parent of the address is the same resource. */
const checkResource = (resource: unknown, server: URL): string => {
  const named = typeof resource === 'string' && URL.canParse(resource) ? new URL(resource) : null
  const path = named?.pathname.replace(/\/$/, '') ?? ''
  const covers =
    named?.origin === server.origin &&
    named.hash === '' &&
    (named.search === '' || named.search === server.search) &&
    (server.pathname === path || server.pathname.startsWith(`${path}/`))
  if (typeof resource !== 'string' || !isAddressText(resource) || !covers)
    throw new DiscoveryError('resource_mismatch', 'The metadata is about another resource than this server.')
  return resource
}

type Endpoints = Omit<DiscoveredServer, 'resource' | 'scopes'>
type AuthorizationServer = { document: MetadataDocument; endpoints: Endpoints }

const firstUsable = async (search: Search, issuers: string[]): Promise<AuthorizationServer> => {
  let why: unknown
  for (const issuer of issuers) {
    try {
      return await readAuthorizationServer(search, issuer)
    } catch (error) {
      if (!(error instanceof DiscoveryError)) throw error
      why ??= error
    }
  }
  throw why
}

const readAuthorizationServer = async (search: Search, named: string): Promise<AuthorizationServer> => {
  const issuer = await vetAddress(search, named, 'authorization_servers')
  const document = await findAuthorizationServer(search, new URL(issuer))
  // RFC 8414 §3.3: identical, but for the slash that a bare origin has or has not.
  if (typeof document.issuer !== 'string' || withoutRootSlash(document.issuer) !== withoutRootSlash(issuer))
    throw new DiscoveryError(
      'issuer_mismatch',
      'The authorization server calls itself by another name than the one it was asked by.',
    )
  if (!textsOf(document.code_challenge_methods_supported).includes('S256'))
    throw new DiscoveryError(
      'pkce_unsupported',
      'The authorization server does not say that it supports PKCE with S256, which is required.',
    )
  return { document, endpoints: await readEndpoints(search, document, document.issuer) }
}

const withoutRootSlash = (issuer: string): string => issuer.replace(/^(https?:\/\/[^/]+)\/$/, '$1')

const findAuthorizationServer = async (search: Search, issuer: URL): Promise<MetadataDocument> => {
  for (const address of authorizationMetadataUrls(issuer)) {
    const document = await fetchDocument(search, address)
    if (document) return document
  }
  throw new DiscoveryError('metadata_missing', `${issuer.host} publishes no metadata about how to authorize.`)
}

/** The order that MCP gives: RFC 8414 with the path inserted, then OpenID Connect inserted, then appended. */
export const authorizationMetadataUrls = ({ origin, pathname }: URL): string[] => {
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ]
}

/** One refused address refuses the document: a server that names this machine once is not believed in the rest. */
const readEndpoints = async (
  search: Search,
  document: MetadataDocument,
  issuer: string,
): Promise<Endpoints> => {
  const required = (field: string) => vetAddress(search, document[field], field)
  const optional = (field: string) =>
    document[field] === undefined || document[field] === null ? undefined : required(field)
  const [authorization, token, registration, revocation] = await Promise.all([
    required('authorization_endpoint'),
    required('token_endpoint'),
    optional('registration_endpoint'),
    optional('revocation_endpoint'),
    optional('jwks_uri'),
  ])
  const methods = textsOf(document.token_endpoint_auth_methods_supported)
  return {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(registration && { registration_endpoint: registration }),
    ...(revocation && { revocation_endpoint: revocation }),
    client_id_metadata_document_supported: document.client_id_metadata_document_supported === true,
    authorization_response_iss_parameter_supported:
      document.authorization_response_iss_parameter_supported === true,
    // RFC 8414 §2: the default where nothing is said.
    token_endpoint_auth_methods_supported: methods.length > 0 ? methods : ['client_secret_basic'],
  }
}
