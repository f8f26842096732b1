import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sendJson } from './hostile-authorization.ts'

/** `before`: called when the request has arrived. */
type Reply = { status?: number; body?: unknown; delayMs?: number; before?: () => void }

export type TokenVendor = {
  url: string
  /** The bodies of the token requests, with the latest last. */
  tokenRequests: URLSearchParams[]
  /** The tokens that the API accepts. */
  validTokens: Set<string>
  /** The response to the next token requests. Default: a new token for an hour. */
  replies: Reply[]
  /** What the API says about the account. */
  account: { name: string; id: string }
  stop(): Promise<void>
}

/** A vendor whose tokens are requested with a client secret, and an API that accepts them. */
export const startTokenVendor = async (): Promise<TokenVendor> => {
  let issued = 0
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    if (request.url === '/token') {
      vendor.tokenRequests.push(new URLSearchParams(await text(request)))
      const { status = 200, body, delayMs = 0, before } = vendor.replies.shift() ?? {}
      before?.()
      await new Promise(resolve => setTimeout(resolve, delayMs))
      const token = `vendor-token-canary-${++issued}`
      if (status === 200) vendor.validTokens.add(token)
      return sendJson(response, body ?? { access_token: token, expires_in: 3600 }, status)
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    if (!vendor.validTokens.has(token)) return sendJson(response, { error: 'unauthorized' }, 401)
    return sendJson(response, request.url === '/me' ? vendor.account : { echo: token })
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const vendor: TokenVendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokenRequests: [],
    validTokens: new Set(),
    replies: [],
    account: { name: 'Acme production', id: 'acme-1' },
    stop: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return vendor
}

export const TOKEN_VENDOR = 'token-vendor'

const connector = (url: string) => ({
  slug: TOKEN_VENDOR,
  name: 'Ledger',
  summary: 'Books, elsewhere',
  categories: ['finance'],
  documentation_url: `${url}/`,
  credential_origins: [url],
  authorization: [
    {
      type: 'token_request',
      fields: [
        { name: 'client_id', label: 'Client ID', secret: false },
        { name: 'private_key', label: 'Private key', secret: true, private_key: { type: 'rsa' } },
        { name: 'client_secret', label: 'Client secret', secret: true },
        { name: 'audience', label: 'Audience', secret: false, optional: true },
      ],
      assertions: {
        client: {
          algorithm: 'RS256',
          key: 'private_key',
          claims: { iss: '{client_id}', aud: '{audience}', exp: '{jwt.expires_at}' },
          lifetime_seconds: 300,
        },
      },
      token_origins: [url],
      requests: [
        {
          url: `${url}/token`,
          form: {
            client_id: '{client_id}',
            client_secret: '{client_secret}',
            client_assertion: '{assertion.client}',
            audience: '{audience}',
          },
          values: { token: '/access_token', lifetime: '/expires_in' },
        },
      ],
      token: {
        value: '{value.token}',
        expires_in: { value: 'lifetime', unit: 'seconds' },
        lifetime_seconds: 3600,
      },
    },
  ],
  identity: { url: `${url}/me`, account: '/name', id: '/id' },
  tools: [
    {
      name: 'echo',
      title: 'Echo',
      description: 'Returns the token of the request.',
      input_schema: { type: 'object', properties: {}, additionalProperties: false },
      scopes: [],
      request: { method: 'GET', url: `${url}/echo` },
      read_only: true,
    },
  ],
})

export const writeTokenVendor = ({ url }: TokenVendor): { folder: string; remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-token-vendor-'))
  writeFileSync(join(folder, `${TOKEN_VENDOR}.json`), JSON.stringify(connector(url)))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
