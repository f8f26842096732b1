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

/** What a result comes wrapped in: JSON-RPC and streamed events, the AI SDK, OpenAI's Agents, Mastra, LangChain. */
const WRAPPERS = ['result', 'output', 'value', 'item', 'rawItem', 'payload', 'kwargs'] as const

/**
 * The payload that asks for a connection, wherever a client may meet it: bare, as JSON text, in a tool result, in a streamed
 * `function_call_result` event, in a JSON-RPC answer, or in what an agent's framework makes of one. It never throws, whatever it
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
    // Of a list only its texts count: an item of somebody's list asks for nothing.
    if (Array.isArray(candidate)) return lookInTexts(candidate)
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
    return typeof content === 'string' || Array.isArray(content) ? look(content) : lookInTexts([{ text }])
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
