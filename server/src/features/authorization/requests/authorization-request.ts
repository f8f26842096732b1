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

/** `description`: for developers. RFC 6749 §4.1.2.1 allows neither quotes nor backslashes. */
export type AuthorizationError = { code: AuthorizationErrorCode; description: string }

export type AuthorizationRequest = {
  state: string | null
  codeChallenge: string
  /** Null: the client names no resource. MCP 2025-03-26 does not have the parameter. */
  pack: NamedPack | null
}

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

/** Everything except the client and its redirect URI. */
export const readAuthorizationRequest = (
  parameters: URLSearchParams,
  server: { baseUrl: string; organizationId: string },
): AuthorizationRequest | AuthorizationError => {
  const state = readState(parameters)
  if (state === null && parameters.has('state'))
    return error('invalid_request', 'state is empty, repeated or too long.')
  if (readOnce(parameters, 'response_type') !== 'code')
    return error('unsupported_response_type', 'response_type must be code.')
  const codeChallenge = readOnce(parameters, 'code_challenge')
  const hasPkce = readOnce(parameters, 'code_challenge_method') === 'S256'
  if (!hasPkce || codeChallenge === null || !/^[\w-]{43}$/.test(codeChallenge))
    return error('invalid_request', 'PKCE is required: code_challenge with code_challenge_method S256.')
  if (readOnce(parameters, 'prompt') === 'none')
    return error(
      'interaction_required',
      'The user decides on a page at each sign-in, so prompt must not be none.',
    )
  if (!parameters.has('resource')) return { state, codeChallenge, pack: null }
  const pack = readResource(readOnce(parameters, 'resource'), server)
  return pack ? { state, codeChallenge, pack } : UNKNOWN_RESOURCE
}

const error = (code: AuthorizationErrorCode, description: string): AuthorizationError => ({
  code,
  description,
})

export const UNKNOWN_RESOURCE = error(
  'invalid_target',
  'resource must be the address of an MCP endpoint of this organization that allows sign-in.',
)
export const AMBIGUOUS_RESOURCE = error(
  'invalid_target',
  'resource is missing, and more than one MCP endpoint of this organization allows sign-in.',
)

/** RFC 8707 §2: the resource is the address of an MCP endpoint of this organization. */
export const readResource = (
  resource: string | null,
  { baseUrl, organizationId }: { baseUrl: string; organizationId: string },
): NamedPack | null => {
  const prefix = `${baseUrl}${MCP_PATH}/`
  const pack = resource?.startsWith(prefix) ? readPackHandle(resource.slice(prefix.length)) : null
  return pack?.routingCode === routingCode(organizationId) ? pack : null
}
