import { type Deadline, startDeadline } from '../../../platform/egress/deadline.ts'
import { type Egress, EgressError } from '../../../platform/egress/egress.ts'
import { CALL_TIMEOUT, MAX_RESULT_BYTES } from '../call-limits.ts'
import type { JsonObject } from '../json.ts'
import type { CallOptions } from '../provider-answer.ts'
import { explainEgress } from '../provider-error.ts'
import { ask, type Connection, type Obstacle } from './connection.ts'
import type { McpServer, Reply, Wire } from './exchange.ts'
import { openConnection } from './handshake.ts'
import { encodeHeaderValue, parameterHeaders } from './parameter-headers.ts'
import { type McpAnswer, meetObstacle, readMcpAnswer } from './read-answer.ts'
import { isStateless, RPC_CODES, STATELESS_REVISION } from './revision.ts'
import type { McpSessions } from './sessions.ts'
import type { McpTool } from './tool-definitions.ts'

export type { McpAnswer } from './read-answer.ts'

const MOST_OPENING_BYTES = 256 * 1024

/** A server as one user reaches it. `name` is what people know it by; `revision` is what worked before, if anything did. */
export type McpTarget = McpServer & { name: string; revision: string | null; sessionKey: string }

type Deps = { egress: Egress; sessions: McpSessions; timeoutMs?: number }
type Tool = Pick<McpTool, 'upstreamName' | 'inputSchema'>

export const callMcpTool = async (
  deps: Deps,
  target: McpTarget,
  tool: Tool,
  args: JsonObject,
  options: Partial<CallOptions> = {},
): Promise<McpAnswer> => {
  const wires = wiresOf(deps, target, options)
  const attempt = async (revision: string | null): Promise<Attempt> => {
    const reached = await reach(deps, target, wires, revision)
    if ('obstacle' in reached) return { kind: 'ended', answer: meetObstacle(target.name, reached.obstacle) }
    const params = { name: tool.upstreamName, arguments: args, ...metaOf(options) }
    const reply = await askTool(wires.call(), reached.connection, tool, params)
    return { kind: 'asked', reply, ...reached }
  }
  const read = (made: Attempt): McpAnswer =>
    made.kind === 'ended' ? made.answer : readMcpAnswer(target.name, made.reply, made.connection.revision)
  try {
    const first = await attempt(target.revision)
    if (first.kind === 'ended' || !isOutdated(first)) return read(first)
    // The server refused the envelope and not the call: nothing was done, so it is sent once more.
    deps.sessions.drop(target.sessionKey, first.connection)
    const { revision } = first.connection
    return read(await attempt(isStateless(revision) ? null : revision))
  } catch (error) {
    if (error instanceof EgressError) return explainEgress(target.name, error)
    throw error
  } finally {
    wires.end()
  }
}

type Wires = Deadline & { opening(until?: AbortSignal): Wire; call(): Wire }

/** Others may wait for the same opening: it ends with its time and not with one of its callers. */
const wiresOf = (
  { egress, timeoutMs = CALL_TIMEOUT }: Deps,
  server: McpServer,
  options: Partial<CallOptions>,
): Wires => {
  const milliseconds = options.timeoutMs ?? timeoutMs
  const { signal, end } = startDeadline(milliseconds, options.signal)
  return {
    signal,
    end,
    opening: (until = AbortSignal.timeout(milliseconds)) => ({
      egress,
      server,
      signal: until,
      budget: { bytes: MOST_OPENING_BYTES },
    }),
    call: () => ({
      egress,
      server,
      signal,
      budget: { bytes: MAX_RESULT_BYTES },
      onProgress: options.onProgress ?? null,
    }),
  }
}

type Reached = { connection: Connection; reused: boolean }
type Attempt = { kind: 'ended'; answer: McpAnswer } | ({ kind: 'asked'; reply: Reply } & Reached)

/** The revision without sessions needs no opening; where it is not known to work, the era is found out first. */
const reach = async (
  { sessions }: Deps,
  { sessionKey }: McpTarget,
  wires: Wires,
  revision: string | null,
): Promise<Reached | { obstacle: Obstacle }> => {
  if (revision === STATELESS_REVISION) return { connection: { revision, sessionId: null }, reused: true }
  // Most calls find it open, and then no second clock runs.
  const wire = wires.opening(wires.signal)
  const using = sessions.use(sessionKey, wire, () => openConnection(wires.opening(), revision))
  const { opened, reused } = await unlessAborted(using, wires.signal)
  return opened.kind === 'open' ? { connection: opened.connection, reused } : { obstacle: opened }
}

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new EgressError('unreachable', 'The caller no longer waits.'))
    // The deadline ends the work itself, and says so better.
    const abort = () => (signal.reason?.name === 'TimeoutError' ? undefined : giveUp())
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })

/** The name under which the caller gave it, too: a server that knows one of the two doors knows the other. */
const metaOf = ({ idempotencyKey = null }: Partial<CallOptions>): JsonObject =>
  idempotencyKey === null ? {} : { _meta: { 'Idempotency-Key': idempotencyKey } }

type CallParams = { name: string; arguments: JsonObject }

const askTool = (
  wire: Wire,
  connection: Connection,
  { upstreamName, inputSchema }: Tool,
  params: CallParams,
): Promise<Reply> =>
  ask(wire, connection, 'tools/call', params, {
    'mcp-name': encodeHeaderValue(upstreamName),
    ...parameterHeaders(inputSchema, params.arguments),
  })

/** What servers say of a session that they no longer know, or of an envelope of the other era. */
const ENVELOPE_ERRORS: number[] = [
  -32000,
  -32001,
  -32600,
  RPC_CODES.methodNotFound,
  RPC_CODES.unsupportedRevision,
]

const isOutdated = ({ reply, reused }: { reply: Reply; reused: boolean }): boolean =>
  reused &&
  (reply.status === 404 || reply.status === 400) &&
  (reply.kind === 'status' || (reply.kind === 'error' && ENVELOPE_ERRORS.includes(reply.error.code)))
