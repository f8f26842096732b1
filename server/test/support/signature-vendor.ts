import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ConnectorFile, SignatureMethod } from '@carabiner/contract'
import OAuth from 'oauth-1.0a'
import { sendJson } from './hostile-authorization.ts'

/** `url`: path and query. Default scheme: http. */
export type SignedRequest = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
  scheme?: 'http' | 'https'
}

/** What a request claims, and whether its signature is right. */
type Claim = { valid: boolean; nonce: string; sentAt: number }
export type Scheme = {
  method: SignatureMethod
  entered: Record<string, string>
  secrets: string[]
  read(request: SignedRequest): Claim
}

const MAX_SKEW_MS = 5 * 60_000
const field = (name: string, secret = false) => ({ name, label: name, secret })
const parametersOf = (header = ''): Record<string, string> =>
  Object.fromEntries(
    [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )

const HMAC_SECRET = 'hmac-secret-canary-1d07'
const WSSE_SECRET = 'wsse-secret-canary-88c1'
const CONSUMER_SECRET = 'consumer-secret-canary-5f2e'
const TOKEN_SECRET = 'token-secret-canary-90ab'

/** Each scheme is verified by code that shares nothing with the service. */
export const SCHEMES: Record<'hmac' | 'wsse' | 'oauth1', Scheme> = {
  hmac: {
    method: {
      type: 'signature',
      fields: [field('key_id'), field('key', true)],
      scheme: {
        type: 'hmac',
        secret: '{key}',
        algorithm: 'sha256',
        parts: [{ text: '{key_id}' }, 'method', 'path_and_query', 'timestamp', 'nonce', 'body_digest'],
        separator: '\n',
        encoding: 'base64',
        timestamp: 'milliseconds',
        body_digest: { algorithm: 'sha512', encoding: 'hex' },
        headers: {
          Authorization: 'Acme {key_id}:{signature}',
          'X-Time': '{timestamp}',
          'X-Nonce': '{nonce}',
        },
      },
    },
    entered: { key_id: 'K-1', key: HMAC_SECRET },
    secrets: [HMAC_SECRET],
    read: ({ method, url, headers, body }) => {
      const [time, nonce] = [String(headers['x-time']), String(headers['x-nonce'])]
      const digest = createHash('sha512').update(body).digest('hex')
      const signed = `K-1\n${method}\n${url}\n${time}\n${nonce}\n${digest}`
      const expected = createHmac('sha256', HMAC_SECRET).update(signed).digest('base64')
      return { valid: headers.authorization === `Acme K-1:${expected}`, nonce, sentAt: Number(time) }
    },
  },
  wsse: {
    method: {
      type: 'signature',
      fields: [field('username'), field('secret', true)],
      scheme: { type: 'wsse', username: '{username}', secret: '{secret}', digest_of: 'hex_digits' },
    },
    entered: { username: 'acme001', secret: WSSE_SECRET },
    secrets: [WSSE_SECRET],
    read: ({ headers }) => {
      const header = String(headers['x-wsse'])
      const { Username, PasswordDigest, Nonce = '', Created = '' } = parametersOf(header)
      const sha1 = createHash('sha1').update(Nonce + Created + WSSE_SECRET)
      const digest = Buffer.from(sha1.digest('hex')).toString('base64')
      const valid = header.startsWith('UsernameToken ') && Username === 'acme001' && PasswordDigest === digest
      return { valid, nonce: Nonce, sentAt: Date.parse(Created) }
    },
  },
  oauth1: {
    method: {
      type: 'signature',
      fields: [
        field('consumer_key'),
        field('consumer_secret', true),
        field('token_id'),
        field('token_secret', true),
        field('account'),
      ],
      scheme: {
        type: 'oauth1',
        method: 'HMAC-SHA256',
        consumer_key: '{consumer_key}',
        consumer_secret: '{consumer_secret}',
        token: '{token_id}',
        token_secret: '{token_secret}',
        realm: '{account}',
      },
    },
    entered: {
      consumer_key: 'C-1',
      consumer_secret: CONSUMER_SECRET,
      token_id: 'T-1',
      token_secret: TOKEN_SECRET,
      account: '1234567_SB1',
    },
    secrets: [CONSUMER_SECRET, TOKEN_SECRET],
    read: request => {
      const { realm, ...claimed } = decoded(parametersOf(request.headers.authorization))
      const keys = {
        consumer: 'C-1',
        consumerSecret: CONSUMER_SECRET,
        token: 'T-1',
        tokenSecret: TOKEN_SECRET,
      }
      const valid = realm === '1234567_SB1' && isSigned(request, claimed, 'HMAC-SHA256', keys)
      return { valid, nonce: claimed.oauth_nonce ?? '', sentAt: Number(claimed.oauth_timestamp) * 1000 }
    },
  },
}

const decoded = (parameters: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]))

