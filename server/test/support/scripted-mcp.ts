import { type StreamedCall, startStreamingMcp } from './streaming-mcp.ts'

/** An MCP server whose tools report progress, hang until released or aborted, and return long results. */
export type ScriptedMcp = {
  url: string
  largeText: string
  /** Number of calls that currently hang. */
  hanging(): number
  releaseCalls(): void
  calls(tool: string): number
  stop(): Promise<void>
}

const text = (value: string) => ({ content: [{ type: 'text', text: value }] })

export const startScriptedMcp = async (): Promise<ScriptedMcp> => {
  const hung = new Set<() => void>()
  const counts = new Map<string, number>()
  const largeText = Array.from({ length: 400 }, (_, n) => `line ${n}: Größe €${n} 😀`).join('\n')

  const call = async (name: string, { progressToken, notify, response }: StreamedCall) => {
    counts.set(name, (counts.get(name) ?? 0) + 1)
    const sendProgress = (progress: number) => {
      if (progressToken !== undefined) notify('notifications/progress', { progressToken, progress })
    }
    if (name === 'large') return text(largeText)
    sendProgress(1)
    if (name === 'count') {
      sendProgress(2)
      return text('counted')
    }
    await new Promise<void>(resolve => {
      hung.add(resolve)
      response.once('close', () => {
        hung.delete(resolve)
        resolve()
      })
    })
    return text('released')
  }
  const server = await startStreamingMcp({
    tools: [{ name: 'count' }, { name: 'hang' }, { name: 'large' }],
    call,
  })
  return {
    ...server,
    largeText,
    hanging: () => hung.size,
    releaseCalls: () => {
      for (const resolve of hung) {
        hung.delete(resolve)
        resolve()
      }
    },
    calls: tool => counts.get(tool) ?? 0,
  }
}
