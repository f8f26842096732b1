import { type AccountOption, type ArgumentProblem, describeError, type ErrorCode } from '@carabiner/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { describeAllowed } from '../core/allowed-values.ts'
import { MOVE_RETRY_SECONDS } from '../core/organization-state.ts'
import { Refusal } from '../core/refusal.ts'
import { rankNames } from '../core/similar-names.ts'
import { isConnectionError } from '../platform/database/postgres/connection-error.ts'
import type { Log } from '../platform/log.ts'
import { KeyServiceError } from '../platform/vault/key-provider.ts'

/** The SQLSTATE of a write that the fence of an organization rejected. */
const FENCED_ORGANIZATION = 'ORG01'

const KEY_SERVICE_RETRY_SECONDS = 5

export type ErrorObject = {
  type: string
  code: ErrorCode
  message: string
  param?: string
  retryable?: boolean
  retry_after_seconds?: number
  carried_out?: 'yes' | 'no' | 'unknown'
  resumes_at?: string
  accounts?: AccountOption[]
  errors?: ArgumentProblem[]
  request_id: string
  documentation_url: string
}

export const errorObject = (refusal: Refusal, requestId: string, baseUrl: string): ErrorObject => ({
  type: describeError(refusal.code).type,
  code: refusal.code,
  message: refusal.message,
  ...(refusal.param !== undefined && { param: refusal.param }),
  ...(refusal.retryable !== undefined && retryAdvice(refusal.retryable, refusal.retryAfterSeconds)),
  ...(refusal.carriedOut !== undefined && { carried_out: refusal.carriedOut }),
  ...(refusal.resumesAt !== undefined && { resumes_at: refusal.resumesAt }),
  ...(refusal.accounts && { accounts: refusal.accounts }),
  ...(refusal.errors && { errors: refusal.errors }),
  request_id: requestId,
  documentation_url: `${baseUrl}/docs/errors#${refusal.code}`,
})

/** Included in the body too, because readers of a tool result do not see headers. */
const retryAdvice = (retryable: boolean, seconds: number | undefined) => ({
  retryable,
  ...(seconds !== undefined && { retry_after_seconds: seconds }),
})

/**
 * Maps framework and database errors to API errors. Any other error is a defect: it is logged completely and returned
 * as `internal_error`.
 */
export const toRefusal = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  const { code, validation } = error as FastifyError
  const [issue] = validation ?? []
  if (issue) return explainValidation(issue, validation ?? [])
  if (isConnectionError(error)) return new Refusal('unavailable', { retryAfterSeconds: 2, cause: error })
  if (error instanceof KeyServiceError)
    return new Refusal('unavailable', {
      message: 'The service cannot use its keys at the moment. Try again.',
      retryable: true,
      retryAfterSeconds: KEY_SERVICE_RETRY_SECONDS,
      cause: error,
    })
  switch (code) {
    case FENCED_ORGANIZATION:
      return new Refusal('organization_moving', {
        retryable: true,
        retryAfterSeconds: MOVE_RETRY_SECONDS,
        cause: error,
      })
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal('body_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal('unsupported_media_type')
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Refusal('invalid_json')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Refusal('not_found')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
      return new Refusal('invalid_request')
  }
  return new Refusal('internal_error', { cause: error })
}

type ValidationIssue = NonNullable<FastifyError['validation']>[number] & {
  /** Present with Ajv's option `verbose`. */
  parentSchema?: { properties?: object }
}

const explainValidation = (issue: ValidationIssue, all: readonly ValidationIssue[]): Refusal => {
  const { keyword, instancePath, params, message, parentSchema } = issue
  const at = instancePath.slice(1).replaceAll('/', '.')
  const under = (name: unknown) => [at, String(name)].filter(Boolean).join('.')
  if (keyword === 'additionalProperties') {
    const param = under(params.additionalProperty)
    return new Refusal('unknown_field', {
      param,
      message: `"${param}" is not a field of this request. ${listFields(params.additionalProperty, parentSchema)}`,
    })
  }
  if (keyword === 'required') {
    const param = under(params.missingProperty)
    return new Refusal('invalid_request', { param, message: `"${param}" is required.` })
  }
  const param = at || 'body'
  const allowed = allowedValues(issue, all)
  const why = allowed.length > 0 ? describeAllowed(allowed).message : (message ?? 'is not valid')
  return new Refusal('invalid_request', { param, message: `"${param}" ${why}.` })
}

const MAX_FIELDS = 20

const listFields = (given: unknown, schema: ValidationIssue['parentSchema']): string => {
  const fields = rankNames(String(given), Object.keys(schema?.properties ?? {}))
  if (fields.length === 0) return 'Check its spelling.'
  const more = fields.length > MAX_FIELDS ? ' and others' : ''
  return `Known fields: ${fields.slice(0, MAX_FIELDS).join(', ')}${more}.`
}

/** A union of constants is reported as one issue for each. */
const allowedValues = (
  { keyword, instancePath, params }: ValidationIssue,
  all: readonly ValidationIssue[],
): unknown[] => {
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) return params.allowedValues
  if (keyword !== 'const') return []
  return all
    .filter(other => other.keyword === 'const' && other.instancePath === instancePath)
    .map(other => other.params.allowedValue)
}

/** RFC 9110 §10.2.3: seconds, or a date. */
const retryAfterOf = ({ retryAfterSeconds, resumesAt }: Refusal): string | null => {
  if (retryAfterSeconds !== undefined) return String(retryAfterSeconds)
  return resumesAt === undefined ? null : new Date(resumesAt).toUTCString()
}

export const sendError =
  (baseUrl: string, log: Log) => async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = toRefusal(error)
    if (refusal.code === 'internal_error') {
      log.error({ request_id: request.id, route: request.routeOptions.url, error }, 'unexpected error')
    }
    if (refusal.cause instanceof KeyServiceError)
      log.error(
        { alert: 'key_service_failed', request_id: request.id, error: refusal.cause },
        'a key could not be used',
      )
    const retryAfter = retryAfterOf(refusal)
    if (retryAfter !== null) reply.header('retry-after', retryAfter)
    if (refusal.allow) reply.header('allow', refusal.allow.join(', '))
    // The endpoint at which users sign in has set its own challenge.
    if (describeError(refusal.code).status === 401 && !reply.hasHeader('www-authenticate'))
      reply.header('www-authenticate', 'Bearer')
    return reply
      .code(describeError(refusal.code).status)
      .send({ error: errorObject(refusal, request.id, baseUrl) })
  }
