import { type McpRequest, type McpResponse, METHOD_NOT_FOUND, startMcpEndpoint } from './mcp-endpoint.ts'

export type ToolResult = {
  content: { type: string; text?: string; [field: string]: unknown }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

export type McpServerTool = {
  name: string
  description?: string | undefined
  /** Default: an object with any properties. */
  inputSchema?: Record<string, unknown> | undefined
  /** The answer to a call: text, or a complete tool result. Default: `ok`. */
  answer?: ToolAnswer | ((args: Record<string, unknown>) => ToolAnswer | Promise<ToolAnswer>) | undefined
}
type ToolAnswer = string | ToolResult

/** An MCP server in the test's process, added to the service as a connector that needs no credential. */
export type McpServer = {
  slug: string
  url: string
  /** The calls that it received, oldest first. */
  readonly calls: readonly { tool: string; args: Record<string, unknown> }[]
  setTools: (tools: readonly McpServerTool[]) => void
  close(): Promise<void>
}

export const startMcpServer = async (
  slug: string,
  initialTools: readonly McpServerTool[],
): Promise<McpServer> => {
  let tools = initialTools
  const calls: { tool: string; args: Record<string, unknown> }[] = []
  const answer = async ({ method, params }: McpRequest): Promise<McpResponse> => {
    if (method === 'tools/list') return { result: { tools: tools.map(listed) } }
    if (method !== 'tools/call') return methodNotFound(method)
    const tool = tools.find(({ name }) => name === params['name'])
    const args = (params['arguments'] ?? {}) as Record<string, unknown>
    calls.push({ tool: String(params['name']), args })
    return { result: tool ? await call(tool, args) : unknownTool(String(params['name'])) }
  }
  const endpoint = await startMcpEndpoint({ name: slug, version: '1.0.0' }, answer)
  return {
    slug,
    url: endpoint.url,
    calls,
    setTools: changed => {
      tools = changed
    },
    close: endpoint.close,
  }
}

const listed = ({ name, description, inputSchema }: McpServerTool) => ({
  name,
  description: description ?? name,
  inputSchema: inputSchema ?? { type: 'object' },
})

const call = async ({ answer = 'ok' }: McpServerTool, args: Record<string, unknown>): Promise<ToolResult> => {
  const given = typeof answer === 'function' ? await answer(args) : answer
  return typeof given === 'string' ? { content: [{ type: 'text', text: given }] } : given
}

const unknownTool = (name: string): ToolResult => ({
  content: [{ type: 'text', text: `Unknown tool ${name}.` }],
  isError: true,
})

export const methodNotFound = (method: string): McpResponse => ({
  error: { code: METHOD_NOT_FOUND, message: `Method ${method} is not supported.` },
})
