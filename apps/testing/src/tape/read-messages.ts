import type { JsonRpcError } from '../mcp/mcp-endpoint.ts'

export type JsonRpcResponse = { id?: string | number; result?: unknown; error?: JsonRpcError }

/** The messages in the body of a response: JSON, or an event stream. */
export const readMessages = (body: string, contentType: string): JsonRpcResponse[] => {
  const texts = contentType.includes('text/event-stream') ? dataOf(body) : [body]
  return texts.flatMap(text => {
    try {
      const message = JSON.parse(text) as JsonRpcResponse | JsonRpcResponse[]
      return Array.isArray(message) ? message : [message]
    } catch {
      return []
    }
  })
}

const dataOf = (body: string): string[] =>
  body
    .split(/\r?\n\r?\n/)
    .map(event =>
      event
        .split(/\r?\n/)
        .filter(line => line.startsWith('data:'))
        .map(line => line.slice('data:'.length).replace(/^ /, ''))
        .join('\n'),
    )
    .filter(data => data !== '')
