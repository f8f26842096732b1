import type { FastifyReply } from 'fastify'
import { SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'

const HEARTBEAT_INTERVAL_MS = 15 * SECOND
/** How long a client waits before it connects again. */
const RECONNECT_MS = 2 * SECOND
const RETRY_AFTER_SECONDS = 10

export type EventSender = {
  /** Whether the client has read what was sent. */
  isReady(): boolean
  /** `id`: the position after this event, with which a client continues. Null: the client must not continue after this event. */
  send(id: string | null, data: string): void
  /** Sends a position without an event. */
  sendPosition(id: string): void
  end(): void
}

/** Streams server-sent events, with heartbeats that keep proxies from closing the connection. */
export const sendEventStream = (
  reply: FastifyReply,
  subscribe: (sender: EventSender) => (() => void) | null,
): void => {
  const { raw } = reply
  if (raw.destroyed) return void reply.hijack()
  let heartbeat: NodeJS.Timeout | undefined
  const stop = subscribe({
    isReady: () => !raw.writableNeedDrain,
    send: (id, data) => void raw.write(`${id === null ? '' : `id: ${id}\n`}data: ${data}\n\n`),
    sendPosition: id => void raw.write(`id: ${id}\n\n`),
    end: () => {
      clearInterval(heartbeat)
      raw.end()
    },
  })
  if (!stop) throw new Refusal('rate_limited', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8').hijack()
  raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  raw.write(`retry: ${RECONNECT_MS}\n\n`)
  heartbeat = setInterval(() => raw.write(':\n\n'), HEARTBEAT_INTERVAL_MS)
  raw.on('close', () => {
    clearInterval(heartbeat)
    stop()
  })
}
