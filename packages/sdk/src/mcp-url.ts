import { readBaseUrl } from './base-url.ts'
import { path } from './path.ts'

const LONGEST_WAIT = 300

export type McpUrlOptions = {
  baseUrl: string | URL
  toolPackId: string
  registeredUserId: string
  /** Only the tools of these. */
  connectors?: readonly string[] | undefined
  /** Lists only the tools of what the user has linked. */
  authenticatedOnly?: boolean | undefined
  /** For clients that can open an address themselves: asks them to, instead of answering with an `authenticate_meta`. */
  elicitation?: 'url' | undefined
  /** Seconds, at most 300, that a call waits for the person to connect; it then goes through by itself. */
  wait?: number | undefined
}

/** The address that an agent of one user calls, for any MCP client. */
export const mcpUrl = (options: McpUrlOptions): string => {
  const { baseUrl, toolPackId, registeredUserId, connectors, authenticatedOnly, elicitation, wait } = options
  if (wait !== undefined && !(Number.isInteger(wait) && wait >= 1 && wait <= LONGEST_WAIT))
    throw new RangeError(`wait is a whole number of seconds from 1 to ${LONGEST_WAIT}.`)
  // None at all would read as "every one": a list that came out empty must not widen what an agent may do.
  if (connectors?.length === 0) throw new RangeError('connectors is empty. Leave it out to have all of them.')
  const query = [
    connectors && `connectors=${connectors.map(encodeURIComponent).join(',')}`,
    authenticatedOnly && 'authenticated_only=true',
    elicitation && `elicitation=${encodeURIComponent(elicitation)}`,
    wait !== undefined && `wait=${wait}`,
  ].filter(Boolean)
  const address = path`/api/v1/tool-packs/${toolPackId}/registered-users/${registeredUserId}/mcp`
  return `${readBaseUrl(baseUrl)}${address}${query.length > 0 ? `?${query.join('&')}` : ''}`
}
