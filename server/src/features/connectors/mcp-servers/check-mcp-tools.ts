import { inspectTools } from '../../upstream/mcp-client/isolated-vetting.ts'
import { recordFoundTools } from './found-tools.ts'
import { mcpConnectorStore, type StoredMcpConnector } from './mcp-connector-store.ts'
import { type McpConnectorDeps, ownHeaders, serverOf } from './mcp-connectors.ts'

const BATCH_SIZE = 10

/** Compares the server's current tools with the accepted ones. Returns the problem, or null. */
export const checkTools = async (
  deps: McpConnectorDeps,
  connector: StoredMcpConnector,
): Promise<string | null> => {
  const { headers } = await ownHeaders(deps.vault, connector)
  const found = await inspectTools(deps, serverOf(connector, headers))
  if (found.kind === 'ready') {
    await recordFoundTools(deps, connector, found.found, found.revision)
    return null
  }
  const problem =
    found.kind === 'refused'
      ? found.message
      : connector.authentication === 'oauth' || connector.authentication === 'user_secret'
        ? 'The server lists its tools only for users who have linked it. They are read again whenever a user links.'
        : 'The server no longer grants access.'
  await mcpConnectorStore.markChecked(deps.db, connector, problem, null)
  return problem
}

/** Checks each server once an hour. A server that hangs delays its own batch only. */
export const checkDueTools = async (deps: McpConnectorDeps): Promise<void> => {
  for (;;) {
    const rows = await mcpConnectorStore.takeDue(deps.db, BATCH_SIZE)
    await Promise.all(
      rows.map(connector =>
        checkTools(deps, connector).catch((error: unknown) =>
          deps.log.warn(
            { error, connector: connector.slug },
            'the tools of an MCP server could not be checked',
          ),
        ),
      ),
    )
    if (rows.length < BATCH_SIZE) return
  }
}
