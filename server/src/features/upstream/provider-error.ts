import type { ErrorCode } from '@carabiner/contract'
import { DAY, SECOND } from '../../core/duration.ts'
import { jsonLimits } from '../../core/json/json-limits.ts'
import { Refusal } from '../../core/refusal.ts'
import type { EgressError, EgressResponse } from '../../platform/egress/egress.ts'
import { isLocalFailure, wasNeverSent } from '../../platform/egress/egress-error.ts'
import { type Failure, failed, type Outage } from './provider-response.ts'
import { readText } from './read-by-pointer.ts'
import type { AnswerBody } from './response-body.ts'

/** Locations of error messages in provider responses, the most specific first. */
const MESSAGES = [
  '/error/message',
  '/errors/0/message',
  '/error_description',
  '/message',
  '/errorMessages/0',
  '/errorSummary',
  '/errors/0/detail',
  '/error/description',
  '/detail',
  '/title',
  '/error_summary',
  '/description',
  '/error/type',
  '/error/code',
  '/error',
  '/errors/0',
  '/0/message',
  '/err',
  '/msg',
  '/code',
]
const MAX_MESSAGE_LENGTH = 300
/** Shorter secrets would match ordinary words. */
const MIN_SECRET_LENGTH = 6

/** Makes a provider's error message safe to pass on: one line, truncated, and without the credential. */
export const quote = (text: string, secrets: string[]): string => {
  const clean = secrets
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .reduce((shown, secret) => shown.replaceAll(secret, '[credential]'), text.replace(/\p{Cf}+/gu, ''))
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return clean.length > MAX_MESSAGE_LENGTH
    ? `${clean.slice(0, MAX_MESSAGE_LENGTH - 1).toWellFormed()}…`
    : clean
}

export const findMessage = (body: AnswerBody): string | null => {
  if (body.kind === 'json') {
    if (typeof body.value === 'string') return body.value
    for (const pointer of MESSAGES) {
      const found = readText(body.value, pointer)
      if (found !== null) return found
    }
    return null
  }
  const looksLikeMarkup = body.kind === 'text' && /^\s*</.test(body.text)
  return body.kind === 'text' && !looksLikeMarkup ? body.text.slice(0, 4 * MAX_MESSAGE_LENGTH) : null
}

const MAX_RETRY_AFTER_SECONDS = DAY / SECOND

/** RFC 9110 §10.2.3: seconds, or a date, which is compared with the Date header of the response. */
export const retryAfter = (headers: Record<string, string>): number | null => {
  const given = headers['retry-after']?.trim() ?? ''
  const seconds = /^\d{1,9}$/.test(given)
    ? Number(given)
    : (Date.parse(given) - Date.parse(headers.date ?? '')) / 1000
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS)
    : null
}

/**
 * The error that the agent receives for a status other than success. It quotes the provider's message, because agents
 * act on it.
 */
export const statusRefusal = (
  provider: string,
  answer: Pick<EgressResponse, 'status' | 'headers'>,
  quoted: string | null,
): Refusal => {
  const { status } = answer
  const message = quoted ? `: "${quoted}"` : ''
  if (status >= 300 && status < 400)
    return new Refusal('third_party_error', {
      message: `${provider} responded with status ${status}, a redirect, which is not followed.`,
      retryable: false,
      carriedOut: 'no',
    })
  const wait = status === 429 || status === 503 ? retryAfter(answer.headers) : null
  const code = codeOf(status)
  return new Refusal(code, {
    message: `${provider} responded with status ${status}${message}. ${advice(code, status, wait)}`,
    retryable: mayPass(status),
    carriedOut: wasRejected(status, wait) ? 'no' : 'unknown',
    ...(wait !== null && { retryAfterSeconds: wait }),
  })
}

/** A rejected call is for the caller to correct; only a failure of the provider is an internal error. */
export const codeOf = (status: number): ErrorCode => {
  if (status < 400 || status >= 500 || status === 408) return 'third_party_error'
  switch (status) {
    case 402:
    case 403:
    case 451:
      return 'third_party_forbidden'
    case 404:
    case 410:
      return 'third_party_not_found'
    case 429:
      return 'third_party_rate_limited'
    default:
      return 'third_party_rejected'
  }
}

export const CHANGE_ARGUMENTS = 'Change the arguments; the same call will fail again.'

const advice = (code: ErrorCode, status: number, wait: number | null): string => {
  if (wait !== null) return `Wait at least ${wait === 1 ? '1 second' : `${wait} seconds`} before you retry.`
  if (mayPass(status)) return 'Trying again later may help.'
  return code === 'third_party_forbidden'
    ? 'The account may not do this; the same call will fail again.'
    : CHANGE_ARGUMENTS
}

/** RFC 9110 §15.6: a server that names the time for another attempt has not begun with this one. */
const wasRejected = (status: number, wait: number | null): boolean =>
  status < 500 || status === 501 || wait !== null

/** RFC 9110 §15.5.9: a client may repeat a request that timed out before the server had received it. */
const mayPass = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** RFC 9110 §15.6: a gateway reports that the provider is unavailable. A 500 comes from the provider itself. */
export const outageOf = (status: number): Outage | null =>
  status === 502 || status === 503 || status === 504 ? 'unreachable' : null

/** The error for a rejection that was sent with a success status. */
export const rejectionRefusal = (provider: string, quoted: string | null): Refusal =>
  new Refusal('third_party_rejected', {
    message: quoted
      ? `${provider} rejected the request: "${quoted}". ${CHANGE_ARGUMENTS}`
      : `${provider} rejected the request without a reason. ${CHANGE_ARGUMENTS}`,
    retryable: false,
    carriedOut: 'no',
  })

export const brokenAnswer = (provider: string): Refusal =>
  new Refusal('third_party_error', {
    message: `${provider} returned invalid JSON.`,
    retryable: false,
    carriedOut: 'unknown',
  })

export const complexAnswer = (provider: string): Refusal =>
  new Refusal('third_party_error', {
    message: `${provider} returned a response that exceeds the limits (${jsonLimits.objects.toLocaleString('en')} objects, ${jsonLimits.members.toLocaleString('en')} members, ${jsonLimits.shapes.toLocaleString('en')} different member names). Request less data, for example a smaller page.`,
    retryable: false,
    carriedOut: 'unknown',
  })

export const explainEgress = (provider: string, error: EgressError): Failure => {
  const carriedOut = wasNeverSent(error) ? 'no' : 'unknown'
  const refuse = (code: ErrorCode, message: string, retryable: boolean): Refusal =>
    new Refusal(code, { message: `${provider} ${message}`, retryable, carriedOut, cause: error })
  switch (error.failure) {
    case 'timeout':
      return failed(
        refuse('third_party_timeout', 'did not answer in time. Trying again later may help.', true),
        'timeout',
      )
    case 'too_large':
      return failed(
        refuse(
          'third_party_error',
          'returned a response that exceeds the size limit. Request less data.',
          false,
        ),
      )
    case 'blocked':
    case 'unreachable':
    case 'certificate_refused':
      if (isLocalFailure(error))
        return {
          ...failed(
            new Refusal('third_party_unavailable', {
              message: `${provider} was not called: the service has no free connections. Try again later.`,
              retryable: true,
              carriedOut: 'no',
              cause: error,
            }),
          ),
          isLocal: true,
        }
      return failed(
        refuse('third_party_unavailable', 'cannot be reached. Trying again later may help.', true),
        error.failure === 'unreachable' ? 'unreachable' : null,
      )
  }
}
