import { type Message, type Model, ModelError, type ModelOutput, type Tool } from './model.ts'
import { readEvents } from './read-events.ts'

export type OpenAiOptions = { baseUrl: string; apiKey: string | undefined; model: string }

const SYSTEM =
  'You are the assistant of Orbit. Use the tools for anything about the user’s own accounts. Answer in short plain text, without Markdown.'

type Delta = {
  content?: string | null
  tool_calls?: { index: number; id?: string; function?: { name?: string; arguments?: string } }[]
}
type Chunk = { choices?: { delta?: Delta }[]; error?: { message?: string } }
type Draft = { id: string; name: string; arguments: string }

/** A model behind any server that supports OpenAI's chat completions with streaming and tools. */
export const createOpenAiModel = ({ baseUrl, apiKey, model }: OpenAiOptions): Model => ({
  name: model,
  answer: async function* (messages, tools, signal) {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({
        model,
        stream: true,
        messages: [{ role: 'system', content: SYSTEM }, ...messages.map(toOpenAi)],
        ...(tools.length > 0 && { tools: tools.map(describe) }),
      }),
    })
    if (!response.ok || !response.body) throw new ModelError(`The model returned status ${response.status}.`)
    yield* readTurn(response.body)
  },
})

async function* readTurn(body: ReadableStream<Uint8Array>): AsyncIterable<ModelOutput> {
  const drafts: Draft[] = []
  for await (const data of readEvents(body)) {
    if (data === '[DONE]') break
    const { choices, error } = JSON.parse(data) as Chunk
    if (error) throw new ModelError(error.message ?? 'The model stopped.')
    const delta = choices?.[0]?.delta
    if (delta?.content) yield { type: 'text', text: delta.content }
    for (const { index, id, function: part } of delta?.tool_calls ?? []) {
      const draft = (drafts[index] ??= { id: '', name: '', arguments: '' })
      draft.id ||= id ?? ''
      draft.name += part?.name ?? ''
      draft.arguments += part?.arguments ?? ''
    }
  }
  for (const draft of drafts)
    if (draft) yield { type: 'call', call: { ...draft, arguments: parseArguments(draft.arguments) } }
}

/** A model may return invalid JSON. The tool is then called without arguments and reports the missing ones. */
const parseArguments = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text || '{}')
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const describe = ({ name, description, inputSchema }: Tool) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
})

const toOpenAi = (message: Message): object => {
  if (message.role === 'user') return { role: 'user', content: message.text }
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.call.id, content: message.text }
  return {
    role: 'assistant',
    content: message.text,
    ...(message.calls.length > 0 && {
      tool_calls: message.calls.map(call => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: JSON.stringify(call.arguments) },
      })),
    }),
  }
}
