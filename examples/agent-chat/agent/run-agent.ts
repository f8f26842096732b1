import { findApprovalMeta, findAuthenticateMeta } from '@carabiner/sdk'
import { isStepCount, type LanguageModel, type ModelMessage, streamText } from 'ai'
import type { Toolbox, ToolResult } from './toolbox.ts'

/** An event that is streamed to the page. */
export type AgentEvent =
  | { type: 'text'; text: string }
  | { type: 'function_call'; id: string; name: string; title: string; app: string; arguments: unknown }
  | { type: 'function_call_result'; id: string; name: string; result: unknown; is_error: boolean }

const INSTRUCTIONS =
  'You are the assistant of Orbit. Use the tools for anything about the user’s own accounts. Answer in short plain text, without Markdown.'
/** Stops a model that never stops calling tools. */
const MAX_STEPS = 8

/** A call about which a person has decided. */
export type DecidedCall = { name: string; arguments: Record<string, unknown> }

/**
 * Alternates between the model and its tool calls until the model calls no more tools, or a tool requires a connection or an
 * approval. In these cases the page opens Link or the approval page, and then sends the prompt again.
 *
 * `decided` is called first, exactly as it was shown to the person: a model that is asked again may write another text, which would
 * need another approval.
 */
export async function* runAgent(
  model: LanguageModel,
  toolbox: Toolbox,
  prompt: ModelMessage[],
  signal: AbortSignal,
  decided?: DecidedCall,
): AsyncIterable<AgentEvent> {
  let needsPerson = false
  const messages = [...prompt]
  if (decided) {
    const { name } = decided
    const id = `decided_${prompt.length}`
    yield { type: 'function_call', id, name, ...toolbox.describe(name), arguments: decided.arguments }
    const { result, text, isError } = await toolbox.call(name, decided.arguments)
    yield { type: 'function_call_result', id, name, result, is_error: isError }
    if (isWaitingForPerson(result)) return
    messages.push(
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: id, toolName: name, input: decided.arguments }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: text } },
        ],
      },
    )
  }
  const { fullStream, finishReason } = streamText({
    model,
    instructions: INSTRUCTIONS,
    messages,
    tools: toolbox.tools,
    stopWhen: [isStepCount(MAX_STEPS), () => needsPerson],
    abortSignal: signal,
    // Errors are thrown below instead of logged.
    onError: () => undefined,
  })
  for await (const part of fullStream) {
    if (part.type === 'error' || part.type === 'tool-error') throw part.error
    if (part.type === 'text-delta') yield { type: 'text', text: part.text }
    if (part.type === 'tool-call') {
      const { toolCallId: id, toolName: name, input } = part
      yield { type: 'function_call', id, name, ...toolbox.describe(name), arguments: input }
    }
    if (part.type === 'tool-result') {
      const { toolCallId: id, toolName: name } = part
      const { result, isError } = part.output as ToolResult
      needsPerson ||= isWaitingForPerson(result)
      yield { type: 'function_call_result', id, name, result, is_error: isError }
    }
  }
  if (!signal.aborted && !needsPerson && (await finishReason) === 'tool-calls')
    yield { type: 'text', text: 'This needs more steps than I am allowed to take. Try a smaller request.' }
}

const isWaitingForPerson = (result: unknown): boolean =>
  findAuthenticateMeta(result) !== null || findApprovalMeta(result) !== null
