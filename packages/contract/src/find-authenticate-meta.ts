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

/**
 * The payload that asks for a connection, wherever a client may meet it: bare, as JSON text, in a tool result or one text of it,
 * in a message that says the result as text, in a streamed `function_call_result` event or in a JSON-RPC answer. It never throws,
 * whatever it is given.
 *
 * It imports nothing: servers, agents and browsers share this one detection.
 */
export const findAuthenticateMeta = (value: unknown): FoundAuthenticateMeta | null => {
  let left = MOST_VALUES

  const look = (candidate: unknown): FoundAuthenticateMeta | null => {
    if (left-- <= 0) return null
    if (typeof candidate === 'string') return isWorthParsing(candidate) ? look(JSON.parse(candidate)) : null
    if (candidate === null || typeof candidate !== 'object') return null
    if (isMeta(candidate)) return candidate
    const { result, structuredContent, content, text } = candidate as Record<string, unknown>
    // A result's text repeats its structured content; where the latter is there, it alone counts.
    if (structuredContent !== undefined) return look(structuredContent)
    return look(result) ?? lookInContent(content) ?? attempt(() => look(text))
  }

  const lookInContent = (content: unknown): FoundAuthenticateMeta | null => {
    if (typeof content === 'string') return attempt(() => look(content))
    if (!Array.isArray(content)) return null
    for (const block of content.slice(0, MOST_VALUES) as { text?: unknown }[]) {
      // One text that is no JSON does not hide the next.
      const found = attempt(() => look(block.text))
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
