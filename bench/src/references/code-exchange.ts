import { generateKeyPairSync, hash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider'

/**
 * The authorization code exchange of oidc-provider: in memory, with opaque tokens and S256 PKCE, which is its default. Nothing is
 * durable. Codes are created with the provider's own models on request of the bench, without a browser.
 */
const CLIENT = { id: 'bench', secret: 'bench-secret' }
const REDIRECT_URI = 'https://app.example.com/callback'
const VERIFIER = 'a-verifier-that-is-long-enough-for-the-rules-of-pkce'
const LIFETIME = 3600

const records = new Map<string, AdapterPayload>()
const createAdapter = (model: string): Adapter => ({
  upsert: async (id, payload) => void records.set(model + id, payload),
  find: async id => records.get(model + id),
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async id => {
    const record = records.get(model + id)
    if (record) record.consumed = Math.floor(Date.now() / 1000)
  },
  destroy: async id => void records.delete(model + id),
  revokeByGrantId: async () => undefined,
})

// Nothing is signed here, but the provider does not start without a key.
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const provider = new Provider('http://localhost', {
  adapter: createAdapter,
  jwks: { keys: [privateKey.export({ format: 'jwk' })] },
  clients: [
    {
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      redirect_uris: [REDIRECT_URI],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  scopes: ['read', 'write'],
  findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
  ttl: { AccessToken: LIFETIME, AuthorizationCode: LIFETIME, Grant: LIFETIME },
  features: { devInteractions: { enabled: false } },
})
provider.silent = true

const issueCode = async (accountId: string): Promise<string> => {
  const client = await provider.Client.find(CLIENT.id)
  if (!client) throw new Error('the client is not registered')
  const grant = new provider.Grant({ accountId, clientId: CLIENT.id })
  grant.addOIDCScope('read write')
  const grantId = await grant.save()
  return new provider.AuthorizationCode({
    accountId,
    client,
    grantId,
    redirectUri: REDIRECT_URI,
    scope: 'read write',
    gty: 'authorization_code',
    codeChallenge: hash('sha256', VERIFIER, 'base64url'),
    codeChallengeMethod: 'S256',
  }).save()
}

/** Creates codes and returns the request bodies that exchange them. Deletes all earlier records. */
const prepare = async (count: number): Promise<string[]> => {
  records.clear()
  const bodies: string[] = []
  for (let n = 0; n < count; n++) {
    const code = await issueCode(`user-${n}`)
    bodies.push(
      new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        code_verifier: VERIFIER,
        redirect_uri: REDIRECT_URI,
      }).toString(),
    )
  }
  return bodies
}

const handle = provider.callback()
const server = createServer((request, response) => void handle(request, response))
server.listen(0, '127.0.0.1', () => {
  process.on('message', (count: number) => {
    void prepare(count).then(bodies => process.send?.(bodies))
  })
  process.on('SIGTERM', () => process.exit(0))
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
