import { bearerChallenge } from '../../core/auth-challenge.ts'
import { SECOND } from '../../core/duration.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import {
  type DiscoveryContext,
  fetchDocument,
  isAddressText,
  type MetadataDocument,
  stringsOf,
  validateAddress,
} from './discovery-document.ts'
import { DiscoveryError } from './discovery-error.ts'

/** The authorization endpoints and capabilities of a discovered server. Plain data, stored as is. */
export type DiscoveredServer = {
  /** RFC 8707: the resource that tokens are requested for. */
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

const DISCOVERY_TIMEOUT_MS = 20 * SECOND
const MAX_AUTHORIZATION_SERVERS = 5
const MAX_SCOPES = 100
const OFFLINE_ACCESS = 'offline_access'

/** Discovers the authorization server of an MCP server from its address and its WWW-Authenticate challenge. */
export const discoverAuthorization = async (
  { egress }: { egress: Egress },
  { serverUrl, challenge }: { serverUrl: string; challenge: string | null },
): Promise<DiscoveredServer> => {
  const context: DiscoveryContext = { egress, signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS) }
  const server = new URL(await validateAddress(context, serverUrl, 'The address'))
  const parameters = bearerChallenge(challenge)
  const protection = await findResource(context, server, parameters.get('resource_metadata') ?? null)
  const metadata = await firstUsable(context, protection.issuers)
  const scopes = parameters.has('scope') ? (parameters.get('scope') ?? '').split(' ') : protection.scopes
  // Without this scope, some servers issue no refresh token, and the link would end with the first access token.
  const offlineScopes = stringsOf(metadata.document.scopes_supported).includes(OFFLINE_ACCESS)
    ? [OFFLINE_ACCESS]
    : []
  return {
    resource: protection.resource,
    ...metadata.endpoints,
    scopes: [...new Set([...scopes, ...offlineScopes])].filter(isScope).slice(0, MAX_SCOPES),
  }
}

/** RFC 6749 §3.3. */
export const isScope = (scope: string): boolean => /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/.test(scope)

type ProtectedResource = { resource: string; issuers: string[]; scopes: string[] }

/** RFC 9728 §3: reads the document named by the challenge, otherwise the one at the server's path, then at its root. */
const findResource = async (
  context: DiscoveryContext,
  server: URL,
  named: string | null,
): Promise<ProtectedResource> => {
  const addresses = named === null ? resourceMetadataUrls(server) : [named]
  for (const address of addresses) {
    const document = await fetchDocument(context, address)
    if (!document) continue
    const issuers = stringsOf(document.authorization_servers).slice(0, MAX_AUTHORIZATION_SERVERS)
    if (issuers.length === 0)
      throw new DiscoveryError(
        'metadata_invalid',
        'The metadata of the server lists no authorization server.',
      )
    return {
      resource: checkResource(document.resource, server),
      issuers,
      scopes: stringsOf(document.scopes_supported),
    }
  }
  if (named !== null)
    throw new DiscoveryError('metadata_missing', 'The metadata document named by the server does not exist.')
  // MCP revision 2025-03-26: without metadata, the server's origin is its authorization server.
  return { resource: server.href, issuers: [server.origin], scopes: [] }
}

export const resourceMetadataUrls = (server: URL): string[] => {
  const root = `${server.origin}/.well-known/oauth-protected-resource`
  const path = server.pathname.replace(/\/$/, '')
  return path === '' ? [root] : [`${root}${path}${server.search}`, root]
}

/** RFC 9728 §3.3: metadata of another resource must not be used. A parent of the address counts as the same resource. */
const checkResource = (resource: unknown, server: URL): string => {
  const named = typeof resource === 'string' && URL.canParse(resource) ? new URL(resource) : null
  const path = named?.pathname.replace(/\/$/, '') ?? ''
  const covers =
    named?.origin === server.origin &&
    named.hash === '' &&
    (named.search === '' || named.search === server.search) &&
    (server.pathname === path || server.pathname.startsWith(`${path}/`))
  if (typeof resource !== 'string' || !isAddressText(resource) || !covers)
    throw new DiscoveryError('resource_mismatch', 'The metadata describes another resource than this server.')
  return resource
}

type Endpoints = Omit<DiscoveredServer, 'resource' | 'scopes'>
type AuthorizationServer = { document: MetadataDocument; endpoints: Endpoints }

const firstUsable = async (context: DiscoveryContext, issuers: string[]): Promise<AuthorizationServer> => {
  let firstError: unknown
  for (const issuer of issuers) {
    try {
      return await readAuthorizationServer(context, issuer)
    } catch (error) {
      if (!(error instanceof DiscoveryError)) throw error
      firstError ??= error
    }
  }
  throw firstError
}

const readAuthorizationServer = async (
  context: DiscoveryContext,
  named: string,
): Promise<AuthorizationServer> => {
  const issuer = await validateAddress(context, named, 'authorization_servers')
  const document = await findAuthorizationServer(context, new URL(issuer))
  // RFC 8414 §3.3: the issuers must be identical, except for the trailing slash of a bare origin.
  if (typeof document.issuer !== 'string' || withoutRootSlash(document.issuer) !== withoutRootSlash(issuer))
    throw new DiscoveryError(
      'issuer_mismatch',
      'The issuer in the metadata of the authorization server does not match its address.',
    )
  if (!stringsOf(document.code_challenge_methods_supported).includes('S256'))
    throw new DiscoveryError(
      'pkce_unsupported',
      'The authorization server does not declare support for PKCE with S256, which is required.',
    )
  return { document, endpoints: await readEndpoints(context, document, document.issuer) }
}

const withoutRootSlash = (issuer: string): string => issuer.replace(/^(https?:\/\/[^/]+)\/$/, '$1')

const findAuthorizationServer = async (context: DiscoveryContext, issuer: URL): Promise<MetadataDocument> => {
  for (const address of authorizationMetadataUrls(issuer)) {
    const document = await fetchDocument(context, address)
    if (document) return document
  }
  throw new DiscoveryError('metadata_missing', `${issuer.host} publishes no authorization server metadata.`)
}

/** The order that MCP specifies: RFC 8414 with the path inserted, OpenID Connect with the path inserted, then appended. */
export const authorizationMetadataUrls = ({ origin, pathname }: URL): string[] => {
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ]
}

/** One disallowed address rejects the whole document, because a server that names an internal address is not trusted. */
const readEndpoints = async (
  context: DiscoveryContext,
  document: MetadataDocument,
  issuer: string,
): Promise<Endpoints> => {
  const required = (field: string) => validateAddress(context, document[field], field)
  const optional = (field: string) =>
    document[field] === undefined || document[field] === null ? undefined : required(field)
  const [authorization, token, registration, revocation] = await Promise.all([
    required('authorization_endpoint'),
    required('token_endpoint'),
    optional('registration_endpoint'),
    optional('revocation_endpoint'),
    optional('jwks_uri'),
  ])
  const methods = stringsOf(document.token_endpoint_auth_methods_supported)
  return {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(registration && { registration_endpoint: registration }),
    ...(revocation && { revocation_endpoint: revocation }),
    client_id_metadata_document_supported: document.client_id_metadata_document_supported === true,
    authorization_response_iss_parameter_supported:
      document.authorization_response_iss_parameter_supported === true,
    // RFC 8414 §2: the default if the field is missing.
    token_endpoint_auth_methods_supported: methods.length > 0 ? methods : ['client_secret_basic'],
  }
}
