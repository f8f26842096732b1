import type { ApiKeyMethod, OAuthMethod } from '@carabiner/contract'
import type { DiscoveredServer } from '../../oauth/discovery.ts'
import type { CatalogueConnector } from '../catalog/catalog.ts'
import type { McpConnectorRow } from './mcp-connector-store.ts'

/**
 * `serverId`: the MCP server behind the connector; a slug may be reassigned to another server. `serverTools`: how many tools that
 * server has, where they are known.
 */
export type ServedConnector = CatalogueConnector & {
  needsNoLink?: true
  serverId?: string
  serverTools?: number
}
type Served = Pick<
  McpConnectorRow,
  'id' | 'slug' | 'name' | 'summary' | 'url' | 'authentication' | 'header_name' | 'header_prefix'
> & { authorization_server?: DiscoveredServer | null }

/**
 * The same shape as a connector of the catalogue, so that linking, refreshing and revoking know no difference. A call needs no
 * authorization server: who issues its tokens matters only to linking and refreshing.
 */
export const asConnector = (row: Served): ServedConnector => ({
  slug: row.slug,
  name: row.name,
  summary: row.summary,
  categories: ['other'],
  documentation_url: row.url,
  authorization: methodsOf(row),
  credential_origins: [new URL(row.url).origin],
  tools: [],
  mcp: { url: row.url },
  serverId: row.id,
  ...(!needsLink(row) && { needsNoLink: true }),
})

const methodsOf = (row: Served): (OAuthMethod | ApiKeyMethod)[] => {
  if (row.authorization_server) return [discoveredMethod(row.authorization_server)]
  return row.authentication === 'user_secret' ? [secretMethod(row)] : []
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

const secretMethod = ({ header_name, header_prefix }: Served): ApiKeyMethod => ({
  type: 'api_key',
  fields: [{ name: SECRET_FIELD, label: 'Access token', secret: true }],
  headers: { [header_name]: `${header_prefix}{${SECRET_FIELD}}` },
})

/** Whether its users link anything at all; where they do not, the server is open, or the organization's secret opens it. */
export const needsLink = ({ authentication }: Pick<McpConnectorRow, 'authentication'>): boolean =>
  authentication === 'oauth' || authentication === 'user_secret'
