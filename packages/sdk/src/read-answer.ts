import { CarabinerError } from './carabiner-error.ts'

type ErrorObject = Partial<
  Record<'type' | 'code' | 'message' | 'param' | 'request_id' | 'documentation_url', string>
>

/** The body of a success; anything else is thrown. */
export const readAnswer = async (response: Response, now: number): Promise<unknown> => {
  if (response.status === 204) return undefined
  const body = await readJson(response)
  if (response.ok && body !== undefined) return body
  throw describeRefusal(response, body, now)
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

const describeRefusal = (response: Response, body: unknown, now: number): CarabinerError => {
  const { status, headers } = response
  const told = (body as { error?: ErrorObject } | undefined)?.error
  const shared = {
    status,
    requestId: told?.request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfter: readRetryAfter(headers.get('retry-after'), now),
  }
  if (!told?.code)
    return new CarabinerError({
      ...shared,
      code: 'unexpected_response',
      type: 'internal_error',
      message: `The answer (${status}) is not one of Carabiner's. Look at baseUrl, and at what stands between.`,
    })
  return new CarabinerError({
    ...shared,
    code: told.code,
    type: told.type ?? 'internal_error',
    message: told.message ?? told.code,
    param: told.param,
    documentationUrl: told.documentation_url,
  })
}

/** RFC 9110 §10.2.3: seconds, or a date. */
export const readRetryAfter = (value: string | null, now: number): number | undefined => {
  if (value === null) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
