import type { FastifyReply, FastifyRequest } from 'fastify'
import { SECOND } from '../../../core/duration.ts'
import type { RpcAnswer } from './json-rpc.ts'

/** Keeps proxies and clients from taking a quiet stream for a dead one. */
const HEARTBEAT = 15 * SECOND

/** What goes back for one request: plain JSON, unless something is to be said before the answer is there; then a stream. */
export type McpAnswerer = {
  /** False where the client takes no stream: then nothing can be said before the answer. */
  readonly canStream: boolean
  /** Something was said already: the answer can be nothing but the stream's last message. */
  readonly streaming: () => boolean
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal
  readonly begin: () => void
  /** Said with the answer, where it is plain JSON and of one request: what has begun to stream, or goes back with others, has no room for it. */
  readonly header: (name: string, value: string) => void
  readonly notify: (method: string, params: Record<string, unknown>) => void
  /** The answer, as the stream's last message or as all there is. */
  readonly finish: (answer: RpcAnswer | null) => unknown
}

const takesStream = ({ headers }: FastifyRequest): boolean => /text\/event-stream/i.test(headers.accept ?? '')

/** `whole`: many answers that go back together, so that nothing can be said before. */
export const createAnswerer = (request: FastifyRequest, reply: FastifyReply, whole = false): McpAnswerer => {
  const { raw } = reply
  const gone = new AbortController()
  const canStream = !whole && takesStream(request)
  /** What a client that does not read has still to be told: the last of each kind, so that it costs the same however long it takes. */
  const late = new Map<string, unknown>()
  let heartbeat: NodeJS.Timeout | undefined
  let streaming = false
  let ended = false
  raw.once('close', () => {
    clearInterval(heartbeat)
    ended = true
    if (!raw.writableFinished) gone.abort()
  })

  const begin = (): void => {
    if (streaming || ended || !canStream) return
    streaming = true
    reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8').hijack()
    raw.writeHead(200, reply.getHeaders() as Record<string, string>)
    raw.flushHeaders()
    heartbeat = setInterval(() => raw.writableNeedDrain || raw.write(':\n\n'), HEARTBEAT)
    raw.on('drain', () => {
      const told = [...late.values()]
      late.clear()
      for (const message of told) write(message)
    })
  }
  const write = (message: unknown): void => {
    if (!ended) raw.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }

  return {
    canStream,
    streaming: () => streaming,
    gone: gone.signal,
    begin,
    header: (name, value) => {
      if (!streaming && !whole && !ended) reply.header(name, value)
    },
    notify: (method, params) => {
      begin()
      if (!streaming) return
      const message = { jsonrpc: '2.0', method, params }
      if (raw.writableNeedDrain) late.set(method, message)
      else write(message)
    },
    finish: answer => {
      if (!streaming) return answer === null ? reply.code(202).send() : reply.send(answer)
      late.clear()
      if (answer !== null) write(answer)
      ended = true
      clearInterval(heartbeat)
      raw.end()
      return reply
    },
  }
}
