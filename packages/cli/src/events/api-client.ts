import { UsageError } from '../output.ts'
import { CarabinerError, type Client, createClient } from '../sdk.ts'

const DEFAULT_URL = 'http://localhost:4000'

export type ApiClient = { client: Client; url: string }
type Environment = Record<string, string | undefined>

/** A client of the API, for commands that need neither the database nor the vault key. */
export const openApi = (environment: Environment): ApiClient => {
  const apiKey = environment.CARABINER_API_KEY?.trim()
  const url = environment.CARABINER_URL?.trim() || DEFAULT_URL
  if (!apiKey)
    throw new UsageError(
      'CARABINER_API_KEY is not set. Set it to an API key of the organization. A test key (cb_sk_test_…) is for test users.',
    )
  try {
    return { client: createClient({ apiKey, baseUrl: url }), url: url.replace(/\/+$/, '') }
  } catch (error) {
    const { message } = error as Error
    throw new UsageError(message.replace(/^apiKey/, 'CARABINER_API_KEY').replace(/^baseUrl/, 'CARABINER_URL'))
  }
}

/** Rewrites an error of the API as what happened and what to do. */
export const explainApiError = (error: unknown, url: string): unknown => {
  if (!(error instanceof CarabinerError)) return error
  if (error.status === 401)
    return new UsageError(
      `${url} rejected CARABINER_API_KEY (${error.code}). Set it to a current API key of the organization.`,
    )
  if (error.status === 0)
    return new UsageError(
      `${url} cannot be reached (${causeOf(error)}). Check CARABINER_URL, and whether the service is running.`,
    )
  if (error.code === 'unexpected_response')
    return new UsageError(
      `${url} answered with status ${error.status}, but not as Carabiner does. Check CARABINER_URL, and any proxy in between.`,
    )
  return new UsageError(
    `${error.message} (${error.code}${error.requestId ? `, request ${error.requestId}` : ''})`,
  )
}

/** The system's error code, which fetch reports as the cause of its own error. */
export const causeOf = (error: unknown): string => {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as { code?: unknown }
    if (typeof code === 'string' && /^(E[A-Z]+|UND_|CERT_|DEPTH_|SELF_|UNABLE_)/.test(code)) return code
    if (each.name === 'TimeoutError') return 'timeout'
  }
  return error instanceof CarabinerError ? error.code : (error as Error).message
}
