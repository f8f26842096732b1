import { findAuthenticateMeta as find, findApprovalMeta as findApproval } from '@carabiner/contract/find-meta'

/** Result of a tool call for which the user must connect an account first. */
export type AuthenticateMeta = {
  type: 'authenticate_meta'
  /** Slug of the Connector. */
  Connector: string
  /** Opens Link in your page. */
  link_token: string
  expires_at?: string
  /** Opens hosted Link. Send it to the user where you cannot embed Link. */
  magic_link_url?: string
  /** Written for the model, which may repeat it to the user verbatim. */
  message?: string
  /** `never_linked`, `expired`, `revoked`, `insufficient_scope` or `expiring`. */
  reason?: string
}

/**
 * Finds the payload in an MCP tool result, a JSON-RPC response, a streamed `function_call_result`, JSON text, and in the result
 * types of the AI SDK (including UI messages), OpenAI's Agents (including `newItems` and `history` of a run), Mastra, LangChain
 * and LangGraph (including `messages` and updates). Returns `null` if there is none. Never throws.
 */
export const findAuthenticateMeta: (value: unknown) => AuthenticateMeta | null = find

/** Result of a tool call that a person must approve first. */
export type ApprovalMeta = {
  type: 'approval_meta'
  approval_id: string
  /** Where people decide. It is of no use without signing in there. */
  approval_url?: string
  expires_at?: string
  /** Written for the model. */
  message?: string
}

/** Like `findAuthenticateMeta`, for a tool call that waits for an approval. */
export const findApprovalMeta: (value: unknown) => ApprovalMeta | null = findApproval

/** Whether the link has expired. To get a new link, call the tool again. */
export const isExpired = ({ expires_at }: Pick<AuthenticateMeta, 'expires_at'>, now = Date.now()): boolean =>
  expires_at !== undefined && !(Date.parse(expires_at) > now)
