import { setTimeout as delay } from 'node:timers/promises'
import { readEvents } from '@carabiner/contract/event-stream'
import { SECOND } from '../../../core/duration.ts'
import { isObject, type JsonObject } from '../../../core/json/object.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Egress, EgressStream } from '../../../platform/egress/egress.ts'
import { nextTurnIfLarge } from '../../../platform/isolation/next-turn.ts'
import { parseJson } from '../json.ts'
import { RPC_CODES } from './client-revisions.ts'
import { type RpcReply, readMessage, readReply } from './message.ts'

/** The server's URL, and the headers that are sent to it only. */
export type McpServer = { url: string; headers: Record<string, string> }

/** One operation with a server. All of its messages share the deadline and the response byte budget. */
export type Wire = {
  egress: Egress
  server: McpServer
  signal: AbortSignal
  budget: { bytes: number }
  /** If set, progress notifications are requested. */
  onProgress?: ((notification: JsonObject) => void) | null
}

export type Reply = { status: number; headers: Record<string, string> } & (
  | RpcReply
  /** The HTTP status is sufficient, or there was no JSON-RPC response. */
  | { kind: 'status' }
  /** A success status without a response to the request. */
  | { kind: 'unusable' }
)

export type RpcRequest = {
  method: string
  params: JsonObject
  headers: Record<string, string>
  /** 2026-07-28: a client sends no responses, and a stream that ends early is not resumed. */
  stateless: boolean
}

const SERVER_REQUEST_TIMEOUT_MS = 5 * SECOND
const CANCELLATION_TIMEOUT_MS = 2 * SECOND
const MAX_SERVER_REQUESTS = 8
const MAX_RESUMPTIONS = 3
const MAX_RETRY_WAIT_MS = 5 * SECOND
const MAX_ERROR_BYTES = 64 * 1024

/** Sends one request and reads its response, as JSON or as an event stream. Redirects are returned, not followed. */
export const exchange = async (wire: Wire, request: RpcRequest): Promise<Reply> => {
  const id = newUuid()
  try {
    return await sendAndRead(wire, request, id)
  } catch (error) {
    if (wire.signal.aborted) cancelAtServer(wire, request, id)
    throw error
  }
}

const sendAndRead = async (wire: Wire, request: RpcRequest, id: string): Promise<Reply> => {
  const { method, headers } = request
  const params = wire.onProgress ? withProgressToken(request.params, id) : request.params
  const answer = await send(wire, 'POST', headers, { jsonrpc: '2.0', id, method, params })
  const meta = { status: answer.status, headers: answer.headers }
  if (answer.status === 401 || answer.status === 403 || (answer.status >= 300 && answer.status < 400)) {
    answer.discard()
    return { kind: 'status', ...meta }
  }
  const type = mediaType(answer)
  const succeeded = answer.status < 300
  if (type === 'application/json') {
    const text = decodeText(await (succeeded ? readWhole(wire, answer) : readErrorBody(wire, answer)))
    const reply = text === null ? null : readReply(await parseInTurn(text), id)
    return { ...(reply ?? { kind: succeeded ? 'unusable' : 'status' }), ...meta }
  }
  if (type === 'text/event-stream' && succeeded) {
    const reply = await readStream(wire, request, answer, id)
    return { ...(reply ?? { kind: 'unusable' }), ...meta }
  }
  answer.discard()
  return { kind: succeeded ? 'unusable' : 'status', ...meta }
}

/** A large message is parsed in a turn of its own, because processing it takes about as long as parsing it. */
const parseInTurn = async (text: string): Promise<unknown> => {
  await nextTurnIfLarge(text.length)
  const message = parseJson(text)
  await nextTurnIfLarge(text.length)
  return message
}

const withProgressToken = (params: JsonObject, id: string): JsonObject => {
  const { _meta: meta } = params
  return { ...params, _meta: { ...(isObject(meta) && meta), progressToken: id } }
}

/**
 * 2025-11-25, "Cancellation": closing the connection does not cancel, so a notification is sent without waiting for
 * it; `initialize` must not be cancelled. 2026-07-28: closing the connection cancels.
 */
const cancelAtServer = (wire: Wire, { method, headers, stateless }: RpcRequest, id: string): void => {
  if (stateless || method !== 'tools/call') return
  const signal = AbortSignal.timeout(CANCELLATION_TIMEOUT_MS)
  const params = { requestId: id, reason: 'The caller cancelled the request.' }
  notify({ ...wire, signal }, 'notifications/cancelled', headers, params).catch(() => undefined)
}

/** No response is expected. A server that rejects the notification rejects the next request too. */
export const notify = async (
  wire: Wire,
  method: string,
  headers: Record<string, string>,
  params?: JsonObject,
): Promise<void> =>
  (await send(wire, 'POST', headers, { jsonrpc: '2.0', method, ...(params && { params }) })).discard()

