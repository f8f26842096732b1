import type { ErrorCode } from '@carabiner/contract'
import { jsonLimits } from '../../core/json-limits.ts'
import { Refusal } from '../../core/refusal.ts'
import type { EgressAnswer, EgressError } from '../../platform/egress/egress.ts'
import { wasNeverSent } from '../../platform/egress/egress-error.ts'
import type { AnswerBody } from './answer-body.ts'
import { readText } from './json-pointer.ts'
import { type Failure, failed, type Outage } from './provider-answer.ts'

/** Where third parties say what is wrong, the most telling place first. */
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
const MAX_MESSAGE = 300
/** Shorter ones are found in ordinary words. */
const MIN_SECRET = 6

/** A third party's own words, safe to hand on: one line, not long, and without the credential it was asked with. */
export const quote = (text: string, secrets: string[]): string => {
  const clean = secrets
    .filter(({ length }) => length >= MIN_SECRET)
    .reduce((shown, secret) => shown.replaceAll(secret, '[credential]'), text.replace(/\p{Cf}+/gu, ''))
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return clean.length > MAX_MESSAGE ? `${clean.slice(0, MAX_MESSAGE - 1).toWellFormed()}…` : clean
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
  return body.kind === 'text' && !looksLikeMarkup ? body.text.slice(0, 4 * MAX_MESSAGE) : null
}

const DAY = 24 * 60 * 60

/** RFC 9110 §10.2.3: seconds, or a date, which is compared with the answer's own. */
export const retryAfter = (headers: Record<string, string>): number | null => {
  const given = headers['retry-after']?.trim() ?? ''
  const seconds = /^\d{1,9}$/.test(given)
    ? Number(given)
    : (Date.parse(given) - Date.parse(headers.date ?? '')) / 1000
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(Math.ceil(seconds), DAY) : null
}

/** What the agent reads of a status that is not a success. Agents act on the third party's words, so they are quoted. */
export const statusRefusal = (
  party: string,
  answer: Pick<EgressAnswer, 'status' | 'headers'>,
  said: string | null,
): Refusal => {
  const { status } = answer
  const words = said ? `: "${said}"` : ''
  if (status >= 300 && status < 400)
    return new Refusal('third_party_error', {
      message: `${party} answered with status ${status}: it is elsewhere now, and that is not followed.`,
      retryable: false,
    })
  const wait = status === 429 || status === 503 ? retryAfter(answer.headers) : null
  return new Refusal('third_party_error', {
    message: `${party} answered with status ${status}${words}. ${advice(status, wait)}`,
    retryable: mayPass(status),
    ...(wait !== null && { retryAfterSeconds: wait }),
  })
}

const advice = (status: number, wait: number | null): string => {
  if (wait !== null) return `Try again in ${wait === 1 ? '1 second' : `${wait} seconds`}, not before.`
  return mayPass(status) ? 'Trying again later may help.' : 'Trying again will not help.'
}

const mayPass = (status: number): boolean => status === 429 || status >= 500

/** RFC 9110 §15.6: somebody before the third party says that it is not there. A 500 is the third party's own. */
export const outageOf = (status: number): Outage | null =>
  status === 502 || status === 503 || status === 504 ? 'unreachable' : null

/** A refusal in an answer whose status says success. */
export const saidRefusal = (party: string, said: string | null): Refusal =>
  new Refusal('third_party_error', {
    message: said
      ? `${party} refused: "${said}". Trying again will not help.`
      : `${party} refused, and did not say why. Trying again will not help.`,
    retryable: false,
  })

export const brokenAnswer = (party: string): Refusal =>
  new Refusal('third_party_error', {
    message: `${party} answered with something that is not JSON.`,
    retryable: false,
  })

export const complexAnswer = (party: string): Refusal =>
  new Refusal('third_party_error', {
    message: `${party} answered with more values than can be passed on (${jsonLimits.objects.toLocaleString('en')} objects, ${jsonLimits.members.toLocaleString('en')} members). Ask for less at once, for example a smaller page.`,
    retryable: false,
  })

export const explainEgress = (party: string, error: EgressError): Failure => {
  const refuse = (code: ErrorCode, words: string, retryable: boolean): Refusal =>
    new Refusal(code, { message: `${party} ${words}`, retryable, cause: error })
  switch (error.failure) {
    case 'timeout':
      return failed(
        refuse('third_party_timeout', 'did not answer in time. Trying again later may help.', true),
        'timeout',
      )
    case 'too_large':
      return failed(
        refuse('third_party_error', 'answered with more than can be handed on. Ask for less.', false),
      )
    case 'blocked':
    case 'unreachable':
      return {
        ...failed(
          refuse('third_party_unavailable', 'cannot be reached. Trying again later may help.', true),
          error.failure === 'blocked' ? null : 'unreachable',
        ),
        ...(wasNeverSent(error) && { neverSent: true }),
      }
  }
}
