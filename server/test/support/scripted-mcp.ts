import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An MCP server of the handshake era whose tools count aloud, hang until they are let go or left, and answer at length. */
export type ScriptedMcp = {
  url: string
  largeText: string
  /** How many calls hang now. */
  hanging(): number
  letGo(): void
  calls(tool: string): number
  stop(): Promise<void>
}

type Rpc = {
  id?: string | number
  method: string
  params?: { name?: string; _meta?: { progressToken?: unknown } }
}

export const startScriptedMcp = async (): Promise<ScriptedMcp> => {
  const hung = new Set<() => void>()
  const counts = new Map<string, number>()
  const largeText = Array.from({ length: 400 }, (_, n) => `line ${n}: Größe €${n} 😀`).join('\n')
  const text = (value: string) => ({ content: [{ type: 'text', text: value }] })

  const run = async (name: string, notify: (progress: number) => void, response: ServerResponse) => {
    counts.set(name, (counts.get(name) ?? 0) + 1)
    if (name === 'large') return text(largeText)
    if (name === 'count') {
      notify(1)
      notify(2)
      return text('counted')
    }
    notify(1)
    await new Promise<void>(resolve => {
      hung.add(resolve)
      response.once('close', () => {
        hung.delete(resolve)
        resolve()
      })
    })
    return text('let go')
  }
  const answer = async (
    { method, params = {} }: Rpc,
    notify: (progress: number) => void,
    response: ServerResponse,
  ) => {
    if (method === 'initialize')
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'scripted', version: '1' },
      }
    if (method === 'tools/list')
      return {
        tools: ['count', 'hang', 'large'].map(name => ({
          name,
          description: `${name}.`,
          inputSchema: { type: 'object' },
        })),
      }
    return method === 'tools/call' ? run(params.name ?? '', notify, response) : null
  }
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const rpc = JSON.parse(Buffer.concat(chunks).toString()) as Rpc
    if (rpc.id === undefined) return void response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = (message: object) =>
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
    const { _meta: meta } = rpc.params ?? {}
    const notify = (progress: number) => {
      const params = { progressToken: meta?.progressToken, progress }
      if (meta?.progressToken !== undefined) write({ method: 'notifications/progress', params })
    }
    const result = await answer(rpc, notify, response)
    write({ id: rpc.id, ...(result ? { result } : { error: { code: -32601, message: 'no such method' } }) })
    response.end()
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    largeText,
    hanging: () => hung.size,
    letGo: () => {
      for (const resolve of hung) {
        hung.delete(resolve)
        resolve()
      }
    },
    calls: tool => counts.get(tool) ?? 0,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
