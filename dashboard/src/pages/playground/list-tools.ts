import type { McpCaller } from './mcp-caller.ts'

export type ListedTool = {
  name: string
  title?: string
  description: string
  inputSchema: Record<string, unknown>
  annotations: Record<string, unknown>
}

/** The MCP protocol pages the list; a model sees all of it. */
export const listTools = async (caller: McpCaller, signal: AbortSignal): Promise<ListedTool[]> => {
  const tools: ListedTool[] = []
  for (let cursor: unknown; ; ) {
    const { response } = await caller.call('tools/list', cursor === undefined ? {} : { cursor }, signal)
    if (!response.result) throw new Error(response.error?.message ?? 'The tools could not be listed.')
    tools.push(...(response.result['tools'] as ListedTool[]))
    cursor = response.result['nextCursor']
    if (cursor === undefined) return tools
  }
}
