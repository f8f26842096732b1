import type { IncomingMessage, ServerResponse } from 'node:http'
import { CarabinerError, createClient, mcpUrl } from '@carabiner/sdk'
import { APICallError, type LanguageModel } from 'ai'
import { type DecidedCall, runAgent } from './agent/run-agent.ts'
import { openToolbox } from './agent/toolbox.ts'

export type ChatOptions = { carabinerUrl: string; apiKey: string; model: LanguageModel }
export type ChatRequest = {
  user: string
  messages: { role: 'user' | 'assistant'; text: string }[]
  /** The Connector that was just connected. */
  just_connected?: string
  /** The call about which a person has just decided. */
  decided?: DecidedCall
}

/** In this example you choose the user. A real application takes the user from its own session. */
export const USERS: Record<string, string> = { ana: 'Ana Ruiz', ben: 'Ben Okafor', mia: 'Mia Olsen' }

const MAX_MESSAGES = 50
const MAX_CHARACTERS = 20_000

/** Streams the events of the agent in response to a prompt. The last event is `done`, or `error` with a message for the user. */
export const createChatHandler = ({ carabinerUrl, apiKey, model }: ChatOptions) => {
  const carabiner = createClient({ apiKey, baseUrl: carabinerUrl, retries: 1, timeoutMs: 10_000 })

  const prepare = async (user: string, signal: AbortSignal) => {
    const [registered, packs, connectors] = await Promise.all([
      carabiner.registeredUsers.upsert(
        { origin_user_id: `example-chat-${user}`, origin_user_name: USERS[user] as string },
        { signal },
      ),
      carabiner.toolPacks.list({ limit: 100 }, { signal }).page(),
      carabiner.connectors.list({}, { signal }),
    ])
    const pack = packs.data.find(({ is_default }) => is_default)
    if (!pack) throw new Error('The organization has no default Tool Pack.')
    return {
      url: mcpUrl({ baseUrl: carabinerUrl, toolPackId: pack.id, registeredUserId: registered.id }),
      apps: new Map(connectors.map(({ slug, name }) => [slug, name])),
    }
  }

  return async (request: IncomingMessage, response: ServerResponse, chat: ChatRequest): Promise<void> => {
    // If the user stops the answer or leaves the page, the tool call is aborted too.
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
      const { url, apps } = await prepare(chat.user, signal)
      const justConnected = chat.just_connected
      await using toolbox = await openToolbox({ url, apiKey, apps, justConnected, signal })
      const messages = chat.messages.map(({ role, text }) => ({ role, content: text }))
      for await (const event of runAgent(model, toolbox, messages, signal, chat.decided)) send(event)
      send({ type: 'done' })
    } catch (error) {
      if (!signal.aborted) {
        console.error(`${request.method} ${request.url}:`, error)
        send({ type: 'error', ...describeError(error) })
      }
    }
    response.end()
  }
}

const isCall = (value: Partial<DecidedCall> | null): value is DecidedCall =>
  typeof value?.name === 'string' &&
  typeof value.arguments === 'object' &&
  value.arguments !== null &&
  !Array.isArray(value.arguments)

/** Parses a request of the page. Returns null if it is malformed. */
export const readChatRequest = (body: string): ChatRequest | null => {
  try {
    const { user, messages, just_connected, decided } = JSON.parse(body) as Partial<ChatRequest>
    const isMessage = ({ role, text }: Partial<ChatRequest['messages'][number]>) =>
      (role === 'user' || role === 'assistant') && typeof text === 'string' && text.length <= MAX_CHARACTERS
    if (!user || !Object.hasOwn(USERS, user)) return null
    if (!Array.isArray(messages) || messages.length > MAX_MESSAGES || !messages.every(isMessage)) return null
    if (decided !== undefined && !isCall(decided)) return null
    return {
      user,
      messages,
      ...(typeof just_connected === 'string' && { just_connected }),
      ...(decided && { decided }),
    }
  } catch {
    return null
  }
}

/** For the user: without details, which are logged. */
export const describeError = (error: unknown): { code: string; message: string } => {
  if (APICallError.isInstance(error))
    return { code: 'model_failed', message: `The model returned status ${error.statusCode}.` }
  if (error instanceof CarabinerError && error.status === 401)
    return { code: 'not_allowed', message: 'Carabiner does not accept the key of this application.' }
  if (error instanceof CarabinerError && error.status === 429)
    return { code: 'busy', message: 'Too many requests. Wait a moment, then try again.' }
  return {
    code: 'unavailable',
    message: 'Your accounts cannot be reached right now. Nothing was changed; try again in a moment.',
  }
}
