import type { McpConnectorCreate } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { Secret } from '../../../core/secret.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { type Egress, EgressError } from '../../../platform/egress/egress.ts'
import { seal } from '../../../platform/vault/sealing.ts'
import { inspectTools, type VettedInspection } from '../../upstream/mcp-client/isolated-vetting.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type McpAuthentication, mcpConnectorStore, type StoredMcpConnector } from './mcp-connector-store.ts'
import { type McpConnectorDeps, secretContext } from './mcp-connectors.ts'
import { type OAuthClientSetup, setUpOAuthClient } from './oauth-client-setup.ts'

type Deps = McpConnectorDeps & { catalog: Catalog }
type ReadyOAuthClient = Extract<OAuthClientSetup, { kind: 'agreed' }>

/** Each connector may add hundreds of tools to every list. */
const MAX_CONNECTORS = 100

/** Headers that the transport sets, or that are not for authentication. */
const RESERVED_HEADER =
  /^(host|connection|content-.*|transfer-encoding|te|upgrade|expect|cookie|accept.*|mcp-.*|user-agent)$/i

/**
 * Adds an MCP server as a connector after a successful connection. Servers that cannot be reached or deny access are
 * not stored.
 */
export const createMcpConnector = async (
  deps: Deps,
  organizationId: string,
  body: McpConnectorCreate,
): Promise<StoredMcpConnector> => {
  const { slug } = body
  if (deps.catalog.find(slug)) throw new Refusal('connector_exists', { param: 'slug' })
  if (await mcpConnectorStore.find(deps.db, organizationId, slug))
    throw new Refusal('connector_exists', { param: 'slug' })
  await requireBelowLimit(deps.db, organizationId) // before the server is called
  checkHeader(body)
  const url = await vetUrl(deps.egress.onBehalfOf(organizationId), body.url)
  const found = await inspectTools(deps, { organizationId, slug, url, headers: secretHeader(body) })
  const authentication = determineAuthentication(body, found)
  const id = newUuid()
  const oauthClient =
    authentication === 'oauth'
      ? await requireOAuthClient(deps, organizationId, { ...body, url, id }, found)
      : null
  return store(deps, organizationId, { ...body, url, id, authentication }, found, oauthClient)
}

const requireBelowLimit = async (db: Queryable, organizationId: string): Promise<void> => {
  if ((await mcpConnectorStore.count(db, organizationId)) >= MAX_CONNECTORS)
    throw new Refusal('connector_limit_reached')
}

const checkHeader = ({ header_name = 'authorization' }: McpConnectorCreate): void => {
  if (RESERVED_HEADER.test(header_name))
    throw new Refusal('invalid_request', {
      param: 'header_name',
      message: `${header_name} must not be used for a secret.`,
    })
}

const vetUrl = async (egress: Egress, text: string): Promise<string> => {
  if (!URL.canParse(text))
    throw new Refusal('invalid_mcp_server', { param: 'url', message: 'This is not a valid URL.' })
  const url = new URL(text)
  url.hash = ''
  try {
    await egress.mayCall(url.href)
    return url.href
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    throw new Refusal('invalid_mcp_server', { param: 'url', message: error.message, cause: error })
  }
}

const secretHeader = (body: McpConnectorCreate): Record<string, string> =>
  body.authentication === 'organization_secret' && body.secret !== undefined
    ? { [body.header_name ?? 'authorization']: `${body.header_prefix ?? 'Bearer '}${body.secret}` }
    : {}

const unusable = (message: string): Refusal => new Refusal('invalid_mcp_server', { param: 'url', message })

const determineAuthentication = (body: McpConnectorCreate, found: VettedInspection): McpAuthentication => {
  if (found.kind === 'refused') throw unusable(found.message)
  const { authentication } = body
  if (authentication === undefined) return found.kind === 'ready' ? 'none' : 'oauth'
  switch (authentication) {
    case 'none':
      if (found.kind !== 'ready')
        throw unusable('The server requires authentication. Choose another authentication type.')
      return authentication
    case 'organization_secret':
      if (body.secret === undefined) throw new Refusal('mcp_secret_required', { param: 'secret' })
      if (found.kind !== 'ready')
        throw new Refusal('invalid_mcp_server', {
          param: 'secret',
          message: 'The server does not accept this secret.',
        })
      return authentication
    case 'user_secret':
    case 'oauth':
      return authentication
  }
}

const requireOAuthClient = async (
  deps: Deps,
  organizationId: string,
  body: McpConnectorCreate & { id: string },
  found: VettedInspection,
): Promise<ReadyOAuthClient> => {
  const given =
    body.client_id === undefined
      ? null
      : { clientId: body.client_id, clientSecret: body.client_secret ? new Secret(body.client_secret) : null }
  const challenge = found.kind === 'unauthorized' ? found.challenge : null
  const oauthClient = await setUpOAuthClient(deps, {
    organizationId,
    slug: body.slug,
    url: body.url,
    id: body.id,
    challenge,
    given,
  })
  if (oauthClient.kind === 'refused') throw unusable(oauthClient.message)
  if (oauthClient.kind === 'needs_client')
    throw new Refusal('mcp_client_required', { param: 'client_id', message: oauthClient.message })
  return oauthClient
}

const store = async (
  { db, vault }: Deps,
  organizationId: string,
  body: Omit<McpConnectorCreate, 'authentication'> & { id: string; authentication: McpAuthentication },
  found: VettedInspection,
  oauthClient: ReadyOAuthClient | null,
): Promise<StoredMcpConnector> => {
  const { id, slug, authentication } = body
  const key = await vault.organizationKey(organizationId)
  const secret = authentication === 'organization_secret' ? (body.secret as string) : null
  const vetted = found.kind === 'ready' ? found.found : null
  await db.transaction(async tx => {
    await mcpConnectorStore.lockOrganization(tx, organizationId)
    await requireBelowLimit(tx, organizationId)
    const connector = await mcpConnectorStore.insert(tx, {
      organizationId,
      id,
      slug,
      name: body.name,
      summary: body.summary ?? body.name,
      source: 'custom',
      url: body.url,
      authentication,
      headerName: body.header_name ?? 'authorization',
      headerPrefix: body.header_prefix ?? 'Bearer ',
      sealedSecret: secret === null ? null : seal(key, secret, secretContext(organizationId, id)),
      authorizationServer: oauthClient?.server ?? null,
      revision: found.kind === 'ready' ? found.revision : null,
      toolChanges: body.tool_changes ?? 'review',
    })
    if (!connector) throw new Refusal('connector_exists', { param: 'slug' })
    await oauthClient?.saveApp(tx)
    if (vetted) await mcpConnectorStore.pin(tx, connector, vetted.hash, vetted)
    await mcpConnectorStore.markChecked(tx, connector, null, null)
  })
  return (await mcpConnectorStore.find(db, organizationId, slug)) as StoredMcpConnector
}