/** Ends a session. The server may not support that, so the response is ignored. */
export const endSession = async (wire: Wire, headers: Record<string, string>): Promise<void> => {
  try {
    ;(await send(wire, 'DELETE', headers)).discard()
  } catch {
    // Best effort: the server deletes expired sessions anyway.
  }
}

const send = (
  { egress, server, signal, budget }: Wire,
  method: 'GET' | 'POST' | 'DELETE',
  headers: Record<string, string>,
  message?: JsonObject,
): Promise<EgressStream> =>
  egress.stream({
    url: server.url,
    method,
    headers: {
      ...Object.fromEntries(
        Object.entries(server.headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(message && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(message && { body: JSON.stringify(message) }),
    signal,
    timeoutMs: null,
    maxBytes: budget.bytes,
  })

const mediaType = ({ headers }: EgressStream): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()

async function* metered({ budget }: Wire, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks) {
    budget.bytes -= chunk.length
    yield chunk
  }
}

const readWhole = async ({ budget }: Wire, answer: EgressStream): Promise<Buffer> => {
  const bytes = await answer.bytes()
  budget.bytes -= bytes.length
  return bytes
}

/** Null if the body is too large for an error. */
const readErrorBody = async (wire: Wire, answer: EgressStream): Promise<Buffer | null> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of metered(wire, answer.chunks())) {
    size += chunk.length
    if (size > MAX_ERROR_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Null if the bytes are not UTF-8. */
const decodeText = (bytes: Buffer | null): string | null => {
  try {
    return bytes && utf8.decode(bytes)
  } catch {
    return null
  }
}

/**
 * 2025-11-25, "Resumability": a server may close the stream before it has responded, and send the rest when the
 * client reconnects.
 */
const readStream = async (
  wire: Wire,
  request: RpcRequest,
  first: EgressStream,
  id: string,
): Promise<RpcReply | null> => {
  const position = { lastEventId: null as string | null, retryMs: 0, serverRequests: 0 }
  let reply = await readUntilReply(wire, request, first, id, position)
  const mayResume = () => !request.stateless && position.lastEventId !== null
  for (let resumed = 0; !reply && mayResume() && resumed < MAX_RESUMPTIONS; resumed++) {
    // If the deadline passes meanwhile, the next request throws the timeout.
    await delay(Math.min(position.retryMs, MAX_RETRY_WAIT_MS), undefined, wire).catch(() => undefined)
    const next = await send(wire, 'GET', { ...request.headers, 'last-event-id': position.lastEventId ?? '' })
    if (next.status !== 200 || mediaType(next) !== 'text/event-stream') {
      next.discard()
      return null
    }
    reply = await readUntilReply(wire, request, next, id, position)
  }
  return reply
}

type StreamPosition = { lastEventId: string | null; retryMs: number; serverRequests: number }

const readUntilReply = async (
  wire: Wire,
  request: RpcRequest,
  stream: EgressStream,
  id: string,
  position: StreamPosition,
): Promise<RpcReply | null> => {
  try {
    for await (const event of readEvents(metered(wire, stream.chunks()))) {
      if (event.id !== null) position.lastEventId = /^[\x20-\x7E]{1,1024}$/.test(event.id) ? event.id : null
      position.retryMs = event.retryMs ?? position.retryMs
      const incoming = event.data === '' ? null : readMessage(await parseInTurn(event.data), id)
      if (incoming?.kind === 'result' || incoming?.kind === 'error') return incoming
      if (incoming?.kind === 'progress') wire.onProgress?.(incoming.notification)
      const wanted = incoming?.kind === 'request' && !request.stateless
      if (wanted && position.serverRequests++ < MAX_SERVER_REQUESTS)
        void answerServer(wire, request.headers, incoming)
    }
    return null
  } catch (error) {
    // Text that is not UTF-8 contains no response. Other errors come from the egress.
    if (error instanceof TypeError) return null
    throw error
  }
}

/**
 * Sampling, elicitation and roots need an interactive client. They are rejected at once, so that the server does not
 * wait.
 */
const answerServer = async (
  wire: Wire,
  headers: Record<string, string>,
  { id, method }: { id: string | number; method: string },
): Promise<void> => {
  const answer =
    method === 'ping'
      ? { result: {} }
      : {
          error: {
            code: RPC_CODES.methodNotFound,
            message: `This client does not support ${method.slice(0, 100)}.`,
          },
        }
  const signal = AbortSignal.any([wire.signal, AbortSignal.timeout(SERVER_REQUEST_TIMEOUT_MS)])
  try {
    ;(await send({ ...wire, signal }, 'POST', headers, { jsonrpc: '2.0', id, ...answer })).discard()
  } catch {
    // Best effort: the server sees the end of the request anyway.
  }
}
