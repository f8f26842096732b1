/** The description of a tool that is sent to the model. */
export type Tool = { name: string; description: string; inputSchema: object }
export type ToolCall = { id: string; name: string; arguments: Record<string, unknown> }

export type Message =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: ToolCall[] }
  | { role: 'tool'; call: ToolCall; text: string }

export type ModelOutput = { type: 'text'; text: string } | { type: 'call'; call: ToolCall }

/** `answer` runs one turn of the model and streams its text and tool calls. */
export type Model = {
  name: string
  answer: (messages: Message[], tools: Tool[], signal: AbortSignal) => AsyncIterable<ModelOutput>
}

/** An error whose message is shown to the user. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
}
