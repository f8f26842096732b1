import type { Database } from '../../../platform/database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import type { HashedTools } from '../../upstream/mcp-client/isolated-vetting.ts'
import { type McpConnectorRow, mcpConnectorStore } from './mcp-connector-store.ts'

/**
 * The first tools found are the ones that are served. Later ones wait for somebody's word, or take their place with an
 * event, as the connector's policy says: a server must not change what a model was promised behind anybody's back.
 */
export const recordFoundTools = async (
  { db }: { db: Database },
  met: McpConnectorRow,
  found: HashedTools,
  revision: string,
): Promise<void> => {
  const { hash } = found
  await db.transaction(async tx => {
    // A server that answers slowly must not be judged by what was pinned when it was asked.
    const row = await mcpConnectorStore.lock(tx, met)
    if (!row) return
    await mcpConnectorStore.markChecked(tx, row, null, revision)
    if (row.tools_hash === null) return void (await mcpConnectorStore.pin(tx, row, hash, found))
    if (row.tools_hash === hash) return void (await mcpConnectorStore.clearPending(tx, row))
    const taken = row.tool_changes === 'auto'
    if (taken) await mcpConnectorStore.pin(tx, row, hash, found)
    else if (!(await mcpConnectorStore.setPending(tx, row, hash, found))) return
    await recordEvent(tx, {
      organizationId: row.organization_id,
      registeredUserId: null,
      type: 'connector.tools_changed',
      payload: { connector_slug: row.slug, tools_hash: hash, accepted: taken },
    })
  })
}
