import { SECOND } from '../../../core/duration.ts'
import { type Egress, EgressError } from '../../../platform/egress/egress.ts'
import {
  ask,
  type Connection,
  hangUp,
  type McpRefusalReason,
  type Obstacle,
  obstacle,
  refused,
} from './connection.ts'
import type { McpServer, Wire } from './exchange.ts'
import { type Introduction, openConnection } from './handshake.ts'
import { RPC_CODES } from './revision.ts'

const INSPECTION_TIMEOUT = 30 * SECOND
const GOODBYE_TIMEOUT = SECOND
/** A model could not read more tools than that, and reading them takes time from everybody else. */
const MAX_BYTES = 1024 * 1024
const MOST_PAGES = 50
export const MOST_TOOLS = 500

export type Inspection =
  /** `tools` are as the server gave them: `vetTools` judges each. */
  | ({ kind: 'ready'; revision: string; tools: unknown[] } & Introduction)
  | { kind: 'unauthorized'; challenge: string | null }
  | { kind: 'refused'; reason: McpRefusalReason; message: string }

/** Meets a server and lists all of its tools, within the caps. It opens a session of its own and ends it. */
export const inspectServer = async (
  { egress, timeoutMs = INSPECTION_TIMEOUT }: { egress: Egress; timeoutMs?: number },
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
    void hangUp({ ...wire, signal: AbortSignal.timeout(GOODBYE_TIMEOUT) }, connection)
    if (!Array.isArray(listed)) return toInspection(listed)
    return { kind: 'ready', revision: connection.revision, ...introduction, tools: listed }
  } catch (error) {
    if (error instanceof EgressError) return toInspection(explainEgress(error))
    throw error
  }
}

const toInspection = (found: Obstacle): Inspection =>
  found.kind === 'insufficient_scope'
    ? { kind: 'refused', reason: 'forbidden', message: 'The server wants more scopes than were granted.' }
    : found.kind === 'refused'
      ? { kind: 'refused', reason: found.reason, message: found.message }
      : found

/** All pages. A cursor that comes again ends the list: the server would turn in a circle for ever. */
const listTools = async (wire: Wire, connection: Connection): Promise<unknown[] | Obstacle> => {
  const tools: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const reply = await ask(wire, connection, 'tools/list', cursor === undefined ? {} : { cursor })
    if (reply.kind === 'error' && reply.error.code === RPC_CODES.methodNotFound) return tools
    if (reply.kind !== 'result') return obstacle(reply)
    const { tools: listed, nextCursor } = reply.result
    if (!Array.isArray(listed))
      return refused('not_mcp', 'The server answered tools/list with something that is not a list.')
    if (tools.length + listed.length > MOST_TOOLS)
      return refused(
        'too_many_tools',
        `The server has more than ${MOST_TOOLS} tools. Offer fewer, or split it into several servers.`,
      )
    tools.push(...listed)
    if (typeof nextCursor !== 'string' || seen.has(nextCursor)) return tools
    seen.add(nextCursor)
    cursor = nextCursor
  }
  return refused(
    'too_many_tools',
    `The server spreads its tools over more than ${MOST_PAGES} pages. Use larger pages.`,
  )
}

const explainEgress = ({ failure }: EgressError): Obstacle => {
  switch (failure) {
    case 'blocked':
      return refused('blocked', 'This address may not be called. Use a public https address.')
    case 'timeout':
      return refused('timeout', 'The server did not answer in time. Trying again later may help.')
    case 'too_large':
      return refused(
        'too_large',
        'The server answered with more than can be read. Its tools must fit into 1 MB.',
      )
    case 'unreachable':
      return refused('unreachable', 'The server cannot be reached. Check the address, and that it is up.')
  }
}
