import { setTimeout as delay } from 'node:timers/promises'
import { type AuthenticateMeta, findAuthenticateMeta, withAuthentication } from '@carabiner/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Tool, ToolCall } from './model.ts'

/** A service that does not take it in this time will find out by itself. */
const FAREWELL = 2_000

export type ToolAnswer = {
  /** What the page is streamed: structured where the tool gave it so. */
  result: unknown
  /** The same, as the model reads it. */
  text: string
  isError: boolean
  /** The account has to be connected first. */
  asks: AuthenticateMeta | null
}
export type Toolbox = AsyncDisposable & {
  tools: Tool[]
  /** A tool in words for the person: what it does, and in which application. */
  describe: (name: string) => { title: string; app: string }
  call: (call: ToolCall) => Promise<ToolAnswer>
}
export type ToolboxOptions = {
  /** The MCP address of one user: whatever is called, is called on behalf of that one. */
  url: string
  apiKey: string
  /** What Connectors are called, by slug. */
  apps: Map<string, string>
  /** The Connector that was connected a moment ago: a call that still asks for it is made again. */
  justConnected: string | undefined
  signal: AbortSignal
}

/** A large Tool Pack is listed in several pages. */
const listAllTools = async (client: Client, signal: AbortSignal) => {
  const { tools, nextCursor } = await client.listTools({}, { signal })
  for (let cursor = nextCursor; cursor !== undefined; ) {
    const page = await client.listTools({ cursor }, { signal })
    tools.push(...page.tools)
    cursor = page.nextCursor
  }
  return tools
}

/** Carabiner's tools, by the official MCP client: nothing here is special to Carabiner but the payload that asks. */
export const openToolbox = async ({
  url,
  apiKey,
  apps,
  justConnected,
  signal,
}: ToolboxOptions): Promise<Toolbox> => {
  const client = new Client({ name: 'orbit-assistant', version: '0.1.0' })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
  })
  const farewell = keepFarewell(transport)
  await client.connect(transport, { signal })
  const tools = await listAllTools(client, signal)

  const callTool = withAuthentication(
    (call: ToolCall) =>
      client.callTool({ name: call.name, arguments: call.arguments }, undefined, { signal }),
    { onAuthenticate: ({ Connector }) => Connector === justConnected, signal },
  )
  return {
    tools: tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema })),
    describe: name => {
      const { title, annotations } = tools.find(tool => tool.name === name) ?? {}
      // Names are <connector>__<tool>, or authenticate_<connector> where its tools are not known yet.
      const slug = name.replace(/^authenticate_/, '').split('__', 1)[0] as string
      return { title: title ?? annotations?.title ?? name, app: apps.get(slug) ?? slug }
    },
    call: async call => {
      const answered = await callTool(call)
      const result = answered.structuredContent ?? textOf(answered.content)
      return {
        result,
        text: typeof result === 'string' ? result : JSON.stringify(result),
        isError: answered.isError === true,
        asks: findAuthenticateMeta(answered),
      }
    },
    [Symbol.asyncDispose]: async () => {
      await farewell()
      await client.close()
    },
  }
}

/** A call that is given up is told so by a message of its own; closing the client right then would cut that off. */
const keepFarewell = (transport: StreamableHTTPClientTransport): (() => Promise<unknown>) => {
  const send = transport.send.bind(transport)
  const sent: Promise<void>[] = []
  transport.send = (message, options) => {
    const sending = send(message, options)
    if ('method' in message && message.method === 'notifications/cancelled') sent.push(sending)
    return sending
  }
  return () => Promise.race([Promise.allSettled(sent), delay(FAREWELL, undefined, { ref: false })])
}

const textOf = (content: unknown): string =>
  (Array.isArray(content) ? (content as { text?: string }[]) : []).map(({ text = '' }) => text).join('\n')
