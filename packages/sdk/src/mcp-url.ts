import { readBaseUrl } from './base-url.ts'
import { path } from './path.ts'

const MAX_WAIT_SECONDS = 300

export type McpUrlOptions = {
  baseUrl: string | URL
  toolPackId: string
  registeredUserId: string
  /** Slugs of the connectors whose tools are listed. Default: all. */
  connectors?: readonly string[] | undefined
  /** Lists only the tools of connectors that the user has linked. */
  authenticatedOnly?: boolean | undefined
  /** For clients that support URL elicitation: sends an elicitation request instead of an `authenticate_meta` result. */
  elicitation?: 'url' | undefined
  /** Seconds, at most 300, that a call waits for the user to connect. Once connected, the call continues. */
  wait?: number | undefined
}

/** Builds the MCP URL for the agent of one user. */
export const mcpUrl = (options: McpUrlOptions): string => {
  const { baseUrl, toolPackId, registeredUserId, connectors, authenticatedOnly, elicitation, wait } = options
  if (wait !== undefined && !(Number.isInteger(wait) && wait >= 1 && wait <= MAX_WAIT_SECONDS))
    throw new RangeError(`wait must be an integer number of seconds from 1 to ${MAX_WAIT_SECONDS}.`)
  // An empty parameter would mean all connectors, so an accidentally empty list would widen the agent's access.
  if (connectors?.length === 0)
    throw new RangeError('connectors must not be empty. Omit it to include all connectors.')
  const query = [
    connectors && `connectors=${connectors.map(encodeURIComponent).join(',')}`,
    authenticatedOnly && 'authenticated_only=true',
    elicitation && `elicitation=${encodeURIComponent(elicitation)}`,
    wait !== undefined && `wait=${wait}`,
  ].filter(Boolean)
  const address = path`/api/v1/tool-packs/${toolPackId}/registered-users/${registeredUserId}/mcp`
  return `${readBaseUrl(baseUrl)}${address}${query.length > 0 ? `?${query.join('&')}` : ''}`
}
