import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ConnectorFile, OAuth1Method } from '@carabiner/contract'
import { sendJson } from './hostile-authorization.ts'
import { isSigned, oauthParameters, type SignedRequest } from './signature-vendor.ts'

export const CONSUMER = { key: 'consumer-1', secret: 'consumer-secret-canary-41bd' }
type SignatureName = NonNullable<OAuth1Method['signature_method']>
type Endpoint = 'request_token' | 'access_token'
type Reply = { status?: number; body?: string; cut?: true }

const SIGN_IN = `<!doctype html><title>Sign in</title><h1>Photos</h1>
<form action="/decide"><button name="answer" value="allow">Allow</button><button name="answer" value="deny">Deny</button></form>`

export type OAuth1Vendor = Awaited<ReturnType<typeof startOAuth1Vendor>>

/** A provider with OAuth 1.0a that verifies every signature and accepts every nonce, verifier and request token once. */
export const startOAuth1Vendor = async (signature: SignatureName) => {
  const state = { consumerSecret: CONSUMER.secret, issued: 0 }
  const calls: string[] = []
  const replies: Partial<Record<Endpoint, Reply[]>> = {}
  const nonces = new Set<string>()
  /** Request tokens with their secret and callback, and after the sign-in with their verifier. */
  const requested = new Map<string, { secret: string; callback: string; verifier?: string }>()
  const granted = new Map<string, string>()

  /** The parameters of a request that is signed by the consumer and with the secret of its token. */
  const verified = (request: SignedRequest, secretOf?: (token: string) => string | undefined) => {
    const parameters = oauthParameters(request.headers.authorization)
    const token = parameters.oauth_token
    const tokenSecret = secretOf && token !== undefined ? secretOf(token) : undefined
    if (secretOf && tokenSecret === undefined) return null
    const { oauth_nonce: nonce = '' } = parameters
    const keys = {
      consumer: CONSUMER.key,
      consumerSecret: state.consumerSecret,
      ...(token !== undefined && { token }),
      ...(tokenSecret !== undefined && { tokenSecret }),
    }
    if (!isSigned(request, parameters, signature, keys) || nonces.has(nonce)) return null
    nonces.add(nonce)
    return parameters
  }
  const issue = (kind: string) => {
    state.issued += 1
    return { token: `${kind}-token-canary-${state.issued}`, secret: `${kind}-secret-canary-${state.issued}` }
  }
  const answerPair = (response: ServerResponse, pair: { token: string; secret: string }): void => {
    const body = new URLSearchParams({ oauth_token: pair.token, oauth_token_secret: pair.secret })
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`${body.toString()}&oauth_callback_confirmed=true`)
  }
  const allow = (token: string): string => {
    const found = requested.get(token)
    if (!found) throw new Error(`${token} is no request token`)
    found.verifier = `verifier-canary-${token}`
    return withParameters(found.callback, { oauth_token: token, oauth_verifier: found.verifier })
  }
  const deny = (token: string, parameters: Record<string, string>): string =>
    withParameters(requested.get(token)?.callback ?? '', parameters)
  const endpoints: Record<string, (request: SignedRequest, response: ServerResponse) => unknown> = {
    '/request_token': (request, response) => {
      const parameters = verified(request)
      if (!parameters?.oauth_callback) return sendJson(response, { error: 'bad signature' }, 401)
      const pair = issue('request')
      requested.set(pair.token, { secret: pair.secret, callback: parameters.oauth_callback })
      return answerPair(response, pair)
    },
    '/authorize': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(SIGN_IN),
    // The page does not contain the request token, which must be on no page.
    '/decide': ({ url, headers }, response) => {
      const token = new URL(headers.referer ?? '').searchParams.get('oauth_token') ?? ''
      const location = url.includes('allow') ? allow(token) : deny(token, { denied: token })
      return response.writeHead(303, { location }).end()
    },
    '/access_token': (request, response) => {
      const parameters = verified(request, token => requested.get(token)?.secret)
      const found = parameters && requested.get(parameters.oauth_token ?? '')
      if (!found?.verifier || found.verifier !== parameters?.oauth_verifier)
        return sendJson(response, { error: 'bad verifier' }, 401)
      requested.delete(parameters.oauth_token ?? '')
      const pair = issue('access')
      granted.set(pair.token, pair.secret)
      return answerPair(response, pair)
    },
    '/api': (request, response) =>
      verified(request, token => granted.get(token))
        ? sendJson(response, { name: 'Ana', id: 'ana-1', echo: request.headers.authorization })
        : sendJson(response, { error: 'unauthorized' }, 401),
  }
  const respond = async (req: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { method = '', url = '', headers } = req
    const request = { method, url, headers, body: await text(req) }
    const path = `/${url.split(/[/?]/)[1]}`
    calls.push(path)
    const reply = replies[path.slice(1) as Endpoint]?.shift()
    if (reply?.cut) return req.socket.destroy()
    if (reply) return response.writeHead(reply.status ?? 200).end(reply.body)
    const endpoint = endpoints[path]
    return endpoint ? endpoint(request, response) : sendJson(response, {}, 404)
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const slug = `vendor-${signature.toLowerCase()}`
  return {
    slug,
    origin,
    connector: connectorAt(origin, slug, signature),
    /** Paths of the requests, with the latest last. */
    calls,
    /** The next requests to this endpoint are answered in this way. */
    reply: (endpoint: Endpoint, ...next: Reply[]) => {
      replies[endpoint] = next
    },
    /** The user signs in and agrees: the address that the provider redirects to. */
    allow,
    deny,
    rotateConsumerSecret: (secret: string) => {
      state.consumerSecret = secret
    },
    revokeTokens: () => granted.clear(),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const withParameters = (address: string, parameters: Record<string, string>): string => {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value)
  return url.href
}

const connectorAt = (origin: string, slug: string, signature: SignatureName): ConnectorFile => ({
  slug,
  name: `Photos ${slug}`,
  summary: 'Photos',
  categories: ['files'],
  documentation_url: 'https://photos.example/docs',
  authorization: [
    {
      type: 'oauth1',
      request_token_endpoint: `${origin}/request_token`,
      authorization_endpoint: `${origin}/authorize`,
      access_token_endpoint: `${origin}/access_token`,
      signature_method: signature,
      extra_authorization_parameters: { Access: 'Full' },
    },
  ],
  identity: { url: `${origin}/api/me`, account: '/name', id: '/id' },
  credential_origins: [origin],
  tools: [
    {
      name: 'search',
      title: 'Search photos',
      description: 'Searches the photos of the account.',
      input_schema: {
        type: 'object',
        properties: { text: { type: 'string' } },
        additionalProperties: false,
      },
      scopes: [],
      request: { method: 'GET', url: `${origin}/api/search`, query: { text: '{text}' } },
      read_only: true,
    },
  ],
})
