import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  verify,
  X509Certificate,
} from 'node:crypto'
import { type ConnectorField, certificateOf, type TokenRequestMethod } from '@carabiner/contract'
import type { EgressRequest, EgressResponse } from '../../../src/platform/egress/egress.ts'
import { createCertificate } from '../certificates.ts'
import type { Shape } from './express.ts'

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string
const KEYS = {
  rsa: pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
  p256: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
}
const { certificate: CERTIFICATE } = createCertificate('acme', {
  issuer: createCertificate('Authority'),
  key: createPrivateKey(KEYS.rsa),
})
/** RFC 7515 §4.1.7. */
const THUMBPRINT = createHash('sha1').update(new X509Certificate(CERTIFICATE).raw).digest('base64url')
const TOKEN = 'issued-token'

export type Entered = { tenant: Record<string, string>; fields: Record<string, string> }

/** What a person could enter. */
export const exampleValues = (method: TokenRequestMethod, tenant: readonly ConnectorField[]): Entered => ({
  tenant: Object.fromEntries(tenant.map(({ name }) => [name, isHost(name) ? 'acme.example.com' : 'acme'])),
  fields: Object.fromEntries(
    method.fields.flatMap((field): [string, string][] => {
      const { name, pattern, private_key: key } = field
      if (certificateOf(field)) return [[name, CERTIFICATE]]
      if (!key) return [[name, pattern === '^[0-9a-f]{64}$' ? 'a0'.repeat(32) : `OF-${name.toUpperCase()}`]]
      const others = Object.keys(key.file?.values ?? {}).map((other): [string, string] => [
        other,
        `OF-${other}`,
      ])
      return [[name, KEYS[key.type]], ...others]
    }),
  ),
})

const isHost = (name: string): boolean =>
  /(host|hostname|domain|url|server|instance|environment)$/.test(name) &&
  !['service_instance', 'instance'].includes(name)

/** Responses to the requests before the one that returns the token. */
const EARLIER_RESPONSES: Record<string, Record<string, string>[]> = {
  docuware: [
    { IdentityServiceUrl: 'https://login-emea.docuware.cloud/5f6a' },
    { token_endpoint: 'https://login-emea.docuware.cloud/5f6a/connect/token' },
  ],
  'salesforce-cdp': [{ access_token: 'earlier-token', instance_url: 'https://acme.my.salesforce.com' }],
  sellercloud: [{ restApiEndpoint: 'https://acme.api.sellercloud.com/rest' }],
  'veeva-vault-oauth': [{ access_token: 'earlier-token' }],
  'workday-adaptive-planning': [{ access_token: 'earlier-token' }],
}

type Expected = { url: string; method: string; parameters: string[]; isFirst: boolean }

