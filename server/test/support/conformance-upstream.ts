import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A 1×1 picture and a moment of silence, as small as their formats allow. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

type Rpc = { id?: string | number; method: string; params?: { name?: string; _meta?: object } }
type Notify = (method: string, params: object) => void
type Tool = { result?: object; run?: (notify: Notify, progressToken: unknown) => Promise<object> }

const text = (value: string) => ({ content: [{ type: 'text', text: value }] })
const resource = (uri: string, mimeType: string, value: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
})

/** The tools that the official suite calls, as it wants them to answer. */
const tools = (onTrigger: () => Promise<void>): Record<string, Tool> => ({
  test_simple_text: { result: text('This is a simple text response for testing.') },
  test_image_content: { result: { content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] } },
  test_audio_content: { result: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] } },
  test_embedded_resource: {
    result: {
      content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource.')],
    },
  },
  test_multiple_content_types: {
    result: {
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    },
  },
  test_error_handling: {
    result: { ...text('This tool intentionally returns an error for testing'), isError: true },
  },
  test_tool_with_progress: {
    run: async (notify, progressToken) => {
      for (const progress of [0, 50, 100]) {
        notify('notifications/progress', { progressToken, progress, total: 100 })
        await delay(150)
      }
      return text('Done.')
    },
  },
  test_logging_tool: {
    run: async notify => {
      notify('notifications/message', { level: 'info', data: 'working' })
      return text('Logged.')
    },
  },
  test_streaming_elicitation: { result: text('Nothing is asked of anybody.') },
  test_trigger_tool_change: {
    run: async () => {
      await onTrigger()
      return text('Changed.')
    },
  },
})

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

export type ConformanceUpstream = { url: string; onTrigger: () => Promise<void>; stop(): Promise<void> }

/** A third party's MCP server of the handshake era that has what the suite looks for. */
export const startConformanceUpstream = async (): Promise<ConformanceUpstream> => {
  const upstream: ConformanceUpstream = {
    url: '',
    onTrigger: async () => undefined,
    stop: async () => undefined,
  }
  const known = tools(() => upstream.onTrigger())
  const listed = [
    ...Object.keys(known).map(name => ({ name, description: `${name}.`, inputSchema: { type: 'object' } })),
    { name: 'json_schema_2020_12_tool', description: 'Has a modern schema.', inputSchema: SCHEMA_2020_12 },
  ]
  const answer = async ({ method, params = {} }: Rpc, notify: Notify): Promise<object | null> => {
    if (method === 'initialize')
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'conformance', version: '1' },
      }
    if (method === 'tools/list') return { tools: listed }
    const tool = method === 'tools/call' ? known[params.name ?? ''] : undefined
    if (!tool) return null
    const { _meta: meta = {} } = params
    return (
      tool.result ?? (await tool.run?.(notify, (meta as { progressToken?: unknown }).progressToken)) ?? null
    )
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
    const result = await answer(rpc, (method, params) => write({ method, params }))
    write({ id: rpc.id, ...(result ? { result } : { error: { code: -32601, message: 'no such method' } }) })
    response.end()
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  upstream.url = `http://localhost:${(server.address() as AddressInfo).port}/mcp`
  upstream.stop = () =>
    new Promise(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return upstream
}
