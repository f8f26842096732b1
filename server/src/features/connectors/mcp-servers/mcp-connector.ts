import type { ApiKeyMethod, AuthorizationMethod, OAuthMethod } from '@carabiner/contract'
import type { DiscoveredServer } from '../../oauth/discovery.ts'
import type { CatalogConnector } from '../catalog/catalog.ts'
import type { StoredMcpConnector } from './mcp-connector-store.ts'

/**
 * `serverId`: the MCP server of the connector, since a slug may be reassigned to another server. `serverTools`: the
 * number of its tools, if known.
 */
export type ServedConnector = CatalogConnector & {
  needsNoLink?: true
  serverId?: string
  serverTools?: number
  /** What needs a person. */
  attention?: 'changed_tools' | 'check_failed' | null
}
type Served = Pick<
  StoredMcpConnector,
  'id' | 'slug' | 'name' | 'summary' | 'url' | 'authentication' | 'headerName' | 'headerPrefix'
> & { authorizationServer?: DiscoveredServer | null }

/**
 * Has the shape of a catalog connector, so that linking, refreshing and revoking need no special case. Calls need no
 * authorization server; only linking and refreshing use it.
 */
export const asConnector = (connector: Served): ServedConnector => ({
  slug: connector.slug,
  name: connector.name,
  summary: connector.summary,
  categories: ['other'],
  documentation_url: connector.url,
  authorization: methodsOf(connector),
  credential_origins: [new URL(connector.url).origin],
  tools: [],
  mcp: { url: connector.url },
  serverId: connector.id,
  ...(!needsLink(connector) && { needsNoLink: true }),
})

const methodsOf = (connector: Served): AuthorizationMethod[] => {
  if (connector.authorizationServer) return [discoveredMethod(connector.authorizationServer)]
  return connector.authentication === 'user_secret' ? [secretMethod(connector)] : []
}

const discoveredMethod = (server: DiscoveredServer): OAuthMethod => ({
  type: 'oauth2',
  issuer: server.issuer,
  issuer_in_response: server.authorization_response_iss_parameter_supported,
  resource: server.resource,
  authorization_endpoint: server.authorization_endpoint,
  token_endpoint: server.token_endpoint,
  client_authentication: 'none',
  pkce: 'S256',
  scopes: server.scopes.map(name => ({ name, title: name })),
  refresh: { rotates: true },
  ...(server.revocation_endpoint && {
    revocation: { style: 'rfc7009', endpoint: server.revocation_endpoint, ends: 'grant' },
  }),
})

export const SECRET_FIELD = 'secret'

const secretMethod = ({ headerName, headerPrefix }: Served): ApiKeyMethod => ({
  type: 'api_key',
  fields: [{ name: SECRET_FIELD, label: 'Access token', secret: true }],
  headers: { [headerName]: `${headerPrefix}{${SECRET_FIELD}}` },
})

/** Whether users must link an account. Otherwise the server is open or uses the organization's secret. */
export const needsLink = ({ authentication }: Pick<StoredMcpConnector, 'authentication'>): boolean =>
  authentication === 'oauth' || authentication === 'user_secret'
