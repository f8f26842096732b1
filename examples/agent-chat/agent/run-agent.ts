import type { Message, Model, ToolCall } from './model.ts'
import type { Toolbox } from './toolbox.ts'

/** What the page is streamed. */
export type AgentEvent =
  | { type: 'text'; text: string }
  | { type: 'function_call'; id: string; name: string; title: string; app: string; arguments: object }
  | { type: 'function_call_result'; id: string; name: string; result: unknown; is_error: boolean }

/** A model that calls tools for ever is stopped. */
const MOST_TURNS = 8

/**
 * Model and tools in turns, until the model has nothing left to call, or a tool asks for a connection: the person is asked
 * then, and the page sends the prompt again.
 */
export async function* runAgent(
  model: Model,
  toolbox: Toolbox,
  conversation: Message[],
  signal: AbortSignal,
): AsyncIterable<AgentEvent> {
  const messages = [...conversation]
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const calls: ToolCall[] = []
    let text = ''
    for await (const output of model.answer(messages, toolbox.tools, signal)) {
      if (output.type === 'call') calls.push(output.call)
      else {
        text += output.text
        yield output
      }
    }
    if (calls.length === 0) return
    messages.push({ role: 'assistant', text, calls })
    for (const call of calls) {
      const { id, name } = call
      const { title, app } = toolbox.describe(name)
      yield { type: 'function_call', id, name, title, app, arguments: call.arguments }
      const { result, text: answer, isError, asks } = await toolbox.call(call)
      yield { type: 'function_call_result', id, name, result, is_error: isError }
      if (asks) return
      messages.push({ role: 'tool', call, text: answer })
    }
  }
  yield { type: 'text', text: 'That took more steps than I may take. Ask for less at a time.' }
}