export const oauthParameters = (header = ''): Record<string, string> => decoded(parametersOf(header))

type Keys = { consumer: string; consumerSecret: string; token?: string; tokenSecret?: string }
type SignatureName = 'HMAC-SHA1' | 'HMAC-SHA256' | 'PLAINTEXT'

/** Whether the parameters of an OAuth 1.0a request have the keys and the signature that another implementation computes. */
export const isSigned = (
  { method, url, headers, body, scheme = 'http' }: SignedRequest,
  { oauth_signature: signature, ...claimed }: Record<string, string>,
  name: SignatureName,
  { consumer, consumerSecret, token, tokenSecret }: Keys,
): boolean => {
  const oauth = new OAuth({
    consumer: { key: consumer, secret: consumerSecret },
    signature_method: name,
    hash_function: (base, key) =>
      name === 'PLAINTEXT'
        ? key
        : createHmac(name === 'HMAC-SHA1' ? 'sha1' : 'sha256', key)
            .update(base)
            .digest('base64'),
  })
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  const data = isForm ? Object.fromEntries(new URLSearchParams(body)) : undefined
  const expected = oauth.getSignature(
    { method, url: `${scheme}://${headers.host}${url}`, ...(data && { data }) },
    tokenSecret,
    claimed as unknown as OAuth.Data,
  )
  return (
    signature === expected &&
    claimed.oauth_consumer_key === consumer &&
    claimed.oauth_token === token &&
    claimed.oauth_signature_method === name
  )
}

export type SignatureVendor = Awaited<ReturnType<typeof startSignatureVendor>>

/** A vendor that accepts each signature once, for five minutes, and says why it refuses a request. */
export const startSignatureVendor = async (name: string, scheme: Scheme) => {
  const requests: SignedRequest[] = []
  const used = new Set<string>()
  const state = { aheadMs: 0, outages: 0 }
  const refusalOf = (request: SignedRequest): string | null => {
    const { valid, nonce, sentAt } = scheme.read(request)
    if (!valid) return 'The signature does not match.'
    if (!(Math.abs(Date.now() + state.aheadMs - sentAt) < MAX_SKEW_MS)) return 'The timestamp is too old.'
    if (used.has(nonce)) return 'The nonce was used before.'
    used.add(nonce)
    return null
  }
  const respond = async (req: IncomingMessage, res: ServerResponse): Promise<unknown> => {
    const { method: verb = '', url = '', headers } = req
    const request = { method: verb, url, headers, body: await text(req) }
    requests.push(request)
    const refusal = refusalOf(request)
    if (refusal) return sendJson(res, { message: refusal }, 401)
    if (state.outages > 0) {
      state.outages -= 1
      return sendJson(res, { message: 'Try again.' }, 503)
    }
    return sendJson(res, { account: `${name} account`, received: request.body, echo: headers })
  }
  const server = createServer((req, res) => void respond(req, res))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    requests,
    /** Moves the clock of the vendor. */
    setClockAhead: (milliseconds: number) => {
      state.aheadMs = milliseconds
    },
    /** The next requests that are signed correctly are answered with 503. */
    failNext: (count: number) => {
      state.outages = count
    },
    connector: connectorAt(origin, `signed-${name}`, scheme.method),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const connectorAt = (origin: string, slug: string, method: SignatureMethod): ConnectorFile => {
  const tool = (name: string, verb: 'GET' | 'POST') => ({
    name,
    title: name,
    description: 'Sends a signed request.',
    input_schema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      additionalProperties: false,
    },
    scopes: [],
    request:
      verb === 'GET'
        ? { method: verb, url: `${origin}/things`, query: { text: '{text}' } }
        : { method: verb, url: `${origin}/things`, body: { text: '{text}' } },
    read_only: verb === 'GET',
    ...(verb === 'POST' && { effects: [], roles: { text: 'none' as const } }),
  })
  return {
    slug,
    name: `Signed ${slug}`,
    summary: 'Things',
    categories: ['development'],
    documentation_url: 'https://acme.example/docs',
    authorization: [method],
    identity: { url: `${origin}/me?fields=a%20b`, account: '/account', id: '/account' },
    credential_origins: [origin],
    tools: [tool('read', 'GET'), tool('write', 'POST')],
  }
}
