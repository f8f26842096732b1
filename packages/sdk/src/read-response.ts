import { CarabinerError } from './carabiner-error.ts'

type ErrorObject = Partial<
  Record<'type' | 'code' | 'message' | 'param' | 'request_id' | 'documentation_url', string>
>

/** Returns the body of a successful response and throws a CarabinerError for any other. */
export const readResponse = async (response: Response, now: number): Promise<unknown> => {
  if (response.status === 204) return undefined
  const body = await readJson(response)
  if (response.ok && body !== undefined) return body
  throw toError(response, body, now)
}

const readJson = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  if (!response.headers.get('content-type')?.includes('json')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The error that a response contains. `body` is its parsed JSON, if there is any. */
export const toError = (response: Response, body: unknown, now: number): CarabinerError => {
  const { status, headers } = response
  const error = (body as { error?: ErrorObject } | undefined)?.error
  const shared = {
    status,
    requestId: error?.request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfter: readRetryAfter(headers.get('retry-after'), now),
  }
  if (!error?.code)
    return new CarabinerError({
      ...shared,
      code: 'unexpected_response',
      type: 'internal_error',
      message: `The response (status ${status}) does not come from Carabiner. Check baseUrl and any proxy in between.`,
    })
  return new CarabinerError({
    ...shared,
    code: error.code,
    type: error.type ?? 'internal_error',
    message: error.message ?? error.code,
    param: error.param,
    documentationUrl: error.documentation_url,
  })
}

/** RFC 9110 §10.2.3: seconds, or a date. */
export const readRetryAfter = (value: string | null, now: number): number | undefined => {
  if (value === null) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
