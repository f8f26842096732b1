import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import type { EgressRequest, EgressResponse } from '../../../src/platform/egress/egress.ts'
import { type ExpectedJwt, SECRET, TOKEN, type Vendor } from './vendors.ts'

type Options = {
  now: Date
  /** The secret that the vendor knows, if it is not that of the vendor's fields. */
  secret?: string
  /** The private key whose public key the vendor knows, likewise. */
  privateKey?: string
}

export const WRONG_SECRET = 'wrong-secret'

/** How much of a difference between clocks vendors accept, at least. */
const MAX_SKEW_SECONDS = 60
const INVALID_CLIENT = { status: 401, body: { error: 'invalid_client' } }

/**
 * A token endpoint that answers only requests as the vendor documents them: address, credentials, parameters and encoding, and a valid
 * signature. Anything else is a problem of the connector file; a wrong secret or key gets the vendor's refusal.
 */
export const standInFor = (vendor: Vendor, { now, secret = SECRET, privateKey }: Options) => {
  const problems: string[] = []
  const requests: EgressRequest[] = []
  const { exchange, wrong = INVALID_CLIENT } = vendor
  const known = privateKey === undefined ? vendor.fields : withKey(vendor.fields, privateKey)
  const send = async (request: EgressRequest): Promise<EgressResponse> => {
    requests.push(request)
    if (!exchange) throw new Error('no token is requested from this vendor')
    const { basic, form = null, json: document = null, assertion } = exchange
    const sent = partsOf(request)
    const token = assertion ? takeAssertion(assertion.in, sent) : null
    const text = textOf(sent)
    const expected = textOf({
      request: exchange.request,
      basic: basic?.join(':') ?? null,
      form,
      json: document,
      bearer: null,
    }).replaceAll(SECRET, secret)
    if (text !== expected) {
      const isOtherSecret = [WRONG_SECRET, SECRET].some(other => text.replaceAll(other, secret) === expected)
      if (!isOtherSecret) problems.push(`${text} instead of ${expected}`)
      return json(wrong.status, wrong.body)
    }
    const fault = assertion ? jwtFault(token ?? '', assertion, known, now) : null
    if (fault === 'signature' || fault === 'time') return json(wrong.status, wrong.body)
    if (fault) problems.push(fault)
    return json(200, exchange.answer ?? { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 })
  }
  return { send, problems, requests }
}

/** The fields with another private key. */
export const withKey = (fields: Record<string, string>, privateKey: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value.includes('PRIVATE KEY') ? privateKey : value]),
  )

type Parts = {
  request: string
  basic: string | null
  form: Record<string, string> | null
  json: unknown
  bearer: string | null
}

const partsOf = ({ method, url, headers = {}, body }: EgressRequest): Parts => {
  const type = headers['content-type'] ?? ''
  const authorization = headers.authorization ?? ''
  const text = body === undefined ? '' : Buffer.from(body).toString()
  return {
    request: `${method} ${url}`,
    basic: authorization.startsWith('Basic ')
      ? Buffer.from(authorization.slice('Basic '.length), 'base64').toString()
      : null,
    form: type === 'application/x-www-form-urlencoded' ? Object.fromEntries(new URLSearchParams(text)) : null,
    json: type === 'application/json' ? (JSON.parse(text) as unknown) : null,
    bearer: authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : null,
  }
}

/** Removes the assertion from the parts that are compared. */
const takeAssertion = (place: string, parts: Parts): string | null => {
  if (place === 'authorization') {
    const { bearer } = parts
    parts.bearer = null
    return bearer
  }
  const { [place]: assertion = null, ...form } = parts.form ?? {}
  parts.form = form
  return assertion
}

const textOf = (parts: Parts): string => JSON.stringify(sorted(parts))

const sorted = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => a.localeCompare(b))
          .map(([name, part]) => [name, sorted(part)]),
      )
    : value

const json = (status: number, body: unknown): EgressResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
})

const decode = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString() || '{}') as Record<string, unknown>

/** What is wrong with a token; null if nothing is. */
export const jwtFault = (
  token: string,
  { algorithm, header = {}, claims, unique = [], maxSeconds }: ExpectedJwt,
  known: Record<string, string>,
  now: Date,
): string | null => {
  const [head = '', payload = '', signature = ''] = token.split('.')
  const { iat, nbf, exp, ...rest } = decode(payload) as Record<string, number>
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !unique.includes(name)))
  const expectedHeader = { alg: algorithm, typ: 'JWT', ...header }
  if (JSON.stringify(sorted(decode(head))) !== JSON.stringify(sorted(expectedHeader)))
    return `the header is ${JSON.stringify(decode(head))}`
  if (JSON.stringify(sorted(others)) !== JSON.stringify(sorted(claims)))
    return `the claims are ${JSON.stringify(others)}`
  if (unique.some(name => !rest[name])) return `one of ${unique.join()} is missing`
  if (!hasSignature(`${head}.${payload}`, signature, algorithm, known)) return 'signature'
  const seconds = Math.floor(now.getTime() / 1000)
  const begin = Math.max(iat ?? 0, nbf ?? 0)
  const isLate = exp === undefined || exp < seconds || exp > seconds + maxSeconds + MAX_SKEW_SECONDS
  if (isLate || begin > seconds + MAX_SKEW_SECONDS) return 'time'
  return exp - (iat ?? seconds) > maxSeconds ? `the lifetime is ${exp - (iat ?? seconds)} seconds` : null
}

const hasSignature = (
  input: string,
  signature: string,
  algorithm: ExpectedJwt['algorithm'],
  known: Record<string, string>,
): boolean => {
  const bytes = Buffer.from(signature, 'base64url')
  if (algorithm === 'HS256') {
    const expected = createHmac('sha256', Buffer.from(known.secret ?? '', 'hex'))
      .update(input)
      .digest()
    return expected.length === bytes.length && timingSafeEqual(expected, bytes)
  }
  const key = createPublicKey(known.private_key ?? known.service_account ?? '')
  return verify(
    'sha256',
    Buffer.from(input),
    {
      key,
      ...(algorithm === 'ES256' && { dsaEncoding: 'ieee-p1363' as const }),
      ...(algorithm === 'PS256' && { padding: 6, saltLength: 32 }),
    },
    bytes,
  )
}
