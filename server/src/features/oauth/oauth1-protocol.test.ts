import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../core/secret.ts'
import { type Egress, EgressError, type EgressRequest } from '../../platform/egress/egress.ts'
import { accessToken, authorizationAddress, checkConsumer, requestToken } from './oauth1-protocol.ts'
import { OAuthError } from './protocol.ts'

const provider = {
  method: {
    type: 'oauth1',
    request_token_endpoint: 'https://api.example/request',
    authorization_endpoint: 'https://example/authorize?lang=en',
    access_token_endpoint: 'https://api.example/access',
    extra_authorization_parameters: { oauth_callback: '{callback}' },
  },
  app: {
    id: 'x',
    context: 'x',
    clientId: 'consumer',
    clientSecret: new Secret('secret'),
    clientAuthentication: null,
    scopes: null,
  },
} as const
const CALLBACK = 'https://link.example/oauth/callback/x?state=s'
const requested = { token: new Secret('rt'), secret: new Secret('rs') }
const moment = { at: new Date(0), nonce: 'n' }

const outboundWith = (answer: { status?: number; body?: string } | EgressError) => {
  const sent: EgressRequest[] = []
  const request = async (outgoing: EgressRequest) => {
    sent.push(outgoing)
    if (answer instanceof EgressError) throw answer
    return { status: answer.status ?? 200, headers: {}, body: Buffer.from(answer.body ?? '') }
  }
  return { sent, outbound: { egress: { request } as unknown as Egress, moment } }
}

const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof OAuthError)
  return error.failure.kind
}

test('OAuth 1.0a: the callback is signed with the request for a token', async () => {
  const { sent, outbound } = outboundWith({ body: 'oauth_token=a&oauth_token_secret=b&x=y\n' })
  const { token, secret } = await requestToken(outbound, provider, CALLBACK)
  assert.deepEqual([token.reveal(), secret.reveal()], ['a', 'b'])
  assert.match(sent[0]?.headers?.authorization ?? '', /oauth_callback="https%3A%2F%2Flink\.example/)
})

test('OAuth 1.0a: the address of the sign-in keeps its query and has the token', () =>
  assert.equal(
    authorizationAddress(provider, requested, CALLBACK),
    `https://example/authorize?lang=en&oauth_callback=${encodeURIComponent(CALLBACK)}&oauth_token=rt`,
  ))

test('OAuth 1.0a: every failure of the provider has a reason', async () => {
  const cases: [Parameters<typeof outboundWith>[0], string][] = [
    [{ status: 401 }, 'invalid_grant'],
    [{ status: 403, body: 'oauth_token=a&oauth_token_secret=b' }, 'exchange_failed'],
    [{ status: 429 }, 'provider_unavailable'],
    [{ status: 502 }, 'provider_unavailable'],
    [{ status: 302, body: 'oauth_token=a&oauth_token_secret=b' }, 'exchange_failed'],
    [{ body: '{"oauth_token":"a"}' }, 'exchange_failed'],
    [{ body: `oauth_token=${'a'.repeat(5000)}&oauth_token_secret=b` }, 'exchange_failed'],
    [{ body: 'oauth_token=a%0ab&oauth_token_secret=b' }, 'exchange_failed'],
    [new EgressError('timeout', 'slow'), 'provider_timeout'],
    [new EgressError('unreachable', 'down'), 'provider_unavailable'],
    [new EgressError('too_large', 'huge'), 'provider_unavailable'],
  ]
  for (const [answer, kind] of cases)
    assert.equal(await failureOf(requestToken(outboundWith(answer).outbound, provider, CALLBACK)), kind)
})

test('OAuth 1.0a: a denial, another request token or no verifier is never exchanged', async () => {
  const { sent, outbound } = outboundWith({ body: 'oauth_token=a&oauth_token_secret=b' })
  const failure = (parameters: Record<string, string>) =>
    failureOf(accessToken(outbound, provider, { requested, parameters: new URLSearchParams(parameters) }))
  assert.equal(await failure({ denied: 'rt' }), 'denied')
  assert.equal(await failure({ oauth_token: 'rt', oauth_problem: 'permission_denied' }), 'denied')
  assert.equal(await failure({ error: 'access_denied' }), 'denied')
  assert.equal(await failure({ oauth_token: 'other', oauth_verifier: 'v' }), 'provider_error')
  assert.equal(await failure({ oauth_token: 'rt' }), 'provider_error')
  assert.equal(await failure({ oauth_token: 'rt', oauth_verifier: 'v'.repeat(5000) }), 'provider_error')
  assert.equal(sent.length, 0)
})

test('OAuth 1.0a: the check of a consumer distinguishes refusals from outages', async () => {
  const check = (answer: Parameters<typeof outboundWith>[0]) =>
    checkConsumer(outboundWith(answer).outbound, provider, CALLBACK)
  const body = 'oauth_token=a&oauth_token_secret=b'
  assert.equal((await check({ body })).kind, 'accepted')
  assert.equal((await check({ status: 401 })).kind, 'rejected')
  assert.equal((await check({ status: 400 })).kind, 'unknown')
  assert.equal((await check(new EgressError('timeout', 'slow'))).kind, 'unavailable')
})
