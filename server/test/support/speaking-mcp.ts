import { startStreamingMcp } from './streaming-mcp.ts'

/** An MCP server that returns configured results and records its requests. */
export type SpeakingMcp = {
  url: string
  /** Responses to the next calls: a result or a protocol error. */
  answer: object | Error
  /** Progress messages sent before the response if the caller requested progress. */
  progress: object[]
  received: any[]
  stop(): Promise<void>
}

export const startSpeakingMcp = async (): Promise<SpeakingMcp> => {
  const server = await startStreamingMcp({
    tools: [
      { name: 'say' },
      {
        name: 'count',
        inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
      },
    ],
    call: async (_name, { args, progressToken, notify }) => {
      speaking.received.push(args)
      if (progressToken !== undefined)
        for (const progress of speaking.progress)
          notify('notifications/progress', { progressToken, ...progress })
      if (speaking.answer instanceof Error) throw speaking.answer
      return speaking.answer
    },
  })
  const speaking: SpeakingMcp = { ...server, answer: { content: [] }, progress: [], received: [] }
  return speaking
}

export const text = (value: string) => ({ content: [{ type: 'text', text: value }] })
