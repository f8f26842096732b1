import { SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import { type Egress, EgressError } from '../../platform/egress.ts'
import { ask, type Connection, type Obstacle, obstacle } from './mcp-connection.ts'
import type { McpServer, Reply, Wire } from './mcp-exchange.ts'
import { openConnection } from './mcp-handshake.ts'
import type { JsonObject } from './mcp-json.ts'
import { encodeHeaderValue, parameterHeaders } from './mcp-parameter-headers.ts'
import { type McpToolResult, readToolResult } from './mcp-result.ts'
import { isStateless, RPC_CODES, STATELESS_REVISION } from './mcp-revision.ts'
import type { McpSessions } from './mcp-sessions.ts'
import { cleanLine } from './mcp-text.ts'
import type { McpTool } from './mcp-tools.ts'
import { explainEgress } from './third-party-error.ts'

const CALL_TIMEOUT = 30 * SECOND
const MOST_RESULT_BYTES = 1024 * 1024
const MOST_OPENING_BYTES = 256 * 1024

/** A server as one user reaches it. `name` is what people know it by; `revision` is what worked before, if anything did. */
export type McpTarget = McpServer & { name: string; revision: string | null; sessionKey: string }

export type McpAnswer =
  /** `revision`: what worked this time; another one than was known where the server was upgraded. */
  | { kind: 'result'; result: McpToolResult; revision: string }
  | { kind: 'unauthorized'; challenge: string | null }
  | { kind: 'insufficient_scope'; scopes: string[] }
  | { kind: 'failed'; refusal: Refusal }

type Deps = { egress: Egress; sessions: McpSessions; timeoutMs?: number }
type Tool = Pick<McpTool, 'upstreamName' | 'inputSchema'>

export const callMcpTool = async (
  deps: Deps,
  target: McpTarget,
  tool: Tool,
  args: JsonObject,
): Promise<McpAnswer> => {
  const signal = AbortSignal.timeout(deps.timeoutMs ?? CALL_TIMEOUT)
  const attempt = async (revision: string | null): Promise<Attempt> => {
    const wire = (bytes: number): Wire => ({ egress: deps.egress, server: target, signal, budget: { bytes } })
    const reached = await reach(deps, target, wire(MOST_OPENING_BYTES), revision)
    if ('obstacle' in reached) return { kind: 'ended', answer: meet(target.name, reached.obstacle) }
    const reply = await askTool(wire(MOST_RESULT_BYTES), reached.connection, tool, args)
    return { kind: 'asked', reply, ...reached }
  }
  const read = (made: Attempt): McpAnswer =>
    made.kind === 'ended' ? made.answer : readAnswer(target.name, made.reply, made.connection.revision)
  try {
    const first = await attempt(target.revision)
    if (first.kind === 'ended' || !isOutdated(first)) return read(first)
    // The server refused the envelope and not the call: nothing was done, so it is sent once more.
    deps.sessions.drop(target.sessionKey, first.connection)
    const { revision } = first.connection
    return read(await attempt(isStateless(revision) ? null : revision))
  } catch (error) {
    if (error instanceof EgressError) return { kind: 'failed', refusal: explainEgress(target.name, error) }
    throw error
  }
}

type Reached = { connection: Connection; reused: boolean }
type Attempt = { kind: 'ended'; answer: McpAnswer } | ({ kind: 'asked'; reply: Reply } & Reached)

/** The revision without sessions needs no opening; where it is not known to work, the era is found out first. */
const reach = async (
  { sessions }: Deps,
  { sessionKey }: McpTarget,
  wire: Wire,
  revision: string | null,
): Promise<Reached | { obstacle: Obstacle }> => {
  if (revision === STATELESS_REVISION) return { connection: { revision, sessionId: null }, reused: true }
  const { opened, reused } = await sessions.use(sessionKey, wire, () => openConnection(wire, revision))
  return opened.kind === 'open' ? { connection: opened.connection, reused } : { obstacle: opened }
}

const askTool = (wire: Wire, connection: Connection, tool: Tool, args: JsonObject): Promise<Reply> =>
  ask(
    wire,
    connection,
    'tools/call',
    { name: tool.upstreamName, arguments: args },
    { 'mcp-name': encodeHeaderValue(tool.upstreamName), ...parameterHeaders(tool.inputSchema, args) },
  )

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

const readAnswer = (party: string, reply: Reply, revision: string): McpAnswer => {
  if (reply.kind === 'error') return readError(party, reply)
  if (reply.kind === 'status' && reply.status !== 401 && reply.status !== 403)
    return fail(`${party} answered with status ${reply.status}. ${advice(reply.status)}`)
  if (reply.kind !== 'result') return meet(party, obstacle(reply))
  const { resultType = 'complete' } = reply.result
  if (resultType === 'input_required') return wantsPerson(party)
  const result = resultType === 'complete' ? readToolResult(reply.result) : null
  return result
    ? { kind: 'result', result, revision }
    : fail(`${party} answered with something that is not a tool result.`)
}

const readError = (party: string, { error }: Extract<Reply, { kind: 'error' }>): McpAnswer => {
  if (error.code === RPC_CODES.urlElicitationRequired) return wantsPerson(party)
  return fail(`${party} refused the call: ${cleanLine(error.message, 500) || `error ${error.code}`}`)
}

const advice = (status: number): string =>
  status === 429 || status >= 500 ? 'Trying again later may help.' : 'Trying again will not help.'

/** The server's question, and an address in it, stay here: a link that a third party wants opened is not ours to hand on. */
const wantsPerson = (party: string): McpAnswer =>
  fail(
    `${party} wants something that only a person can give, so the call was not finished. Do it in ${party} itself; trying again will not help.`,
  )

const fail = (message: string): McpAnswer => ({
  kind: 'failed',
  refusal: new Refusal('third_party_error', { message }),
})

const meet = (party: string, found: Obstacle): McpAnswer =>
  found.kind === 'refused' ? fail(`${party} cannot be used right now. ${found.message}`) : found
