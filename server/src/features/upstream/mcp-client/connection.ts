import { bearerChallenge } from '../../../core/auth-challenge.ts'
import { isObject, type JsonObject } from '../../../core/json/object.ts'
import { retryAfter } from '../provider-error.ts'
import { cleanLine } from '../text.ts'
import { isStateless, requestMeta } from './client-revisions.ts'
import { endSession, exchange, type Reply, type Wire } from './exchange.ts'

/** The negotiated revision, and the session ID if the server opened a session. */
export type Connection = { revision: string; sessionId: string | null }

/** Why a server cannot be used. Stored and returned by the API, so the values are stable. */
export type McpRefusalReason =
  | 'blocked'
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'redirected'
  | 'forbidden'
  | 'failing'
  | 'not_mcp'
  | 'unsupported_revision'
  | 'too_many_tools'
  | 'too_complex'

export type Obstacle =
  | { kind: 'unauthorized'; challenge: string | null }
  | { kind: 'insufficient_scope'; scopes: string[] }
  /** `busy`: a retry may succeed later. */
  | { kind: 'refused'; reason: McpRefusalReason; message: string; busy?: Busy }

export type Busy = { status: number; retryAfterSeconds: number | null }

/** Sends a request in the format of the connection's revision. */
export const request = (
  wire: Wire,
  connection: Connection,
  method: string,
  params: JsonObject,
  headers: Record<string, string> = {},
): Promise<Reply> => {
  const stateless = isStateless(connection.revision)
  return exchange(wire, {
    method,
    stateless,
    params: stateless ? { ...params, _meta: { ...requestMeta(), ...ownMeta(params) } } : params,
    headers: {
      ...connectionHeaders(connection),
      // 2026-07-28, "Standard request headers": they repeat the body, for intermediaries that route without reading it.
      ...(stateless && { 'mcp-method': method, ...headers }),
    },
  })
}

const ownMeta = ({ _meta: meta }: JsonObject): JsonObject => (isObject(meta) ? meta : {})

export const connectionHeaders = ({ revision, sessionId }: Connection): Record<string, string> => ({
  'mcp-protocol-version': revision,
  ...(sessionId !== null && { 'mcp-session-id': sessionId }),
})

/** Ends the session, if there is one. */
export const closeConnection = async (wire: Wire, connection: Connection): Promise<void> => {
  if (connection.sessionId !== null) await endSession(wire, connectionHeaders(connection))
}

export const refused = (
  reason: McpRefusalReason,
  message: string,
): Extract<Obstacle, { kind: 'refused' }> => ({
  kind: 'refused',
  reason,
  message,
})

/** Classifies a reply without a result. */
export const obstacle = (reply: Exclude<Reply, { kind: 'result' }>): Obstacle => {
  const { status } = reply
  const challenge = reply.headers['www-authenticate'] ?? null
  if (status === 401) return { kind: 'unauthorized', challenge }
  if (status === 403) {
    const bearer = bearerChallenge(challenge)
    return bearer.get('error') === 'insufficient_scope'
      ? { kind: 'insufficient_scope', scopes: (bearer.get('scope') ?? '').split(' ').filter(Boolean) }
      : refused('forbidden', 'The server denied access (status 403).')
  }
  if (status >= 300 && status < 400)
    return refused(
      'redirected',
      `The server responds with a redirect (status ${status}), which is not followed. Use the target address.`,
    )
  if (reply.kind === 'error') {
    const message = cleanLine(reply.error.message, 500) || `error ${reply.error.code}`
    return refused('failing', `The server rejected the request: ${message}`)
  }
  if (status === 429 || status >= 500)
    return {
      ...refused('failing', `The server responded with status ${status}. Trying again later may help.`),
      busy: { status, retryAfterSeconds: retryAfter(reply.headers) },
    }
  return refused(
    'not_mcp',
    status < 300
      ? 'The server did not return a valid MCP response. Check that the address is its Streamable HTTP endpoint.'
      : `There is no MCP server at this address (status ${status}). Check that it is the Streamable HTTP endpoint.`,
  )
}
