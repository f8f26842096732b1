import type { Database } from '../../../platform/database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import type { HashedTools } from '../../upstream/mcp-client/isolated-vetting.ts'
import { mcpConnectorStore, type StoredMcpConnector } from './mcp-connector-store.ts'

/**
 * The first tools found are served. Later changes wait for approval, or replace them with an event, depending on the
 * connector's policy, so that a server cannot change tools unnoticed.
 */
export const recordFoundTools = async (
  { db }: { db: Database },
  inspected: StoredMcpConnector,
  found: HashedTools,
  revision: string,
): Promise<void> => {
  const { hash } = found
  await db.transaction(async tx => {
    // The pinned tools may have changed while a slow server responded, so the connector is read again.
    const connector = await mcpConnectorStore.lock(tx, inspected)
    if (!connector) return
    await mcpConnectorStore.markChecked(tx, connector, null, revision)
    if (connector.toolsHash === null) return void (await mcpConnectorStore.pin(tx, connector, hash, found))
    if (connector.toolsHash === hash) return void (await mcpConnectorStore.clearPending(tx, connector))
    const taken = connector.toolChanges === 'auto'
    if (taken) await mcpConnectorStore.pin(tx, connector, hash, found)
    else if (!(await mcpConnectorStore.setPending(tx, connector, hash, found))) return
    await recordEvent(tx, {
      organizationId: connector.organizationId,
      registeredUserId: null,
      type: 'connector.tools_changed',
      payload: { connector_slug: connector.slug, tools_hash: hash, accepted: taken },
    })
  })
}
