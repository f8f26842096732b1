import type { JsonObject } from '../../../core/json/object.ts'
import { type Deadline, startDeadline } from '../../../platform/egress/deadline.ts'
import { type Egress, EgressError } from '../../../platform/egress/egress.ts'
import { CALL_TIMEOUT_MS, MAX_RESULT_BYTES, TASK_TIMEOUT_MS } from '../call-limits.ts'
import { explainEgress } from '../provider-error.ts'
import type { CallOptions } from '../provider-response.ts'
import { awaitTask, taskCapability, taskIdIn } from './await-task.ts'
import { isStateless, RPC_CODES, STATELESS_REVISION } from './client-revisions.ts'
import { type Connection, type Obstacle, request } from './connection.ts'
import type { McpServer, Reply, Wire } from './exchange.ts'
import { openConnection } from './handshake.ts'
import { encodeHeaderValue, parameterHeaders } from './parameter-headers.ts'
import { type McpResponse, obstacleAnswer, readMcpResponse, taskFailure } from './read-mcp-response.ts'
import type { McpSessions } from './sessions.ts'
import type { McpTool } from './tool-definitions.ts'

export type { McpResponse } from './read-mcp-response.ts'

const MAX_OPENING_BYTES = 256 * 1024

/**
 * A server with the credential of one user. `name` is its display name; `revision` is the revision that worked last,
 * if any.
 */
export type McpTarget = McpServer & { name: string; revision: string | null; sessionKey: string }

type Deps = { egress: Egress; sessions: McpSessions; timeoutMs?: number }
type Tool = Pick<McpTool, 'upstreamName' | 'inputSchema'>

export const callMcpTool = async (
  deps: Deps,
  target: McpTarget,
  tool: Tool,
  args: JsonObject,
  options: Partial<CallOptions> = {},
): Promise<McpResponse> => {
  const wires = wiresOf(deps, target, options)
  const attempt = async (revision: string | null): Promise<Attempt> => {
    const connected = await connect(deps, target, wires, revision)
    if ('obstacle' in connected)
      return { kind: 'ended', answer: obstacleAnswer(target.name, connected.obstacle) }
    const { connection } = connected
    const meta = { ...metaOf(options), ...taskCapability(connection) }
    const params = {
      name: tool.upstreamName,
      arguments: args,
      ...(Object.keys(meta).length > 0 && { _meta: meta }),
    }
    const wire = wires.call()
    const reply = await requestTool(wire, connection, tool, params)
    const taskId = taskIdIn(connection, reply)
    if (taskId === null || reply.kind !== 'result') return { kind: 'replied', reply, ...connected }
    return awaitAccepted(wire, connection, taskId, reply.result)
  }
  const awaitAccepted = async (
    wire: Wire,
    connection: Connection,
    taskId: string,
    created: JsonObject,
  ): Promise<Attempt> => {
    const until = (await options.serverTask?.accepted(taskId)) ?? null
    const deadline = until && startDeadline(TASK_TIMEOUT_MS, until)
    const waiting = deadline ? { ...wire, signal: deadline.signal } : wire
    const end = await awaitTask(waiting, connection, taskId, created).finally(deadline?.end)
    return end.kind === 'replied'
      ? { ...end, connection, reused: false }
      : { kind: 'ended', answer: taskFailure(target.name, end) }
  }
  const resume = (taskId: string): Promise<Attempt> =>
    awaitAccepted(wires.call(), { revision: STATELESS_REVISION, sessionId: null }, taskId, {})
  const read = (made: Attempt): McpResponse =>
    made.kind === 'ended' ? made.answer : readMcpResponse(target.name, made.reply, made.connection.revision)
  try {
    const resumed = options.serverTask?.resumes ?? null
    const first = resumed === null ? await attempt(target.revision) : await resume(resumed)
    if (first.kind === 'ended' || !isStaleConnection(first)) return read(first)
    // The server rejected the envelope and did not run the call, so a retry is safe.
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

/** Concurrent calls may share one opening, so it has its own timeout instead of the signal of one caller. */
const wiresOf = (
  { egress, timeoutMs = CALL_TIMEOUT_MS }: Deps,
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
      budget: { bytes: MAX_OPENING_BYTES },
    }),
    call: () => ({
      egress,
      server: traced(server, options.traceparent),
      signal,
      budget: { bytes: MAX_RESULT_BYTES },
      onProgress: options.onProgress ?? null,
    }),
  }
}

type Connected = { connection: Connection; reused: boolean }
type Attempt = { kind: 'ended'; answer: McpResponse } | ({ kind: 'replied'; reply: Reply } & Connected)

/** The stateless revision needs no opening. Unless it is known to work, the era of the server is detected first. */
const connect = async (
  { sessions }: Deps,
  { sessionKey }: McpTarget,
  wires: Wires,
  revision: string | null,
): Promise<Connected | { obstacle: Obstacle }> => {
  if (revision === STATELESS_REVISION) return { connection: { revision, sessionId: null }, reused: true }
  // Most sessions are already open, and then no opening timeout is started.
  const wire = wires.opening(wires.signal)
  const using = sessions.use(sessionKey, wire, () => openConnection(wires.opening(), revision))
  const { opened, reused } = await unlessAborted(using, wires.signal)
  return opened.kind === 'open' ? { connection: opened.connection, reused } : { obstacle: opened }
}

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const rejectAborted = () => reject(new EgressError('unreachable', 'The caller has disconnected.'))
    // A timeout already ends the work with a more specific error.
    const abort = () => (signal.reason?.name === 'TimeoutError' ? undefined : rejectAborted())
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })

/** The names are those of the HTTP headers, so servers that support one can support both. SEP-414 for the trace. */
const metaOf = ({ idempotencyKey = null, traceparent = null }: Partial<CallOptions>): JsonObject => ({
  ...(idempotencyKey !== null && { 'Idempotency-Key': idempotencyKey }),
  ...(traceparent !== null && { traceparent }),
})

/** Only the request of the call carries its trace, because concurrent calls share a connection. */
const traced = (server: McpServer, traceparent: string | null = null): McpServer =>
  traceparent === null ? server : { ...server, headers: { ...server.headers, traceparent } }

type CallParams = { name: string; arguments: JsonObject; _meta?: JsonObject }

const requestTool = (
  wire: Wire,
  connection: Connection,
  { upstreamName, inputSchema }: Tool,
  params: CallParams,
): Promise<Reply> =>
  request(wire, connection, 'tools/call', params, {
    'mcp-name': encodeHeaderValue(upstreamName),
    ...parameterHeaders(inputSchema, params.arguments),
  })

/** Errors for an unknown session or for an envelope of the other era. */
const ENVELOPE_ERRORS: number[] = [
  -32000,
  -32001,
  -32600,
  RPC_CODES.methodNotFound,
  RPC_CODES.unsupportedRevision,
]

const isStaleConnection = ({ reply, reused }: { reply: Reply; reused: boolean }): boolean =>
  reused &&
  (reply.status === 404 || reply.status === 400) &&
  (reply.kind === 'status' || (reply.kind === 'error' && ENVELOPE_ERRORS.includes(reply.error.code)))
