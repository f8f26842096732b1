import type { Message, Model, ToolCall } from './model.ts'
import type { Toolbox } from './toolbox.ts'

/** An event that is streamed to the page. */
export type AgentEvent =
  | { type: 'text'; text: string }
  | { type: 'function_call'; id: string; name: string; title: string; app: string; arguments: object }
  | { type: 'function_call_result'; id: string; name: string; result: unknown; is_error: boolean }

/** Stops a model that never stops calling tools. */
const MAX_TURNS = 8

/**
 * Alternates between the model and its tool calls until the model calls no more tools or a tool requires a connection. In
 * the second case the page opens Link and sends the prompt again.
 */
export async function* runAgent(
  model: Model,
  toolbox: Toolbox,
  conversation: Message[],
  signal: AbortSignal,
): AsyncIterable<AgentEvent> {
  const messages = [...conversation]
  for (let turn = 0; turn < MAX_TURNS; turn++) {
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
      const { result, text: resultText, isError, authRequired } = await toolbox.call(call)
      yield { type: 'function_call_result', id, name, result, is_error: isError }
      if (authRequired) return
      messages.push({ role: 'tool', call, text: resultText })
    }
  }
  yield { type: 'text', text: 'This needs more steps than I am allowed to take. Try a smaller request.' }
}
