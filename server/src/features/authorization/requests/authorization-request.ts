import { MCP_PATH, type NamedPack, readPackHandle } from '../../../core/pack-handle.ts'
import { routingCode } from '../../../core/token.ts'

/** RFC 6749 §4.1.2.1, RFC 8707 §2 and OpenID Connect Core §3.1.2.6. */
export type AuthorizationErrorCode =
  | 'invalid_request'
  | 'unsupported_response_type'
  | 'invalid_target'
  | 'access_denied'
  | 'interaction_required'
  | 'temporarily_unavailable'
  | 'server_error'

export type AuthorizationRequest = { state: string | null; codeChallenge: string; pack: NamedPack }

const MAX_STATE_LENGTH = 4000

/** RFC 6749 §3.1: a parameter that is repeated makes the request invalid. Null: missing, empty or repeated. */
export const readOnce = (parameters: URLSearchParams, name: string): string | null => {
  const values = parameters.getAll(name)
  return values.length === 1 && values[0] !== '' ? (values[0] as string) : null
}

export const readState = (parameters: URLSearchParams): string | null => {
  const state = readOnce(parameters, 'state')
  return state !== null && state.length <= MAX_STATE_LENGTH && !state.includes('\0')
    ? state.toWellFormed()
    : null
}

/** Everything except the client and its redirect URI, which decide whether an error may be sent to the client at all. */
export const readAuthorizationRequest = (
  parameters: URLSearchParams,
  { baseUrl, organizationId }: { baseUrl: string; organizationId: string },
): AuthorizationRequest | AuthorizationErrorCode => {
  const state = readState(parameters)
  if (state === null && parameters.has('state')) return 'invalid_request'
  if (readOnce(parameters, 'response_type') !== 'code') return 'unsupported_response_type'
  const codeChallenge = readOnce(parameters, 'code_challenge')
  const hasPkce = readOnce(parameters, 'code_challenge_method') === 'S256'
  if (!hasPkce || codeChallenge === null || !/^[\w-]{43}$/.test(codeChallenge)) return 'invalid_request'
  // The user always decides, so nothing can be granted without a page.
  if (readOnce(parameters, 'prompt') === 'none') return 'interaction_required'
  const pack = readResource(readOnce(parameters, 'resource'), { baseUrl, organizationId })
  return pack ? { state, codeChallenge, pack } : 'invalid_target'
}

/** RFC 8707 §2: the resource is the address of an MCP endpoint of this organization. */
export const readResource = (
  resource: string | null,
  { baseUrl, organizationId }: { baseUrl: string; organizationId: string },
): NamedPack | null => {
  const prefix = `${baseUrl}${MCP_PATH}/`
  const pack = resource?.startsWith(prefix) ? readPackHandle(resource.slice(prefix.length)) : null
  return pack?.routingCode === routingCode(organizationId) ? pack : null
}
