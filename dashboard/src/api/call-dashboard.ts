import { CarabinerError } from '@carabiner/sdk'
import { fetchResponse } from './fetch-response.ts'

type ErrorBody = {
  /** In errors of better-auth. */
  message?: string
  error?: Partial<Record<'code' | 'type' | 'message' | 'param' | 'request_id', string>>
}

/** Calls a route of the dashboard itself, such as sign-in. These routes are not part of the API, so the SDK has no methods for them. */
export const callDashboard = async <T>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<T> => {
  const response = await sendToDashboard(method, path, body, signal)
  return readJson(await response.text()) as T
}

/** The same for a response that is not JSON. Throws if it is an error. */
export const sendToDashboard = async (
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Response> => {
  const response = await fetchResponse(
    `/dashboard${path}`,
    {
      method,
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    },
    signal,
  )
  if (response.ok) return response
  throw toError(response, readJson(await response.text()) as ErrorBody | undefined)
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const toError = ({ status, headers }: Response, body: ErrorBody | undefined): CarabinerError =>
  new CarabinerError({
    status,
    code: body?.error?.code ?? 'unexpected_response',
    type: body?.error?.type ?? 'internal_error',
    message: body?.error?.message ?? body?.message ?? `The service responded with status ${status}.`,
    param: body?.error?.param,
    requestId: body?.error?.request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfter: Number(headers.get('retry-after')) || undefined,
  })
