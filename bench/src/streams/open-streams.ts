import { Agent, request } from 'node:http'
import type { Gateway } from '../mcp/gateway.ts'
import { statelessRequest } from '../mcp/mcp-request.ts'

/** Open event streams: half of them `subscriptions/listen`, half the GET of the MCP revisions with sessions. */
export type OpenedStreams = { close(): void }

const BATCH = 50

const openOne = (agent: Agent, gateway: Gateway, n: number): Promise<() => void> => {
  const path = gateway.paths[n % gateway.paths.length] as string
  const url = new URL(path, gateway.service.origin)
  const authorization = `Bearer ${gateway.key}`
  const { headers, body } =
    n % 2 === 0
      ? statelessRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }, authorization)
      : { headers: { authorization, accept: 'text/event-stream' }, body: null }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method: body === null ? 'GET' : 'POST', headers }, response => {
      if (response.statusCode !== 200) return reject(new Error(`stream ${n} returned ${response.statusCode}`))
      response.resume()
      response.on('error', () => undefined)
      resolve(() => void outgoing.destroy())
    })
    outgoing.on('error', reject)
    outgoing.end(body ?? undefined)
  })
}

export const openStreams = async (gateway: Gateway, count: number): Promise<OpenedStreams> => {
  const agent = new Agent({ keepAlive: false })
  const closers: (() => void)[] = []
  while (closers.length < count) {
    const many = Math.min(BATCH, count - closers.length)
    const from = closers.length
    closers.push(
      ...(await Promise.all(Array.from({ length: many }, (_, n) => openOne(agent, gateway, from + n)))),
    )
  }
  return { close: () => closers.forEach(close => close()) }
}
