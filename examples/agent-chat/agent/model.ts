/** A tool as a model is told of it. */
export type Tool = { name: string; description: string; inputSchema: object }
export type ToolCall = { id: string; name: string; arguments: Record<string, unknown> }

export type Message =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: ToolCall[] }
  | { role: 'tool'; call: ToolCall; text: string }

export type ModelOutput = { type: 'text'; text: string } | { type: 'call'; call: ToolCall }

/** One turn of a model: what it says and which tools it wants called, as it comes to it. */
export type Model = {
  name: string
  answer: (messages: Message[], tools: Tool[], signal: AbortSignal) => AsyncIterable<ModelOutput>
}

/** Said instead of a stack: what the person reads. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
}
