import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Asked = { method: string; url: URL; headers: IncomingHttpHeaders; body: string }
export type Answered = { status: number; headers: IncomingHttpHeaders; body: Buffer }
export type Ask = (asked: Asked) => Promise<Answered>

/**
 * Adapts a stand-in to the vendor's documentation: it maps the vendor's paths and adds endpoints that the stand-in lacks.
 * Connector files are never adapted to a stand-in.
 */
export type Adapt = (asked: Asked, ask: Ask) => Promise<Answered>

/** One request and its response. */
export type Seen = { asked: Asked; answered: Answered }

export type Front = { url: string; seen: Seen[]; lead: (port: number) => void; stop: () => Promise<void> }

/** A proxy in front of a stand-in, on loopback. It starts first, because the stand-in needs to know its own URL. */
export const startFront = async (adapt: Adapt): Promise<Front> => {
  const seen: Seen[] = []
  let behind = 0
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', headers, url = '/' } = request
    const body = (await buffer(request)).toString('utf8')
    const asked = { method, url: new URL(url, `http://${headers.host}`), headers, body }
    const answered = await adapt(asked, changed => forward(behind, changed))
    seen.push({ asked, answered })
    response.writeHead(answered.status, answered.headers)
    response.end(answered.body)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    seen,
    lead: to => {
      behind = to
    },
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const OF_ONE_CONNECTION = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding'])

const lasting = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_CONNECTION.has(name)))

/** The Host header of the proxy is kept, because stand-ins build their URLs from it. */
const forward = (port: number, { method, url, headers, body }: Asked): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const sent = { ...lasting(headers), 'content-length': String(Buffer.byteLength(body)) }
    const options = { host: '127.0.0.1', port, method, path: url.pathname + url.search, headers: sent }
    const request = sendRequest(options, response => {
      const { statusCode: status = 502, headers: received } = response
      buffer(response).then(bytes => resolve({ status, headers: lasting(received), body: bytes }), reject)
    })
    request.on('error', reject)
    request.end(body)
  })

export const answerJson = (status: number, value?: unknown): Answered => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: Buffer.from(value === undefined ? '' : JSON.stringify(value)),
})

/** Parses the response; null if it is not JSON. */
export const jsonOf = ({ body }: Answered): Record<string, unknown> | null => {
  try {
    return JSON.parse(body.toString('utf8')) as Record<string, unknown>
  } catch {
    return null
  }
}

export const bearerOf = ({ headers }: Asked): string => (headers.authorization ?? '').replace(/^Bearer /, '')

export const atPath = (asked: Asked, pathname: string): Asked => {
  const url = new URL(asked.url)
  url.pathname = pathname
  return { ...asked, url }
}
