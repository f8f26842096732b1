import { inspectTools } from '../../upstream/mcp-client/isolated-vetting.ts'
import { recordFoundTools } from './found-tools.ts'
import { type McpConnectorRow, mcpConnectorStore } from './mcp-connector-store.ts'
import { type McpConnectorDeps, ownHeaders, serverOf } from './mcp-connectors.ts'

const BATCH = 10

/** What the server has today, compared with what was accepted. Says what went wrong, or null. */
export const checkTools = async (deps: McpConnectorDeps, row: McpConnectorRow): Promise<string | null> => {
  const { headers } = await ownHeaders(deps.vault, row)
  const found = await inspectTools(deps, serverOf(row, headers))
  if (found.kind === 'ready') {
    await recordFoundTools(deps, row, found.found, found.revision)
    return null
  }
  const problem =
    found.kind === 'refused'
      ? found.message
      : row.authentication === 'oauth' || row.authentication === 'user_secret'
        ? 'The server lists its tools only to users who have linked it: they are read again whenever one links.'
        : 'The server no longer lets us in.'
  await mcpConnectorStore.markChecked(deps.db, row, problem, null)
  return problem
}

/** Once an hour each; a server that hangs holds up nobody but its own batch. */
export const checkDueTools = async (deps: McpConnectorDeps): Promise<void> => {
  for (;;) {
    const rows = await mcpConnectorStore.takeDue(deps.db, BATCH)
    await Promise.all(
      rows.map(row =>
        checkTools(deps, row).catch((error: unknown) =>
          deps.log.warn({ error, connector: row.slug }, 'the tools of an MCP server could not be checked'),
        ),
      ),
    )
    if (rows.length < BATCH) return
  }
}
