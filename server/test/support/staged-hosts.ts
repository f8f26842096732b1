import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEgress, type Egress, standInForNetwork } from '../../src/platform/egress/egress.ts'

export type StagedAnswer = { status?: number; headers?: Record<string, string>; body?: unknown }
/** Documents by URL; others return 404. A function receives the request. */
export type Stage = Record<string, StagedAnswer | ((request: IncomingMessage, body: string) => StagedAnswer)>

export type StagedHosts = {
  /** Guarded as in production; only the staged host names resolve. */
  egress: Egress
  stage: Stage
  /** URLs of the received requests, in order. */
  requests: string[]
  close(): Promise<void>
}

/** Serves public https hosts locally, while all other addresses stay guarded. */
export const stageHosts = async (
  hosts: string[],
  addresses: Record<string, string[]> = {},
): Promise<StagedHosts> => {
  const staged: Omit<StagedHosts, 'egress' | 'close'> = { stage: {}, requests: [] }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const url = `https://${request.headers.host}${request.url}`
    staged.requests.push(url)
    const found = staged.stage[url] ?? { status: 404 }
    const {
      status = 200,
      headers = {},
      body: content = '',
    } = typeof found === 'function' ? found(request, body) : found
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof content === 'string' || content instanceof Buffer ? content : JSON.stringify(content))
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const listeners = Object.fromEntries(hosts.map(host => [host, port]))
  const egress = createEgress({ [standInForNetwork]: { listeners, addresses } })
  return Object.assign(staged, {
    egress,
    close: async () => {
      await egress.close()
      server.close()
      server.closeAllConnections()
    },
  })
}