/** A provider that answers only requests of its shape: address, parameters, headers, encoding, signatures. */
export const startStandIn = (shape: Shape, method: TokenRequestMethod, entered: Entered) => {
  const problems: string[] = []
  const check = (isRight: boolean, what: string): void => void (isRight || problems.push(what))
  const expected = expectedRequests(shape)
  const answers = EARLIER_RESPONSES[shape.provider] ?? []
  const seen: Record<string, string> = {}
  let next = 0
  const send = async (request: EgressRequest): Promise<EgressResponse> => {
    const wanted = expected[next]
    if (!wanted) throw new Error(`${shape.provider} expects no further request`)
    checkRequest(check, shape, wanted, request, { ...entered, seen })
    const answer = answers[next++]
    if (!answer) return respond(shape, method)
    for (const [name, value] of Object.entries(answer)) seen[plain(name)] = value
    return json(answer)
  }
  return {
    problems,
    send,
    checkToken: (token: string): void => {
      check(next === expected.length, `${next} of ${expected.length} requests were made`)
      if (expected.length > 0) check(token === TOKEN, `the token is ${token}`)
      else check(isSigned(token, entered.fields), 'the signature of the token is wrong')
    },
  }
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

const expectedRequests = ({
  token_url,
  method,
  parameters = [],
  further_requests = [],
  ...shape
}: Shape): Expected[] => {
  if (token_url === undefined) return []
  const inBody =
    shape.mode === 'oauth2_cc' && shape.client_authentication === undefined
      ? ['client_id', 'client_secret']
      : []
  return [
    { url: token_url, method: method ?? 'POST', parameters: [...parameters, ...inBody], isFirst: true },
    ...further_requests.map(({ url, parameters: names }) => ({
      url,
      method: names.length === 0 && /well-known/.test(url) ? 'GET' : 'POST',
      parameters: names,
      isFirst: false,
    })),
  ]
}

const checkRequest = (
  check: (isRight: boolean, what: string) => void,
  shape: Shape,
  expected: Expected,
  { url, method, headers = {}, body, clientCertificate }: EgressRequest,
  { tenant, fields, seen }: Entered & { seen: Record<string, string> },
): void => {
  const filled = expected.url.replaceAll(/\{([a-z_.]+)\}/g, (_, name: string) => {
    const [place, key = ''] = name.split('.')
    if (place === 'tenant') return tenant[key] ?? '?'
    return place === 'value' ? (seen[plain(key)] ?? '?') : encodeURIComponent(fields[name] ?? '?')
  })
  const [wanted, got] = [new URL(filled), new URL(url)]
  check(got.origin + got.pathname === wanted.origin + wanted.pathname, `${url} instead of ${filled}`)
  check(method === expected.method, `${method} instead of ${expected.method}`)
  for (const [name, value] of wanted.searchParams)
    check(got.searchParams.get(name) === value, `query parameter ${name}`)
  const sent = parametersIn(shape, expected, got, headers, String(body ?? ''))
  const names = Object.keys(sent).filter(name => !wanted.searchParams.has(name))
  check(
    JSON.stringify(names.toSorted()) === JSON.stringify(expected.parameters.toSorted()),
    `parameters ${names.join()} instead of ${expected.parameters.join()}`,
  )
  for (const [name, value] of Object.entries(sent)) {
    check(
      value !== undefined && !/\{[a-z]|undefined/.test(JSON.stringify(value)),
      `${name} is ${JSON.stringify(value)}`,
    )
    if (
      name.endsWith('assertion') &&
      fields.private_key + String(fields.service_account) !== 'undefinedundefined'
    )
      check(isSigned(String(value), fields), `the signature of ${name} is wrong`)
  }
  const presents = [clientCertificate?.certificate, clientCertificate?.privateKey.reveal()]
  const mustPresent = shape.client_certificate ? [CERTIFICATE, KEYS.rsa] : [undefined, undefined]
  check(String(presents) === String(mustPresent), 'the client certificate')
  if (!expected.isFirst) return
  for (const name of shape.headers ?? []) check(Boolean(headers[name]), `header ${name}`)
  if (shape.client_authentication === 'basic')
    check(/^Basic \S+$/.test(headers.authorization ?? ''), 'HTTP Basic')
}

/** The parameters of a request. Those of XML are not looked at. */
const parametersIn = (
  shape: Shape,
  expected: Expected,
  url: URL,
  headers: Record<string, string>,
  body: string,
): Record<string, unknown> => {
  if (shape.body === 'xml') return Object.fromEntries(expected.parameters.map(name => [name, body]))
  if (body === '' || (expected.isFirst && shape.body === 'query')) return Object.fromEntries(url.searchParams)
  return headers['content-type'] === 'application/json'
    ? (JSON.parse(body) as Record<string, unknown>)
    : Object.fromEntries(new URLSearchParams(body))
}

const respond = (
  { response, mode, provider, body }: Shape,
  { token }: TokenRequestMethod,
): EgressResponse => {
  const lasting = { expires_in: 1800 }
  if (body === 'xml') return text(`<response><api><sessionid>${TOKEN}</sessionid></api></response>`)
  if (mode === 'app') return json({ token: TOKEN, expires_at: '2026-11-19T13:00:00Z' })
  if (mode === 'bill') return json({ sessionId: TOKEN })
  if (provider === 'zoominfo') return json({ jwt: TOKEN })
  if (!response) return json({ access_token: TOKEN, token_type: 'Bearer', ...lasting })
  if (response.token === '') return text(TOKEN)
  const answer: Record<string, unknown> = {}
  put(answer, response.token, TOKEN)
  if (response.expires_in !== undefined) put(answer, response.expires_in, 1800)
  if (response.expires_at !== undefined)
    put(
      answer,
      response.expires_at,
      token.expires_at?.format === 'iso' ? '2026-11-19T12:30:00Z' : 1_795_091_400,
    )
  return json(answer)
}

const put = (into: Record<string, unknown>, pointer: string, value: unknown): void => {
  const names = pointer.split('/').slice(1)
  const last = names.pop() as string
  let at = into
  for (const name of names) at = (at[name] ??= {}) as Record<string, unknown>
  at[last] = value
}

const answerOf = (type: string, body: string): EgressResponse => ({
  status: 200,
  headers: { 'content-type': type },
  body: Buffer.from(body),
})
const json = (value: unknown): EgressResponse => answerOf('application/json', JSON.stringify(value))
const text = (value: string): EgressResponse => answerOf('text/plain', value)

/** A JSON Web Token with the signature of the entered key. HS256 is compared by the tests of `signJwt`. */
const isSigned = (token: string, fields: Record<string, string>): boolean => {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const { alg, x5t = THUMBPRINT } = JSON.parse(Buffer.from(header, 'base64url').toString() || '{}') as {
    alg?: string
    x5t?: string
  }
  if (alg === 'HS256') return signature.length === 43
  const key = fields.private_key ?? fields.service_account
  if (!key || !alg || x5t !== THUMBPRINT) return false
  return verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    {
      key: createPublicKey(key),
      ...(alg === 'ES256' && { dsaEncoding: 'ieee-p1363' as const }),
      ...(alg === 'PS256' && { padding: 6, saltLength: 32 }),
    },
    Buffer.from(signature, 'base64url'),
  )
}
