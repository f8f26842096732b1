/** Fields of `authenticate_meta` in every version of the service. */
export type FoundAuthenticateMeta = {
  type: 'authenticate_meta'
  Connector: string
  link_token: string
  expires_at?: string
  magic_link_url?: string
  message?: string
  reason?: string
}

/** Fields of `approval_meta` in every version of the service. */
export type FoundApprovalMeta = {
  type: 'approval_meta'
  approval_id: string
  approval_url?: string
  expires_at?: string
  message?: string
}

const MAX_TEXT_LENGTH = 65_536
/** Limits the work on input that is cyclic or crafted to waste time. */
const MAX_VALUES = 100

/** Only the last entries of a history are read. */
const MAX_ENTRIES = 200

/** Fields that wrap a result: JSON-RPC and streamed events, the AI SDK, OpenAI's Agents, Mastra, LangChain, LangGraph. */
const WRAPPERS = ['result', 'output', 'value', 'item', 'rawItem', 'payload', 'kwargs', 'tools'] as const

/** Fields that hold a history: OpenAI's Agents, LangGraph and LangChain, and the parts of an AI SDK message. */
const HISTORIES = ['newItems', 'history', 'messages', 'parts'] as const

/**
 * Finds the `authenticate_meta` payload in any form that a client may receive: bare, as JSON text, in a tool result, in a
 * streamed `function_call_result` event, in a JSON-RPC response, or in the result type of an agent framework. In a history only
 * tool results after the user's last message are considered, and of each tool only the latest result. It never throws.
 * The service uses this function to detect and quote a payload that a provider's response contains, so that a provider cannot
 * forge one.
 *
 * The module has no imports, because servers, agents and browsers share it.
 */
export const findAuthenticateMeta = (value: unknown): FoundAuthenticateMeta | null =>
  findMeta(value, 'authenticate_meta', isAuthenticateMeta)

/** Like `findAuthenticateMeta`, for the `approval_meta` payload of a tool call that waits for an approval. */
export const findApprovalMeta = (value: unknown): FoundApprovalMeta | null =>
  findMeta(value, 'approval_meta', isApprovalMeta)

const findMeta = <Meta extends object>(
  value: unknown,
  type: string,
  isMeta: (candidate: object) => candidate is Meta,
): Meta | null => {
  let remaining = MAX_VALUES

  const find = (candidate: unknown): Meta | null => {
    if (remaining-- <= 0) return null
    if (typeof candidate === 'string')
      return mayContain(candidate, type) ? nullOnError(() => find(JSON.parse(candidate))) : null
    if (candidate === null || typeof candidate !== 'object') return null
    // In a list only text blocks and tool results are read: an item of a provider's list cannot request authentication.
    if (Array.isArray(candidate)) return findInTexts(candidate) ?? findInHistory(candidate)
    return isMeta(candidate) ? candidate : findInObject(candidate as Record<string, unknown>)
  }

  const findInObject = (wrapped: Record<string, unknown>): Meta | null => {
    const { structuredContent, content, text } = wrapped
    // The text of a result repeats its structured content, so only the structured content is read if it exists.
    if (structuredContent !== undefined) return find(structuredContent)
    for (const name of WRAPPERS) {
      const found = wrapped[name] === undefined ? null : find(wrapped[name])
      if (found) return found
    }
    for (const name of HISTORIES) {
      const list = wrapped[name]
      const found = Array.isArray(list) ? findInHistory(list) : null
      if (found) return found
    }
    return typeof content === 'string' || Array.isArray(content) ? find(content) : findInTexts([{ text }])
  }

  const findInHistory = (entries: unknown[]): Meta | null => {
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
      if (remaining-- <= 0) return null
      const found = findInObject(entry)
      if (found) return found
    }
    return null
  }

  const findInTexts = (blocks: { text?: unknown }[]): Meta | null => {
    for (const block of blocks.slice(0, MAX_VALUES)) {
      const found = typeof block?.text === 'string' ? find(block.text) : null
      if (found) return found
    }
    return null
  }

  return nullOnError(() => find(value))
}

const mayContain = (text: string, type: string): boolean =>
  text.length < MAX_TEXT_LENGTH && text.includes(type)

type Entry = Record<string, unknown>

const isObject = (value: unknown): value is Entry => value !== null && typeof value === 'object'

/** Results before a message of the user are no longer pending. */
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

/** A tool result, or an AI SDK message whose parts may contain one. Text written by the model is never read. */
const isToolResult = (entry: Entry): boolean => {
  const { type, role, kwargs, parts } = entry
  if (RESULT_TYPES.has(type) || role === 'tool' || Array.isArray(parts)) return true
  if (typeof type === 'string' && type.startsWith('tool-')) return true
  const { tool_call_id: callId } = isObject(kwargs) ? kwargs : entry
  return typeof callId === 'string'
}

/** Null if the entry does not name its tool or contains several results. */
const toolNameOf = ({ type, name, toolName, rawItem, kwargs }: Entry): string | null => {
  const inner = isObject(rawItem) ? rawItem : isObject(kwargs) ? kwargs : {}
  const isNamedPart = typeof type === 'string' && type.startsWith('tool-') && type !== 'tool-result'
  const named = [name, toolName, inner['name'], isNamedPart ? type : null]
  return named.find(value => typeof value === 'string') ?? null
}

const isAuthenticateMeta = (value: object): value is FoundAuthenticateMeta => {
  const { type, Connector, link_token } = value as Record<string, unknown>
  return type === 'authenticate_meta' && typeof Connector === 'string' && typeof link_token === 'string'
}

const isApprovalMeta = (value: object): value is FoundApprovalMeta => {
  const { type, approval_id } = value as Record<string, unknown>
  return type === 'approval_meta' && typeof approval_id === 'string'
}

const nullOnError = <T>(run: () => T): T | null => {
  try {
    return run()
  } catch {
    return null
  }
}
