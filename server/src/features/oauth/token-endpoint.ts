import type { OAuthMethod, TokenResponsePointers } from '@carabiner/contract'
import { readPointer } from '../../core/json/json-pointer.ts'
import type { Egress } from '../../platform/egress/egress.ts'

/**
 * Providers deviate from RFC 6749 in ways that connector files describe. Requests and responses are adapted here, so that
 * the protocol code follows the RFC.
 */
export const adaptedFetch =
  (egress: Egress, method: OAuthMethod, pointers: TokenResponsePointers | undefined) =>
  async (url: string, init: RequestInit = {}): Promise<Response> => {
    const response = await egress.fetch(url, adaptRequest(init, method.token_request))
    return adaptResponse(response, pointers)
  }

const adaptRequest = (init: RequestInit, quirks: OAuthMethod['token_request']): RequestInit => {
  if (!quirks) return init
  // oauth4webapi always sends a form body.
  const form = new URLSearchParams(init.body as URLSearchParams)
  for (const [name, value] of Object.entries(quirks.parameters ?? {})) form.set(name, value)
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(quirks.headers ?? {})) headers.set(name, value)
  if (quirks.body === 'form') return { ...init, headers, body: form }
  headers.set('content-type', 'application/json')
  return { ...init, headers, body: JSON.stringify(Object.fromEntries(form)) }
}

/** Normalizes the response to RFC 6749 §5. ID tokens are dropped, because they are not used and their issuer may differ. */
const adaptResponse = async (response: Response, pointers: TokenResponsePointers = {}): Promise<Response> => {
  if (!/json|javascript|text\/plain/.test(response.headers.get('content-type') ?? '')) return response
  const text = await response.text()
  const { status } = response
  const body = parseObject(text)
  if (body === null)
    return new Response(text || null, { status: status === 204 ? 200 : status, headers: response.headers })
  const error = errorCodeIn(body, pointers)
  if (error !== null || status >= 400)
    return answer(status >= 400 ? status : 400, { ...body, error: error ?? body.error ?? 'invalid_request' })
  return answer(status, tokensIn(body, pointers))
}

const answer = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

const parseObject = (text: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Returns the provider's error code from a response of any status, or null. */
export const errorCodeOf = (text: string, pointers: TokenResponsePointers = {}): string | null => {
  const body = parseObject(text)
  return body && errorCodeIn(body, pointers)
}

/** Some providers return errors with status 200. */
const errorCodeIn = (body: Record<string, unknown>, pointers: TokenResponsePointers): string | null => {
  const code = readPointer(body, pointers.error ?? '/error')
  const isError = pointers.ok !== undefined && readPointer(body, pointers.ok) === false
  if (typeof code === 'string' && code !== '') return code
  return isError ? 'invalid_request' : null
}

const tokensIn = (
  body: Record<string, unknown>,
  pointers: TokenResponsePointers,
): Record<string, unknown> => {
  const accessToken = readPointer(body, pointers.access_token ?? '/access_token')
  const refreshToken = readPointer(body, pointers.refresh_token ?? '/refresh_token')
  const expiresIn = Number(readPointer(body, pointers.expires_in ?? '/expires_in') ?? Number.NaN)
  const refreshExpiresIn = Number(
    readPointer(body, pointers.refresh_expires_in ?? '/refresh_token_expires_in') ?? Number.NaN,
  )
  const scope = scopeText(readPointer(body, pointers.scope ?? '/scope'))
  return {
    ...(typeof accessToken === 'string' && { access_token: accessToken }),
    token_type: 'bearer',
    ...(typeof refreshToken === 'string' && refreshToken !== '' && { refresh_token: refreshToken }),
    ...(Number.isFinite(expiresIn) && expiresIn > 0 && { expires_in: expiresIn }),
    ...(Number.isFinite(refreshExpiresIn) &&
      refreshExpiresIn > 0 && { refresh_token_expires_in: refreshExpiresIn }),
    ...(scope !== null && { scope }),
    raw: body,
  }
}

const scopeText = (value: unknown): string | null => {
  if (Array.isArray(value)) return value.filter(part => typeof part === 'string').join(' ')
  return typeof value === 'string' && value !== '' ? value : null
}
