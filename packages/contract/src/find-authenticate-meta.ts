/** What every `authenticate_meta` has, from whichever version of the service it came. */
export type FoundAuthenticateMeta = {
  type: 'authenticate_meta'
  Connector: string
  link_token: string
  expires_at?: string
  magic_link_url?: string
  message?: string
  reason?: string
}

const LONGEST_TEXT = 65_536
/** Values looked at before giving up: what comes from a stream may refer to itself, or be made to waste time. */
const MOST_VALUES = 100

/** Entries of a history that are read, from its end. */
const MAX_ENTRIES = 200

/** What a result comes wrapped in: JSON-RPC and streamed events, the AI SDK, OpenAI's Agents, Mastra, LangChain, LangGraph. */
const WRAPPERS = ['result', 'output', 'value', 'item', 'rawItem', 'payload', 'kwargs', 'tools'] as const

/** Lists of what happened: OpenAI's Agents, LangGraph and LangChain, and the parts of an AI SDK message. */
const HISTORIES = ['newItems', 'history', 'messages', 'parts'] as const

/**
 * The payload that asks for a connection, wherever a client may meet it: bare, as JSON text, in a tool result, in a streamed
 * `function_call_result` event, in a JSON-RPC answer, or in what an agent's framework makes of one. In a history the newest
 * tool results after the last message of the user count; the newest result of a tool replaces its older ones. It never throws, whatever it
 * is given. The service quotes a third party's answer in which it would find one, so that nobody is made to act on it: what is
 * added here is quoted there.
 *
 * It imports nothing: servers, agents and browsers share this one detection.
 */
export const findAuthenticateMeta = (value: unknown): FoundAuthenticateMeta | null => {
  let left = MOST_VALUES

  const look = (candidate: unknown): FoundAuthenticateMeta | null => {
    if (left-- <= 0) return null
    if (typeof candidate === 'string')
      return isWorthParsing(candidate) ? attempt(() => look(JSON.parse(candidate))) : null
    if (candidate === null || typeof candidate !== 'object') return null
    // Of a list only texts and tool results count: an item of a provider's list asks for nothing.
    if (Array.isArray(candidate)) return lookInTexts(candidate) ?? lookInHistory(candidate)
    return isMeta(candidate) ? candidate : lookInside(candidate as Record<string, unknown>)
  }

  const lookInside = (wrapped: Record<string, unknown>): FoundAuthenticateMeta | null => {
    const { structuredContent, content, text } = wrapped
    // A result's text repeats its structured content; where the latter is there, it alone counts.
    if (structuredContent !== undefined) return look(structuredContent)
    for (const name of WRAPPERS) {
      const found = wrapped[name] === undefined ? null : look(wrapped[name])
      if (found) return found
    }
    for (const name of HISTORIES) {
      const list = wrapped[name]
      const found = Array.isArray(list) ? lookInHistory(list) : null
      if (found) return found
    }
    return typeof content === 'string' || Array.isArray(content) ? look(content) : lookInTexts([{ text }])
  }

  const lookInHistory = (entries: unknown[]): FoundAuthenticateMeta | null => {
    const answered = new Set<string>()
    const first = Math.max(0, entries.length - MAX_ENTRIES)
    for (let at = entries.length - 1; at >= first; at--) {
      const entry = entries[at]
      if (!isObject(entry)) continue
      if (isFromUser(entry)) return null
      if (!isToolResult(entry)) continue
      const name = toolNameOf(entry)
      if (name !== null && answered.has(name)) continue
      if (name !== null) answered.add(name)
      if (left-- <= 0) return null
      const found = lookInside(entry)
      if (found) return found
    }
    return null
  }

  const lookInTexts = (blocks: { text?: unknown }[]): FoundAuthenticateMeta | null => {
    for (const block of blocks.slice(0, MOST_VALUES)) {
      const found = typeof block?.text === 'string' ? look(block.text) : null
      if (found) return found
    }
    return null
  }

  return attempt(() => look(value))
}

const isWorthParsing = (text: string): boolean =>
  text.length < LONGEST_TEXT && text.includes('authenticate_meta')

type Entry = Record<string, unknown>

const isObject = (value: unknown): value is Entry => value !== null && typeof value === 'object'

/** A message of the user, after which the results before it are answered. */
const isFromUser = ({ role, type, id, rawItem }: Entry): boolean =>
  role === 'user' ||
  type === 'human' ||
  // LangChain, serialized.
  (Array.isArray(id) && id.at(-1) === 'HumanMessage') ||
  (isObject(rawItem) && rawItem['role'] === 'user')

const RESULT_TYPES = new Set<unknown>([
  'function_call_result',
  'function_call_output',
  'tool_call_output_item',
  'tool-result',
  'dynamic-tool',
])

/** The result of a tool, or an AI SDK message whose parts may hold some. What the model wrote is neither. */
const isToolResult = (entry: Entry): boolean => {
  const { type, role, kwargs, parts } = entry
  if (RESULT_TYPES.has(type) || role === 'tool' || Array.isArray(parts)) return true
  if (typeof type === 'string' && type.startsWith('tool-')) return true
  const { tool_call_id: callId } = isObject(kwargs) ? kwargs : entry
  return typeof callId === 'string'
}

/** Null where the entry does not name its tool, or holds several results. */
const toolNameOf = ({ type, name, toolName, rawItem, kwargs }: Entry): string | null => {
  const inner = isObject(rawItem) ? rawItem : isObject(kwargs) ? kwargs : {}
  const isNamedPart = typeof type === 'string' && type.startsWith('tool-') && type !== 'tool-result'
  const named = [name, toolName, inner['name'], isNamedPart ? type : null]
  return named.find(value => typeof value === 'string') ?? null
}

const isMeta = (value: object): value is FoundAuthenticateMeta => {
  const { type, Connector, link_token } = value as Record<string, unknown>
  return type === 'authenticate_meta' && typeof Connector === 'string' && typeof link_token === 'string'
}

const attempt = <T>(run: () => T): T | null => {
  try {
    return run()
  } catch {
    return null
  }
}
