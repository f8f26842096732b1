import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** A receiver in a process of its own. `GET /` returns what it has received since the previous `GET /`. */
export type Received = { requests: number; events: number; milliseconds: number }

let requests = 0
let events = 0
let firstAt = 0
let lastAt = 0

const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === 'GET') {
    const received: Received = { requests, events, milliseconds: lastAt - firstAt }
    if (request.url === '/reset') [requests, events] = [0, 0]
    response.end(JSON.stringify(received))
    return
  }
  const body = await buffer(request)
  lastAt = performance.now()
  if (requests++ === 0) firstAt = lastAt
  events += request.headers['content-encoding'] === 'gzip' ? linesOf(gunzipSync(body)) : 1
  response.end('ok')
}

const linesOf = (body: Buffer): number => {
  let lines = 1
  for (const byte of body) if (byte === 10) lines++
  return lines
}

const server = createServer((request, response) => void receive(request, response))
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)
})
