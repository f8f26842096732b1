import type { Call, ChatEvent } from './conversation.ts'

export type Setup = {
  users: Record<string, string>
  link_url: string
  model: string
  /** Whether the backend opens the approval page for its signed-in user and confirms the decision. */
  confirms_approvals: boolean
}
export type ChatMessage = { role: 'user' | 'assistant'; text: string }

/** The page calls its own backend, and only the backend calls Carabiner, so the API key never reaches the browser. */
export const readSetup = async (): Promise<Setup> => {
  const response = await fetch('/api/setup')
  if (!response.ok) throw new Error(`/api/setup returned ${response.status}`)
  return response.json() as Promise<Setup>
}

/** Yields the events of the agent. Leaving the loop or aborting the signal stops the agent. */
export async function* streamChat(
  body: {
    user: string
    messages: ChatMessage[]
    just_connected?: string | undefined
    decided?: Call | undefined
  },
  signal: AbortSignal,
): AsyncIterable<ChatEvent> {
  const response = await fetch('/api/chat', {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok || !response.body) throw new Error(`/api/chat returned ${response.status}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const events = (rest + value).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) yield JSON.parse(event.replace(/^data: /, '')) as ChatEvent
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
