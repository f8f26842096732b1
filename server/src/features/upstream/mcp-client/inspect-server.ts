import { SECOND } from '../../../core/duration.ts'
import { type Egress, EgressError } from '../../../platform/egress/egress.ts'
import { RPC_CODES } from './client-revisions.ts'
import {
  type Connection,
  closeConnection,
  type McpRefusalReason,
  type Obstacle,
  obstacle,
  refused,
  request,
} from './connection.ts'
import type { McpServer, Wire } from './exchange.ts'
import { type Introduction, openConnection } from './handshake.ts'

const INSPECTION_TIMEOUT_MS = 30 * SECOND
const CLOSE_TIMEOUT_MS = SECOND
/** More tools than a model can use, and a limit on the time to parse them. */
const MAX_BYTES = 1024 * 1024
const MAX_PAGES = 50
export const MAX_TOOLS = 500

export type Inspection =
  /** `tools` are unvalidated; `vetTools` validates each. */
  | ({ kind: 'ready'; revision: string; tools: unknown[] } & Introduction)
  | { kind: 'unauthorized'; challenge: string | null }
  | { kind: 'refused'; reason: McpRefusalReason; message: string }

/** Connects to a server and lists all of its tools, within the limits. It opens its own session and ends it. */
export const inspectServer = async (
  { egress, timeoutMs = INSPECTION_TIMEOUT_MS }: { egress: Egress; timeoutMs?: number },
  server: McpServer & { revision?: string | null },
): Promise<Inspection> => {
  const wire: Wire = {
    egress,
    server,
    signal: AbortSignal.timeout(timeoutMs),
    budget: { bytes: MAX_BYTES },
  }
  try {
    const opened = await openConnection(wire, server.revision ?? null)
    if (opened.kind !== 'open') return toInspection(opened)
    const { connection, introduction } = opened
    const listed = await listTools(wire, connection)
    void closeConnection({ ...wire, signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS) }, connection)
    if (!Array.isArray(listed)) return toInspection(listed)
    return { kind: 'ready', revision: connection.revision, ...introduction, tools: listed }
  } catch (error) {
    if (error instanceof EgressError) return toInspection(explainEgress(error))
    throw error
  }
}

const toInspection = (found: Obstacle): Inspection =>
  found.kind === 'insufficient_scope'
    ? { kind: 'refused', reason: 'forbidden', message: 'The server requires more scopes than were granted.' }
    : found.kind === 'refused'
      ? { kind: 'refused', reason: found.reason, message: found.message }
      : found

/** Reads all pages. A repeated cursor ends the list, because the server would loop forever. */
const listTools = async (wire: Wire, connection: Connection): Promise<unknown[] | Obstacle> => {
  const tools: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const reply = await request(wire, connection, 'tools/list', cursor === undefined ? {} : { cursor })
    if (reply.kind === 'error' && reply.error.code === RPC_CODES.methodNotFound) return tools
    if (reply.kind !== 'result') return obstacle(reply)
    const { tools: listed, nextCursor } = reply.result
    if (!Array.isArray(listed))
      return refused('not_mcp', 'The response to tools/list does not contain a list of tools.')
    if (tools.length + listed.length > MAX_TOOLS)
      return refused(
        'too_many_tools',
        `The server has more than ${MAX_TOOLS} tools. Offer fewer, or split it into several servers.`,
      )
    tools.push(...listed)
    if (typeof nextCursor !== 'string' || seen.has(nextCursor)) return tools
    seen.add(nextCursor)
    cursor = nextCursor
  }
  return refused('too_many_tools', `The list of tools has more than ${MAX_PAGES} pages. Use larger pages.`)
}

const explainEgress = ({ failure }: EgressError): Obstacle => {
  switch (failure) {
    case 'blocked':
      return refused('blocked', 'Calls to this address are not allowed. Use a public https address.')
    case 'timeout':
      return refused('timeout', 'The server did not respond in time. Trying again later may help.')
    case 'too_large':
      return refused(
        'too_large',
        'The response of the server is too large. The definitions of its tools must not exceed 1 MB.',
      )
    case 'unreachable':
    case 'certificate_refused':
      return refused('unreachable', 'The server cannot be reached. Check the address, and that it is up.')
  }
}
