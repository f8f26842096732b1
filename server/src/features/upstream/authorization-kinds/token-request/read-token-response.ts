import type { TokenHttpRequest, TokenRequestMethod } from '@carabiner/contract'
import { MINUTE } from '../../../../core/duration.ts'
import type { EgressResponse } from '../../../../platform/egress/egress.ts'
import { isAffirmed, readText } from '../../read-by-pointer.ts'
import { addressValue, matchedValue } from '../../templates/address-value.ts'
import { namesIn } from '../../templates/template.ts'

/** `isFinal`: the vendor's documented answer that the entered values are no longer valid. */
export type TokenRefusal = { kind: 'refused'; isFinal: boolean }
export type TokenFailure =
  | TokenRefusal
  | { kind: 'certificate_refused' }
  | { kind: 'unavailable'; timedOut: boolean }
export type ReadValues = { kind: 'read'; values: Record<string, string>; addresses: Record<string, string> }

const UNAVAILABLE: TokenFailure = { kind: 'unavailable', timedOut: false }
/** RFC 6749 §5.2. */
const FINAL_ERRORS = ['invalid_client', 'invalid_grant']
/** Statuses that are not about the values: timeout, too early, too many requests. */
const TRANSIENT_STATUSES = [408, 425, 429]
const MAX_CLOCK_DIFFERENCE_MS = MINUTE
const MAX_VALUE_LENGTH = 16 * 1024

/** Nothing of the response's text leaves this function, except for the values that the file names. */
export const readTokenResponse = (
  request: TokenHttpRequest,
  response: EgressResponse,
  method: TokenRequestMethod,
  now: Date,
): ReadValues | TokenFailure => {
  const { rejections, token } = method
  const { status, headers } = response
  const document = documentOf(request, response)
  const error = document === undefined ? null : readText(document, request.error ?? '/error')
  const refused: TokenRefusal = {
    kind: 'refused',
    isFinal:
      !mayBeOfAWrongTime(method, headers.date, now) &&
      ((rejections?.statuses ?? []).includes(status) ||
        (error !== null && [...FINAL_ERRORS, ...(rejections?.errors ?? [])].includes(error))),
  }
  if (status >= 400 && status < 500 && !TRANSIENT_STATUSES.includes(status)) return refused
  if (status < 200 || status > 299 || document === undefined) return UNAVAILABLE
  if (error !== null || (request.ok !== undefined && !isAffirmed(document, request.ok))) return refused
  const optional = [token.expires_in?.value, token.expires_at?.value]
  return readValues(request, { document, headers }, optional)
}

/**
 * Vendors reject an assertion that is too early or too late as they reject a wrong one. The time of a response (RFC 9110 §6.6.1) shows that the
 * clocks differ.
 */
const mayBeOfAWrongTime = (method: TokenRequestMethod, date: string | undefined, now: Date): boolean => {
  const isTimed = namesIn(method).some(name => /^(?:jwt|now)\./.test(name)) || method.assertions !== undefined
  return isTimed && Math.abs(Date.parse(date ?? '') - now.getTime()) > MAX_CLOCK_DIFFERENCE_MS
}

const documentOf = ({ response }: TokenHttpRequest, { body }: EgressResponse): unknown => {
  const text = body.toString('utf8').trim()
  if (response === 'text') return text
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

type Answer = Pick<EgressResponse, 'headers'> & { document: unknown }

const readValues = (
  { values = {} }: TokenHttpRequest,
  answer: Answer,
  optional: (string | undefined)[],
): ReadValues | TokenFailure => {
  const read: ReadValues = { kind: 'read', values: {}, addresses: {} }
  for (const [name, rule] of Object.entries(values)) {
    const { pattern, address, ...place } = typeof rule === 'string' ? { at: rule } : rule
    const found = find(place, answer)
    const fits = address ? addressValue : matchedValue
    const value = pattern === undefined ? found : fits(found, pattern)
    if (value === null || value.length > MAX_VALUE_LENGTH) {
      if (!optional.includes(name)) return UNAVAILABLE
    } else if (address) read.addresses[name] = value
    else read.values[name] = value
  }
  return read
}

type Place = { at?: string; header?: string; cookie?: string; between?: string[] }

const find = ({ at, header, cookie, between }: Place, { document, headers }: Answer): string | null => {
  if (header !== undefined) return headers[header.toLowerCase()] ?? null
  if (cookie !== undefined) return readCookie(headers['set-cookie'] ?? '', cookie)
  if (between) return textBetween(String(document), between)
  return readText(document, at ?? '')
}

const textBetween = (text: string, [before = '', after = '']: string[]): string | null => {
  const start = text.indexOf(before)
  const end = start === -1 ? -1 : text.indexOf(after, start + before.length)
  return end === -1 ? null : text.slice(start + before.length, end)
}

/** RFC 6265 §4.1.1. Several headers are joined by commas. */
const readCookie = (header: string, name: string): string | null =>
  header
    .split(/,(?=\s*[^;,=\s]+=)/)
    .map(cookie => /^\s*([^=;]+)=([^;]*)/.exec(cookie))
    .find(match => match?.[1] === name)?.[2] ?? null
