import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Rpc = {
  id?: string | number
  method: string
  params?: { name?: string; arguments?: unknown; _meta?: { progressToken?: unknown } }
}

/** One tool call: sends messages before its result, and observes when the connection closes. */
export type StreamedCall = {
  args: unknown
  progressToken: unknown
  notify: (method: string, params: object) => void
  response: ServerResponse
}

type Script = {
  tools: { name: string; inputSchema?: object }[]
  /** Returns null for an unknown tool. An exception is sent as a protocol error. */
  call: (name: string, call: StreamedCall) => Promise<object | null>
}

/** An MCP server of the handshake revisions that responds with streams, as defined by its script. */
export const startStreamingMcp = async ({
  tools,
  call,
}: Script): Promise<{ url: string; stop(): Promise<void> }> => {
  const answer = async (
    { method, params = {} }: Rpc,
    context: Omit<StreamedCall, 'progressToken' | 'args'>,
  ): Promise<object | null> => {
    const { name = '', arguments: args, _meta: meta } = params
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'streaming', version: '1' },
        }
      case 'tools/list':
        return {
          tools: tools.map(tool => ({
            description: `${tool.name}.`,
            inputSchema: { type: 'object' },
            ...tool,
          })),
        }
      case 'tools/call':
        return call(name, { args, progressToken: meta?.progressToken, ...context })
      default:
        return null
    }
  }
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const rpc = JSON.parse(Buffer.concat(chunks).toString()) as Rpc
    if (rpc.id === undefined) return void response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = (message: object): void =>
      void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
    try {
      const result = await answer(rpc, { notify: (method, params) => write({ method, params }), response })
      write({ id: rpc.id, ...(result ? { result } : { error: { code: -32601, message: 'no such method' } }) })
    } catch (error) {
      write({ id: rpc.id, error: { code: -32000, message: (error as Error).message } })
    }
    response.end()
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
