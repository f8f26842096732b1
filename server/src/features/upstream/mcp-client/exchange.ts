import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { SECOND } from '../../../core/duration.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Egress, EgressStream } from '../../../platform/egress/egress.ts'
import { isObject, type JsonObject, parseJson } from '../json.ts'
import { readEvents } from './event-stream.ts'
import { type RpcReply, readMessage, readReply } from './message.ts'
import { RPC_CODES } from './revision.ts'

/** The server and what is sent to it alone. */
export type McpServer = { url: string; headers: Record<string, string> }

/** One piece of work with a server: every message in it shares the deadline and the bytes that may come back. */
export type Wire = {
  egress: Egress
  server: McpServer
  signal: AbortSignal
  budget: { bytes: number }
  /** Where the server is asked to say how far it is. */
  onProgress?: ((told: JsonObject) => void) | null
}

export type Reply = { status: number; headers: Record<string, string> } & (
  | RpcReply
  /** An HTTP status that says it all, or that came without a JSON-RPC answer. */
  | { kind: 'status' }
  /** A success that holds no answer to the request. */
  | { kind: 'unusable' }
)

export type Question = {
  method: string
  params: JsonObject
  headers: Record<string, string>
  /** 2026-07-28: a client sends no answers, and a stream that ends early is not resumed. */
  stateless: boolean
}

const WHOLE_WORK = 60 * SECOND
const SIDE_ANSWER_TIMEOUT = 5 * SECOND
const CANCELLATION_TIMEOUT = 2 * SECOND
const MOST_SIDE_ANSWERS = 8
const MOST_RESUMPTIONS = 3
const LONGEST_RETRY_WAIT = 5 * SECOND
const MOST_ERROR_BYTES = 64 * 1024

/** One request and its answer, as JSON or in an event stream. A redirect is an answer and is not followed. */
export const exchange = async (wire: Wire, question: Question): Promise<Reply> => {
  const id = newUuid()
  try {
    return await converse(wire, question, id)
  } catch (error) {
    if (wire.signal.aborted) cancelAtServer(wire, question, id)
    throw error
  }
}

const converse = async (wire: Wire, question: Question, id: string): Promise<Reply> => {
  const { method, headers } = question
  const params = wire.onProgress ? withProgressToken(question.params, id) : question.params
  const answer = await send(wire, 'POST', headers, { jsonrpc: '2.0', id, method, params })
  const meta = { status: answer.status, headers: answer.headers }
  if (answer.status === 401 || answer.status === 403 || (answer.status >= 300 && answer.status < 400)) {
    answer.discard()
    return { kind: 'status', ...meta }
  }
  const type = mediaType(answer)
  const succeeded = answer.status < 300
  if (type === 'application/json') {
    const text = await readText(wire, answer, succeeded ? Number.POSITIVE_INFINITY : MOST_ERROR_BYTES)
    const reply = text === null ? null : readReply(await parseInTurn(text), id)
    return { ...(reply ?? { kind: succeeded ? 'unusable' : 'status' }), ...meta }
  }
  if (type === 'text/event-stream' && succeeded) {
    const reply = await readStream(wire, question, answer, id)
    return { ...(reply ?? { kind: 'unusable' }), ...meta }
  }
  answer.discard()
  return { kind: succeeded ? 'unusable' : 'status', ...meta }
}

const LARGE_LENGTH = 64 * 1024

/** Parses a message. After a large one other requests run first, because reading it takes about as long as parsing it. */
const parseInTurn = async (text: string): Promise<unknown> => {
  const message = parseJson(text)
  if (text.length > LARGE_LENGTH) await setImmediate()
  return message
}

const withProgressToken = (params: JsonObject, id: string): JsonObject => {
  const { _meta: meta } = params
  return { ...params, _meta: { ...(isObject(meta) && meta), progressToken: id } }
}

/**
 * 2025-11-25, "Cancellation": a closed connection is none, so the server is told; nobody waits for it, and an `initialize`
 * must not be. 2026-07-28: the connection that was closed says it.
 */
