import type { ConnectorFile } from '@carabiner/contract'
import { Secret } from '../../../core/secret.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database, Transaction } from '../../../platform/database/database.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import type { Log } from '../../../platform/log.ts'
import { unseal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { inspectServer } from '../../upstream/mcp-client/inspect-server.ts'
import { inspectTools } from '../../upstream/mcp-client/isolated-vetting.ts'
import { recordFoundTools } from './found-tools.ts'
import { asConnector, type ServedConnector } from './mcp-connector.ts'
import { mcpConnectorStore, type StoredMcpConnector } from './mcp-connector-store.ts'
import { setUpOAuthClient } from './oauth-client-setup.ts'

export type ServerInspection =
  | { kind: 'ready'; keep: () => Promise<void> }
  | { kind: 'unauthorized' }
  | { kind: 'unavailable'; message: string }

export type McpConnectors = {
  /** Discovers the authorization of a catalog server on the organization's first use, and stores it. */
  prepare(organizationId: string, connector: ConnectorFile): Promise<ConnectorFile | null>
  /** Connects to the server, with or without a user's credential, and lists its current tools. */
  inspect(
    organizationId: string,
    connector: ServedConnector,
    headers: Record<string, string>,
  ): Promise<ServerInspection>
}

/** Stores the revision that the server uses now, as a hint for the next call. */
export const rememberRevision = (
  { db, log }: Pick<McpConnectorDeps, 'db' | 'log'>,
  organizationId: string,
  id: string,
  revision: string,
): void => {
  mcpConnectorStore
    .setRevision(db, organizationId, id, revision)
    .catch((error: unknown) => log.warn({ error }, 'the revision of an MCP server could not be stored'))
}

export type McpConnectorDeps = {
  db: Database
  vault: Vault
  egress: Egress
  isolated: IsolatedPool
  log: Log
  baseUrl: string
}

/** A server as it is inspected for its organization. */
export const serverOf = (
  { organizationId, slug, url, revision }: StoredMcpConnector,
  headers: Record<string, string>,
) => ({ organizationId, slug, url, headers, revision })

export const createMcpConnectors = (deps: McpConnectorDeps): McpConnectors => ({
  prepare: async (organizationId, connector) => {
    if (!connector.mcp || connector.authorization.length > 0) return connector
    const found =
      (await mcpConnectorStore.find(deps.db, organizationId, connector.slug)) ??
      (await adopt(deps, organizationId, connector))
    return found && asConnector(found)
  },
  inspect: async (organizationId, { slug, serverId }, headers) => {
    const found = await mcpConnectorStore.find(deps.db, organizationId, slug)
    // The headers may contain a credential of the server that they were created for.
    if (!found || found.id !== serverId) return { kind: 'unavailable', message: 'The server does not exist.' }
    const inspection = await inspectTools(deps, serverOf(found, headers))
    if (inspection.kind === 'unauthorized') return { kind: 'unauthorized' }
    if (inspection.kind === 'refused') return { kind: 'unavailable', message: inspection.message }
    return { kind: 'ready', keep: () => recordFoundTools(deps, found, inspection.found, inspection.revision) }
  },
})

/** A catalog server: its URL is known, and its authorization is discovered. */
const adopt = async (
  deps: McpConnectorDeps,
  organizationId: string,
  { slug, name, summary, mcp }: ConnectorFile,
): Promise<StoredMcpConnector | null> => {
  const url = mcp?.url as string
  const inspection = await inspectServer(deps, { url, headers: {} })
  if (inspection.kind !== 'unauthorized') {
    deps.log.warn(
      { connector: slug, outcome: inspection.kind },
      'an MCP server of the catalog cannot be linked now',
    )
    return null
  }
  const id = newUuid()
  const agreed = await setUpOAuthClient(deps, {
    organizationId,
    slug,
    url,
    id,
    challenge: inspection.challenge,
    given: null,
  })
  if (agreed.kind !== 'agreed') {
    deps.log.warn(
      { connector: slug, why: agreed.message },
      'an MCP server of the catalog cannot be linked now',
    )
    return null
  }
  const stored = await deps.db.transaction(async tx => {
    const created = await mcpConnectorStore.insert(tx, {
      organizationId,
      id,
      slug,
      name,
      summary,
      source: 'catalog',
      url,
      authentication: 'oauth',
      headerName: 'authorization',
      headerPrefix: 'Bearer ',
      sealedSecret: null,
      authorizationServer: agreed.server,
      revision: null,
      toolChanges: 'review',
    })
    if (created) await agreed.saveApp(tx)
    return created
  })
  return stored ?? mcpConnectorStore.find(deps.db, organizationId, slug)
}

/**
 * Locks a server against removal until the transaction ends. False: it was removed. Must run before any user is
 * locked, as in a removal.
 */
export const holdServer = async (tx: Transaction, organizationId: string, id: string): Promise<boolean> =>
  (await mcpConnectorStore.hold(tx, organizationId, id)) !== null

export const secretContext = (organizationId: string, id: string) =>
  ['mcp-connector', organizationId, id] as const

/** The headers with the organization's secret, if there is one. */
export const ownHeaders = async (
  vault: Vault,
  server: Pick<StoredMcpConnector, 'organizationId' | 'id' | 'sealedSecret' | 'headerName' | 'headerPrefix'>,
): Promise<{ headers: Record<string, string>; secret: Secret | null }> => {
  if (!server.sealedSecret) return { headers: {}, secret: null }
  const key = await vault.organizationKeyOf(server.organizationId, server.sealedSecret)
  const secret = new Secret(
    unseal(key, server.sealedSecret, secretContext(server.organizationId, server.id)).toString('utf8'),
  )
  return { headers: { [server.headerName]: `${server.headerPrefix}${secret.reveal()}` }, secret }
}
