import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OAuthMethod } from '@carabiner/contract'
import { Secret } from '../../core/secret.ts'
import type { Egress, EgressResponse } from '../../platform/egress/egress.ts'
import { OAuthError, type OAuthProvider, revokeToken } from './protocol.ts'

const provider: OAuthProvider = {
  method: {
    type: 'oauth2',
    authorization_endpoint: 'https://acme.example/authorize',
    token_endpoint: 'https://acme.example/token',
    client_authentication: 'client_secret_basic',
    pkce: 'S256',
    scopes: [],
    token_response: { ok: '/ok', error: '/error' },
    revocation: { style: 'request', endpoint: 'https://acme.example/revoke', ends: 'token' },
  } satisfies OAuthMethod,
  app: {
    id: 'acme',
    context: 'acme',
    clientId: 'id',
    clientSecret: new Secret('secret'),
    clientAuthentication: null,
    scopes: null,
  },
  revokedTokenErrors: ['token_revoked'],
}

const answering = (status: number, body: unknown): { egress: Egress } => {
  const answer: EgressResponse = { status, headers: {}, body: Buffer.from(body ? JSON.stringify(body) : '') }
  return { egress: { request: async () => answer } as unknown as Egress }
}
const revoke = async (status: number, body: unknown): Promise<string> => {
  try {
    await revokeToken(answering(status, body), provider, new Secret('token'))
    return 'revoked'
  } catch (error) {
    assert.ok(error instanceof OAuthError, String(error))
    return error.failure.kind
  }
}

test('revokeToken: succeeds only if the provider confirms it or no longer knows the token', async () => {
  for (const [status, body, outcome] of [
    [200, { ok: true, revoked: true }, 'revoked'],
    [204, null, 'revoked'],
    [200, { ok: false, error: 'token_revoked' }, 'revoked'],
    [404, { message: 'Not Found' }, 'revoked'],
    // Some providers return 200 for every token. A response that does not confirm the revocation is retried.
    [200, { ok: false, error: 'internal_error' }, 'exchange_failed'],
    [200, { ok: false }, 'exchange_failed'],
    [200, { error: 'unsupported_token_type' }, 'exchange_failed'],
    [429, { ok: false, error: 'ratelimited' }, 'exchange_failed'],
    [503, null, 'provider_unavailable'],
  ] as const)
    assert.equal(await revoke(status, body), outcome, JSON.stringify([status, body]))
})