const cancelAtServer = (wire: Wire, { method, headers, stateless }: Question, id: string): void => {
  if (stateless || method !== 'tools/call') return
  const signal = AbortSignal.timeout(CANCELLATION_TIMEOUT)
  const params = { requestId: id, reason: 'The caller no longer waits for it.' }
  notify({ ...wire, signal }, 'notifications/cancelled', headers, params).catch(() => undefined)
}

/** Nothing is expected back, and a server that refuses it says so again at the next request. */
export const notify = async (
  wire: Wire,
  method: string,
  headers: Record<string, string>,
  params?: JsonObject,
): Promise<void> =>
  (await send(wire, 'POST', headers, { jsonrpc: '2.0', method, ...(params && { params }) })).discard()

/** Ends a session. A server may answer that it does not do that; nobody waits for more. */
export const endSession = async (wire: Wire, headers: Record<string, string>): Promise<void> => {
  try {
    ;(await send(wire, 'DELETE', headers)).discard()
  } catch {
    // Best effort: the server forgets the session by itself.
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
    timeoutMs: WHOLE_WORK,
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

/** Null where the text is not UTF-8, or longer than an error needs to be. */
const readText = async (wire: Wire, answer: EgressStream, longest: number): Promise<string | null> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of metered(wire, answer.body)) {
    size += chunk.length
    if (size > longest) return null
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    return null
  }
}

/** 2025-11-25, "Resumability": a server may close the stream before it has answered, and tell the rest to who asks again. */
const readStream = async (
  wire: Wire,
  question: Question,
  first: EgressStream,
  id: string,
): Promise<RpcReply | null> => {
  const place = { lastEventId: null as string | null, retryMs: 0, sideAnswers: 0 }
  let reply = await readUntilReply(wire, question, first, id, place)
  const mayResume = () => !question.stateless && place.lastEventId !== null
  for (let resumed = 0; !reply && mayResume() && resumed < MOST_RESUMPTIONS; resumed++) {
    // When the deadline passes meanwhile, the next request says so.
    await delay(Math.min(place.retryMs, LONGEST_RETRY_WAIT), undefined, wire).catch(() => undefined)
    const next = await send(wire, 'GET', { ...question.headers, 'last-event-id': place.lastEventId ?? '' })
    if (next.status !== 200 || mediaType(next) !== 'text/event-stream') {
      next.discard()
      return null
    }
    reply = await readUntilReply(wire, question, next, id, place)
  }
  return reply
}

type Place = { lastEventId: string | null; retryMs: number; sideAnswers: number }

const readUntilReply = async (
  wire: Wire,
  question: Question,
  stream: EgressStream,
  id: string,
  place: Place,
): Promise<RpcReply | null> => {
  try {
    for await (const event of readEvents(metered(wire, stream.body))) {
      if (event.id !== null) place.lastEventId = /^[\x20-\x7E]{1,1024}$/.test(event.id) ? event.id : null
      place.retryMs = event.retryMs ?? place.retryMs
      const incoming = event.data === '' ? null : readMessage(await parseInTurn(event.data), id)
      if (incoming?.kind === 'result' || incoming?.kind === 'error') return incoming
      if (incoming?.kind === 'progress') wire.onProgress?.(incoming.told)
      const wanted = incoming?.kind === 'request' && !question.stateless
      if (wanted && place.sideAnswers++ < MOST_SIDE_ANSWERS)
        void answerServer(wire, question.headers, incoming)
    }
    return null
  } catch (error) {
    // Text that is not UTF-8 holds no answer; everything else is the egress's to explain.
    if (error instanceof TypeError) return null
    throw error
  }
}

/** Sampling, elicitation and roots are for a client with a person at it. The server is told at once, so that it need not wait. */
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
            message: `This client does not answer ${method.slice(0, 100)}.`,
          },
        }
  const signal = AbortSignal.any([wire.signal, AbortSignal.timeout(SIDE_ANSWER_TIMEOUT)])
  try {
    ;(await send({ ...wire, signal }, 'POST', headers, { jsonrpc: '2.0', id, ...answer })).discard()
  } catch {
    // The server learns it from the end of the request.
  }
}
