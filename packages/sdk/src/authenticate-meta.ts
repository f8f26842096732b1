import { findAuthenticateMeta as find } from '@carabiner/contract/find-authenticate-meta'

/** What a tool call answers with where the user has to connect an account first. */
export type AuthenticateMeta = {
  type: 'authenticate_meta'
  /** The slug of the Connector. */
  Connector: string
  /** For Link in your page. */
  link_token: string
  expires_at?: string
  /** For everywhere else: a link to hand to the person. */
  magic_link_url?: string
  /** Written for the model, which may hand it on word for word. */
  message?: string
  /** `never_linked`, `expired`, `revoked` or `insufficient_scope`. */
  reason?: string
}

/**
 * The payload, wherever an agent's framework puts it: an MCP tool result, a JSON-RPC answer, a streamed `function_call_result`,
 * JSON text, and what the AI SDK (also whole UI messages), OpenAI's Agents (also `newItems` and `history` of a run), Mastra,
 * LangChain and LangGraph (also `messages` and updates) make of a result. `null` where nothing asks. Never throws.
 */
export const findAuthenticateMeta: (value: unknown) => AuthenticateMeta | null = find

/** Whether its link is over. Call the tool again: the answer has a fresh one. */
export const isExpired = ({ expires_at }: Pick<AuthenticateMeta, 'expires_at'>, now = Date.now()): boolean =>
  expires_at !== undefined && !(Date.parse(expires_at) > now)
