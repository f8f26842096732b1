import { setTimeout as delay } from 'node:timers/promises'
import { withAuthentication } from '@carabiner/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { dynamicTool, jsonSchema, type ToolSet } from 'ai'

/** Maximum wait for the delivery of cancellations. Without one, the service detects the closed connection itself. */
const CANCELLATION_TIMEOUT_MS = 2_000

export type ToolResult = {
  /** Result that is streamed to the page: the structured content if there is any, else the text. */
  result: unknown
  /** The result as text, for the model. */
  text: string
  isError: boolean
}
export type Toolbox = AsyncDisposable & {
  tools: ToolSet
  call: (name: string, args: unknown) => Promise<ToolResult>
  /** Title of a tool and name of its app, for the user. */
  describe: (name: string) => { title: string; app: string }
}
export type ToolboxOptions = {
  /** The MCP URL of one user. All calls are made on behalf of that user. */
  url: string
  apiKey: string
  /** Names of the Connectors by slug. */
  apps: Map<string, string>
  /** The Connector that was just connected. A call that still requires it is retried. */
  justConnected: string | undefined
  signal: AbortSignal
}

/** Reads all pages, because a large Tool Pack has several. */
const listAllTools = async (client: Client, signal: AbortSignal) => {
  const { tools, nextCursor } = await client.listTools({}, { signal })
  for (let cursor = nextCursor; cursor !== undefined; ) {
    const page = await client.listTools({ cursor }, { signal })
    tools.push(...page.tools)
    cursor = page.nextCursor
  }
  return tools
}

/** Opens Carabiner's tools with the official MCP client. Only `authenticate_meta` and `approval_meta` are specific to Carabiner. */
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
  const cancellations = trackCancellations(transport)
  await client.connect(transport, { signal })
  const tools = await listAllTools(client, signal)

  const callTool = withAuthentication(
    (name: string, args: unknown) =>
      client.callTool({ name, arguments: args as Record<string, unknown> }, undefined, { signal }),
    { onAuthenticate: ({ Connector }) => Connector === justConnected, signal },
  )
  const call = async (name: string, args: unknown): Promise<ToolResult> => {
    const { structuredContent, content, isError } = await callTool(name, args)
    const result = structuredContent ?? textOf(content)
    return {
      result,
      text: typeof result === 'string' ? result : JSON.stringify(result),
      isError: isError === true,
    }
  }
  const toTool = ({ name, description = '', inputSchema }: (typeof tools)[number]) =>
    dynamicTool({
      description,
      inputSchema: jsonSchema(inputSchema as object),
      execute: input => call(name, input),
      toModelOutput: ({ output }) => ({ type: 'text', value: (output as ToolResult).text }),
    })
  return {
    tools: Object.fromEntries(tools.map(tool => [tool.name, toTool(tool)])),
    call,
    describe: name => {
      const { title, annotations } = tools.find(tool => tool.name === name) ?? {}
      // Names are <connector>__<tool>, or authenticate_<connector> if its tools are not known yet.
      const slug = name.replace(/^authenticate_/, '').split('__', 1)[0] as string
      return { title: title ?? annotations?.title ?? name, app: apps.get(slug) ?? slug }
    },
    [Symbol.asyncDispose]: async () => {
      await cancellations()
      await client.close()
    },
  }
}

/**
 * Returns a function that waits until all cancellations are sent. An aborted call sends one, and closing the client at once
 * would drop it.
 */
const trackCancellations = (transport: StreamableHTTPClientTransport): (() => Promise<unknown>) => {
  const send = transport.send.bind(transport)
  const sent: Promise<void>[] = []
  transport.send = (message, options) => {
    const sending = send(message, options)
    if ('method' in message && message.method === 'notifications/cancelled') sent.push(sending)
    return sending
  }
  return () =>
    Promise.race([Promise.allSettled(sent), delay(CANCELLATION_TIMEOUT_MS, undefined, { ref: false })])
}

const textOf = (content: unknown): string =>
  (Array.isArray(content) ? (content as { text?: string }[]) : []).map(({ text = '' }) => text).join('\n')
