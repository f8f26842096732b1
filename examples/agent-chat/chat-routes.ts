import type { IncomingMessage, ServerResponse } from 'node:http'
import { CarabinerError, createClient, mcpUrl } from '@carabiner/sdk'
import { type Message, type Model, ModelError } from './agent/model.ts'
import { runAgent } from './agent/run-agent.ts'
import { openToolbox } from './agent/toolbox.ts'

export type ChatOptions = { carabinerUrl: string; apiKey: string; model: Model }
export type ChatRequest = {
  user: string
  messages: { role: 'user' | 'assistant'; text: string }[]
  /** The Connector whose account was connected just now. */
  just_connected?: string
}

/** A real application knows the person from its own session; this one lets you choose who you are. */
export const PEOPLE: Record<string, string> = { ana: 'Ana Ruiz', ben: 'Ben Okafor', mia: 'Mia Olsen' }

const MOST_MESSAGES = 50
const MOST_CHARACTERS = 20_000

/** Answers a prompt with a stream of events. It ends with `done`, or with an `error` in words for the person. */
export const createChatDoor = ({ carabinerUrl, apiKey, model }: ChatOptions) => {
  const carabiner = createClient({ apiKey, baseUrl: carabinerUrl, retries: 1, timeoutMs: 10_000 })

  const prepare = async (user: string, signal: AbortSignal) => {
    const [registered, packs, connectors] = await Promise.all([
      carabiner.registeredUsers.upsert(
        { origin_user_id: `example-chat-${user}`, origin_user_name: PEOPLE[user] as string },
        { signal },
      ),
      carabiner.toolPacks.list({ limit: 100 }, { signal }).page(),
      carabiner.connectors.list({ signal }),
    ])
    const pack = packs.data.find(({ is_default }) => is_default)
    if (!pack) throw new Error('The organization has no default Tool Pack.')
    return {
      url: mcpUrl({ baseUrl: carabinerUrl, toolPackId: pack.id, registeredUserId: registered.id }),
      apps: new Map(connectors.map(({ slug, name }) => [slug, name])),
    }
  }

  return async (request: IncomingMessage, response: ServerResponse, asked: ChatRequest): Promise<void> => {
    // Whoever stops the answer, or leaves, stops the tool call with it.
    const stop = new AbortController()
    response.on('close', () => stop.abort())
    const { signal } = stop
    const send = (event: object): void => void response.write(`data: ${JSON.stringify(event)}\n\n`)
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    try {
      const { url, apps } = await prepare(asked.user, signal)
      const justConnected = asked.just_connected
      await using toolbox = await openToolbox({ url, apiKey, apps, justConnected, signal })
      const messages = asked.messages.map(toMessage)
      for await (const event of runAgent(model, toolbox, messages, signal)) send(event)
      send({ type: 'done' })
    } catch (error) {
      if (!signal.aborted) {
        console.error(`${request.method} ${request.url}:`, error)
        send({ type: 'error', ...wordsFor(error) })
      }
    }
    response.end()
  }
}

const toMessage = ({ role, text }: ChatRequest['messages'][number]): Message =>
  role === 'user' ? { role, text } : { role, text, calls: [] }

/** What the page sent, or `null` where that is nothing it would send. */
export const readChatRequest = (body: string): ChatRequest | null => {
  try {
    const { user, messages, just_connected } = JSON.parse(body) as Partial<ChatRequest>
    const isMessage = ({ role, text }: Partial<ChatRequest['messages'][number]>) =>
      (role === 'user' || role === 'assistant') && typeof text === 'string' && text.length <= MOST_CHARACTERS
    if (!user || !Object.hasOwn(PEOPLE, user)) return null
    if (!Array.isArray(messages) || messages.length > MOST_MESSAGES || !messages.every(isMessage)) return null
    return { user, messages, ...(typeof just_connected === 'string' && { just_connected }) }
  } catch {
    return null
  }
}

const wordsFor = (error: unknown): { code: string; message: string } => {
  if (error instanceof ModelError) return { code: 'model_failed', message: error.message }
  if (error instanceof CarabinerError && error.status === 401)
    return { code: 'not_allowed', message: 'Carabiner does not accept the key of this application.' }
  if (error instanceof CarabinerError && error.status === 429)
    return { code: 'busy', message: 'Too much is being asked right now. Wait a moment, then try again.' }
  return {
    code: 'unavailable',
    message: 'Your accounts cannot be reached right now. Nothing was changed; try again in a moment.',
  }
}
