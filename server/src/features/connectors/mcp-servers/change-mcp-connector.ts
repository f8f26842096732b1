import type { McpConnectorPatch } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { Database, Transaction } from '../../../platform/database/database.ts'
import { seal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { mcpConnectorStore, type StoredMcpConnector } from './mcp-connector-store.ts'
import { secretContext } from './mcp-connectors.ts'

export const requireMcpConnector = async (
  db: Database,
  organizationId: string,
  slug: string,
): Promise<StoredMcpConnector> => {
  const connector = await mcpConnectorStore.find(db, organizationId, slug)
  if (!connector) throw new Refusal('connector_not_found')
  return connector
}

export const changeMcpConnector = async (
  { db, vault }: { db: Database; vault: Vault },
  organizationId: string,
  slug: string,
  { name, summary, tool_changes, secret }: McpConnectorPatch,
): Promise<StoredMcpConnector> => {
  const connector = await requireMcpConnector(db, organizationId, slug)
  if (secret !== undefined && connector.authentication !== 'organization_secret')
    throw new Refusal('invalid_request', {
      param: 'secret',
      message: 'This connector has no organization secret.',
    })
  const key = await vault.organizationKey(organizationId)
  const changed = await mcpConnectorStore.update(db, connector, {
    name: name ?? null,
    summary: summary ?? null,
    toolChanges: tool_changes ?? null,
    sealedSecret:
      secret === undefined ? null : seal(key, secret, secretContext(organizationId, connector.id)),
  })
  if (!changed) throw new Refusal('connector_not_found')
  return changed
}

export type RemovalDeps = {
  db: Database
  /** Revokes the credentials that were linked with a removed server. */
  endConnectorCredentials: (tx: Transaction, organizationId: string, slug: string) => Promise<void>
  afterRevocation: () => void
}

export const removeMcpConnector = async (
  { db, endConnectorCredentials, afterRevocation }: RemovalDeps,
  organizationId: string,
  slug: string,
): Promise<void> => {
  await db.transaction(async tx => {
    if (!(await mcpConnectorStore.remove(tx, organizationId, slug))) throw new Refusal('connector_not_found')
    await endConnectorCredentials(tx, organizationId, slug)
  })
  afterRevocation()
}

/** Requires the hash of the tools that were reviewed, so that no later change is accepted unseen. */
export const acceptTools = (db: Database, connector: StoredMcpConnector, hash: string): Promise<void> =>
  db.transaction(async tx => {
    await mcpConnectorStore.lock(tx, connector)
    const pending = await mcpConnectorStore.pending(tx, connector)
    if (!pending) throw new Refusal('no_pending_tools')
    if (pending.hash !== hash) throw new Refusal('tools_hash_mismatch', { param: 'hash' })
    await mcpConnectorStore.pin(tx, connector, pending.hash, pending.found)
  })
