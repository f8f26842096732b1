import type { FastifyReply, FastifyRequest } from 'fastify'
import { SECOND } from '../../../core/duration.ts'
import { disconnectSignal } from './disconnect-signal.ts'
import { type RpcResponse, serializeResponse } from './json-rpc.ts'

/** Keeps proxies and clients from closing an idle stream. */
const HEARTBEAT = 15 * SECOND
const RECONNECT_DELAY_MS = 2 * SECOND

/** The response to one request: plain JSON, or an event stream if a notification precedes it. */
export type McpResponder = {
  /** False if the client does not accept a stream: then no notification can be sent. */
  readonly canStream: boolean
  /** A notification was sent, so the response is the last message of the stream. */
  readonly streaming: () => boolean
  /** Aborted when the client disconnects. */
  readonly disconnected: AbortSignal
  readonly begin: () => void
  /** Sets a header, if the response is plain JSON for one request; ignored after a stream has started and in a batch. */
  readonly header: (name: string, value: string) => void
  readonly notify: (method: string, params: Record<string, unknown>) => void
  /** Sends the response, as JSON or as the last message of the stream. */
  readonly finish: (answer: RpcResponse | null) => unknown
}

export const JSON_TYPE = 'application/json; charset=utf-8'

const takesStream = ({ headers }: FastifyRequest): boolean => /text\/event-stream/i.test(headers.accept ?? '')

/** `whole`: a batch, whose responses are sent together, so no notification can precede them. */
export const createResponder = (
  request: FastifyRequest,
  reply: FastifyReply,
  whole = false,
): McpResponder => {
  const { raw } = reply
  const canStream = !whole && takesStream(request)
  /** Notifications for a client that does not read: only the latest of each kind is kept, which bounds the memory. */
  const late = new Map<string, string>()
  let heartbeat: NodeJS.Timeout | undefined
  let streaming = false
  let ended = false
  raw.once('close', () => {
    clearInterval(heartbeat)
    ended = true
  })

  const begin = (): void => {
    if (streaming || ended || !canStream) return
    streaming = true
    reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8').hijack()
    raw.writeHead(200, reply.getHeaders() as Record<string, string>)
    raw.flushHeaders()
    heartbeat = setInterval(() => raw.writableNeedDrain || raw.write(':\n\n'), HEARTBEAT)
    raw.on('drain', () => {
      const delayed = [...late.values()]
      late.clear()
      for (const message of delayed) write(message)
    })
  }
  const write = (json: string): void => {
    if (!ended) raw.write(`event: message\ndata: ${json}\n\n`)
  }

  return {
    canStream,
    streaming: () => streaming,
    disconnected: disconnectSignal(raw),
    begin,
    header: (name, value) => {
      if (!streaming && !whole && !ended) reply.header(name, value)
    },
    notify: (method, params) => {
      begin()
      if (!streaming) return
      const message = JSON.stringify({ jsonrpc: '2.0', method, params })
      if (raw.writableNeedDrain) late.set(method, message)
      else write(message)
    },
    finish: answer => {
      if (!streaming)
        return answer === null
          ? reply.code(202).send()
          : reply.type(JSON_TYPE).send(serializeResponse(answer))
      late.clear()
      if (answer !== null) write(serializeResponse(answer))
      ended = true
      clearInterval(heartbeat)
      // A stream without an answer ends before its client does, which is to connect again.
      raw.end(answer === null ? `retry: ${RECONNECT_DELAY_MS}\n\n` : undefined)
      return reply
    },
  }
}
