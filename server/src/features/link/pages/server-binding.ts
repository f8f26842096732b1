import type { ServedConnector } from '../../connectors/mcp-servers/mcp-connector.ts'

/**
 * The hidden field that ties a form to the MCP server that its page names, since the slug may be reassigned to another server before the form
 * is sent. A server of the catalog has an ID only once it is used, and its URL until then.
 */
export const serverField = ({ serverId, mcp }: ServedConnector): { server?: string } => {
  const server = serverId ?? mcp?.url
  return server === undefined ? {} : { server }
}

/** `server`: the value of that field. */
export const isSameServer = (server: string | undefined, { serverId, mcp }: ServedConnector): boolean =>
  server === undefined ? mcp === undefined : server === serverId || server === mcp?.url

/** The host that a page names, because the organization chose name and summary of its own server. */
export const serverHost = ({ mcp }: ServedConnector): string | null => (mcp ? new URL(mcp.url).host : null)
