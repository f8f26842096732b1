import type { ChatEvent } from './conversation.ts'

export type Setup = { people: Record<string, string>; link_url: string; model: string }
export type Said = { role: 'user' | 'assistant'; text: string }

/** The API key never comes here: the page talks to its own backend, and that one talks to Carabiner. */
export const readSetup = async (): Promise<Setup> => {
  const response = await fetch('/api/setup')
  if (!response.ok) throw new Error(`/api/setup answered ${response.status}`)
  return response.json() as Promise<Setup>
}

/** The agent's events, as they come. Leaving the loop, or aborting, stops the agent. */
export async function* streamChat(
  body: { user: string; messages: Said[]; just_connected?: string | undefined },
  signal: AbortSignal,
): AsyncIterable<ChatEvent> {
  const response = await fetch('/api/chat', {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok || !response.body) throw new Error(`/api/chat answered ${response.status}`)
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
