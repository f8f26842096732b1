import { startStreamingMcp } from './streaming-mcp.ts'

/** An MCP server that returns configured results and records its requests. */
export type StubMcp = {
  url: string
  /** Response to every call: a result, or an error that is sent as a protocol error. */
  answer: object | Error
  /** Progress messages sent before the response if the caller requested progress. */
  progress: object[]
  received: any[]
  stop(): Promise<void>
}

export const startStubMcp = async (): Promise<StubMcp> => {
  const server = await startStreamingMcp({
    tools: [
      { name: 'lookup' },
      {
        name: 'count',
        inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
      },
    ],
    call: async (_name, { args, progressToken, notify }) => {
      stub.received.push(args)
      if (progressToken !== undefined)
        for (const progress of stub.progress) notify('notifications/progress', { progressToken, ...progress })
      if (stub.answer instanceof Error) throw stub.answer
      return stub.answer
    },
  })
  const stub: StubMcp = { ...server, answer: { content: [] }, progress: [], received: [] }
  return stub
}

export const text = (value: string) => ({ content: [{ type: 'text', text: value }] })
