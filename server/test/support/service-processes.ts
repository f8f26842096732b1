import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { Client } from 'undici'
import { eventually } from './eventually.ts'
import type { Node } from './processes.ts'

type LogLine = {
  pid: number
  msg: string
  request_id?: string
  job?: string
  signal?: string
  process?: number
}

/** The log of all processes of a service, which must run with LOG_LEVEL=debug. */
export const logOf = (node: Node): LogLine[] =>
  node
    .output()
    .split('\n')
    .filter(line => line.startsWith('{"level"') && line.endsWith('}'))
    .map(line => JSON.parse(line))

/** The process that has answered a request. */
const findServer = (node: Node, requestId: unknown): Promise<number> =>
  eventually(async () => {
    const line = logOf(node).find(({ request_id }) => request_id === requestId)
    if (!line) throw new Error(`no such request in the log`)
    return line.pid
  })

/**
 * Makes a request on a new connection. `fetch` with `Connection: close` could use one that an earlier request has left open, and that the
 * service may close at any time.
 */
export const requestOnNewConnection = async (
  node: Node,
): Promise<{ status: number | undefined; requestId: unknown }> => {
  const request = get(`${node.baseUrl}/livez`, { agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode, requestId: response.headers['x-request-id'] }
}

/** Makes a request on a new connection, and returns the ID of the process that has answered it. */
export const askNewConnection = async (node: Node): Promise<number> =>
  findServer(node, (await requestOnNewConnection(node)).requestId)

/** A client whose requests use one connection, so that one process answers all of them. */
export type PinnedClient = {
  pid: number
  post(path: string, key: string, body: unknown): Promise<{ status: number; body: any }>
  close(): Promise<void>
}

export const openPinnedClient = async (node: Node): Promise<PinnedClient> => {
  const client = new Client(node.baseUrl, { keepAliveTimeout: 600_000, bodyTimeout: 0, headersTimeout: 0 })
  const { headers, body } = await client.request({ path: '/livez', method: 'GET' })
  await body.dump()
  return {
    pid: await findServer(node, headers['x-request-id']),
    post: async (path, key, content) => {
      const response = await client.request({
        path,
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(content),
      })
      return { status: response.statusCode, body: await response.body.json() }
    },
    close: () => client.destroy(),
  }
}

/** One client for each process. */
export const openClientOfEach = async (node: Node, processes: number): Promise<PinnedClient[]> => {
  const clients = new Map<number, PinnedClient>()
  await eventually(async () => {
    const client = await openPinnedClient(node)
    if (clients.has(client.pid)) await client.close()
    else clients.set(client.pid, client)
    if (clients.size < processes) throw new Error(`only ${clients.size} processes answered`)
  })
  return [...clients.values()]
}

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
