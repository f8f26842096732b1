import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type ProxiedRequest = { method: string; url: URL; headers: IncomingHttpHeaders; body: string }
export type ProxiedResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer }
export type Forward = (request: ProxiedRequest) => Promise<ProxiedResponse>

/**
 * Adapts a stand-in to the vendor's documentation: it maps the vendor's paths and adds endpoints that the stand-in lacks.
 * Connector files are never adapted to a stand-in.
 */
export type Adapt = (request: ProxiedRequest, forward: Forward) => Promise<ProxiedResponse>

/** One request and its response. */
export type Exchange = { request: ProxiedRequest; response: ProxiedResponse }

export type StandInProxy = {
  url: string
  exchanges: Exchange[]
  setTarget: (port: number) => void
  stop: () => Promise<void>
}

/** A proxy in front of a stand-in, on loopback. It starts first, because the stand-in is configured with the proxy's URL. */
export const startProxy = async (adapt: Adapt): Promise<StandInProxy> => {
  const exchanges: Exchange[] = []
  let targetPort = 0
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = 'GET', headers, url = '/' } = incoming
    const body = (await buffer(incoming)).toString('utf8')
    const request = { method, url: new URL(url, `http://${headers.host}`), headers, body }
    const response = await adapt(request, changed => forward(targetPort, changed))
    exchanges.push({ request, response })
    outgoing.writeHead(response.status, response.headers)
    outgoing.end(response.body)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    exchanges,
    setTarget: to => {
      targetPort = to
    },
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const HOP_BY_HOP = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding'])

const withoutHopByHop = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))

/** The Host header of the proxy is kept, because stand-ins build their URLs from it. */
const forward = (port: number, { method, url, headers, body }: ProxiedRequest): Promise<ProxiedResponse> =>
  new Promise((resolve, reject) => {
    const sent = { ...withoutHopByHop(headers), 'content-length': String(Buffer.byteLength(body)) }
    const options = { host: '127.0.0.1', port, method, path: url.pathname + url.search, headers: sent }
    const request = sendRequest(options, response => {
      const { statusCode: status = 502, headers: received } = response
      buffer(response).then(
        bytes => resolve({ status, headers: withoutHopByHop(received), body: bytes }),
        reject,
      )
    })
    request.on('error', reject)
    request.end(body)
  })

export const jsonResponse = (status: number, value?: unknown): ProxiedResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: Buffer.from(value === undefined ? '' : JSON.stringify(value)),
})

/** Parses the response; null if it is not JSON. */
export const parseJson = ({ body }: ProxiedResponse): Record<string, unknown> | null => {
  try {
    return JSON.parse(body.toString('utf8')) as Record<string, unknown>
  } catch {
    return null
  }
}

export const bearerToken = ({ headers }: ProxiedRequest): string =>
  (headers.authorization ?? '').replace(/^Bearer /, '')

export const withPath = (request: ProxiedRequest, pathname: string): ProxiedRequest => {
  const url = new URL(request.url)
  url.pathname = pathname
  return { ...request, url }
}
