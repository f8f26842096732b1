import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The official suite cannot send a key and knows only the names of its own tools. This proxy in front of the gateway adds the
 * key, and removes and restores the connector prefix of tool names. It forwards everything else unchanged.
 * `onTaskRead`: called after each answer to `tasks/get`.
 */
export const startConformanceFront = async (
  target: string,
  key: string,
  slug: string,
  onTaskRead: (taskId: string) => void = () => undefined,
): Promise<{ url: string; stop(): Promise<void> }> => {
  const prefix = `${slug}__`
  const isPrefixed = (name: unknown): name is string =>
    typeof name === 'string' && !name.startsWith('authenticate_')

  const isTaskMethod = (method: unknown): boolean => typeof method === 'string' && method.startsWith('tasks/')

  const prefixed = (body: string): string => {
    const rpc = JSON.parse(body) as { method?: string; params?: { name?: unknown } }
    if (rpc.method !== 'tools/call' || !isPrefixed(rpc.params?.name)) return body
    rpc.params.name = prefix + rpc.params.name
    return JSON.stringify(rpc)
  }
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const name = request.headers['mcp-name']
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = request.headers
    const upstream = httpRequest(target, {
      method: request.method,
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        ...(isPrefixed(name) && !isTaskMethod(headers['mcp-method']) && { 'mcp-name': prefix + name }),
      },
    })
    upstream.on('response', answer => {
      const { 'content-length': _, ...forwarded } = answer.headers
      response.writeHead(answer.statusCode ?? 502, forwarded)
      answer.on('data', chunk => response.write(String(chunk).replaceAll(`"name":"${prefix}`, '"name":"')))
      answer.on('end', () => {
        response.end()
        if (headers['mcp-method'] === 'tasks/get' && typeof name === 'string') onTaskRead(name)
      })
      response.on('close', () => upstream.destroy())
    })
    upstream.on('error', () => response.destroy())
    upstream.end(body && request.method === 'POST' ? prefixed(body) : undefined)
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
