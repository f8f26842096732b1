import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** A provider in a separate process that sends responses of the given size: `node upstream.ts <bytes>`. */
const BYTES = Number(process.argv[2])
const CHUNK = Buffer.alloc(64 * 1024, 'a')

function* parts(head: string, tail: string): Generator<Buffer, void> {
  yield Buffer.from(head)
  for (let sent = 0; sent < BYTES; sent += CHUNK.length) yield CHUNK
  yield Buffer.from(tail)
}

const send = async (
  response: ServerResponse,
  type: string,
  zipped: boolean,
  head: string,
  tail: string,
): Promise<void> => {
  response.writeHead(200, { 'content-type': type, ...(zipped && { 'content-encoding': 'gzip' }) })
  const body = Readable.from(parts(head, tail))
  // The client disconnects when the response is too large, which is the behavior under test.
  await (zipped ? pipeline(body, createGzip({ level: 1 }), response) : pipeline(body, response)).catch(
    () => undefined,
  )
}

const readRpc = async (request: IncomingMessage): Promise<{ id?: string; method?: string }> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as { id?: string; method?: string }
}

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const zipped = url.searchParams.has('gzip')
  if (url.pathname === '/json') return send(response, 'application/json', zipped, '{"text":"', '"}')
  const { id, method } = await readRpc(request)
  if (method === 'initialize') {
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 'huge', version: '1' },
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }
  if (method !== 'tools/call') return void response.writeHead(202).end()
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`
  const events = url.searchParams.has('events')
  return events
    ? send(response, 'text/event-stream', zipped, `data: ${head}`, '"}]}}\n\n')
    : send(response, 'application/json', zipped, head, '"}]}}')
}

const server = createServer((request, response) => {
  response.on('error', () => undefined)
  void answer(request, response)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.stdin.on('end', () => process.exit(0)).resume()
