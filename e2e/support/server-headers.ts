import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

const CHANNEL = 'http.server.request.start'

/** Adds headers to the responses of the server on this port of this process, until the returned function is called. */
export const addHeaders = (
  port: number,
  headersFor: (request: IncomingMessage) => Record<string, string>,
): (() => void) => {
  const add = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.socket.localPort !== port) return
    for (const [name, value] of Object.entries(headersFor(request))) response.setHeader(name, value)
  }
  subscribe(CHANNEL, add)
  return () => void unsubscribe(CHANNEL, add)
}
