// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { SignJWT } from 'jose'
import {
  callWithToken,
  configureSignIn,
  createRawClient,
  IDP_CLIENT,
  issuerOf,
  type RawClient,
  redirectUrisOf,
  resourceOf,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/sign-in.ts'
import { joinTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

describe('enterprise-managed authorization: assertions of the identity provider', () => {
  let t: TestService
  let other: TestOrganization
  let provider: TestIdentityProvider
  let client: RawClient
  const settings = (accept_assertions: boolean) => ({
    identity_provider: {
      issuer: provider.issuer,
      client_id: IDP_CLIENT.id,
      client_secret: IDP_CLIENT.secret,
      accept_assertions,
    },
  })
  before(async () => {
    t = await joinTestService()
    other = await t.createOrganization('Other')
    provider = await startIdentityProvider(redirectUrisOf(t))
    await configureSignIn(t, provider, settings(true))
    await configureSignIn(t, provider, {}, other.key)
    client = await createRawClient(t)
  })
  after(async () => {
    await provider.stop()
    await t.stop()
  })

  const now = () => Math.floor(Date.now() / 1000)
  const claims = (changes: Record<string, unknown> = {}) => ({
    sub: 'ana',
    aud: issuerOf(t),
    client_id: client.clientId,
    resource: resourceOf(t),
    jti: randomUUID(),
    iat: now(),
    exp: now() + 300,
    ...changes,
  })

  test('a valid assertion: an access token without a refresh token, for the user that it names', async () => {
    const answer = await client.assert(await provider.signAssertion(claims()))
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.refresh_token, undefined)
    assert.equal((await callWithToken(t, answer.body.access_token)).status, 200)
    const { body } = await t.call('GET', '/api/v1/registered-users?origin_user_id=ana')
    const grants = await t.call('GET', `/api/v1/registered-users/${body.data[0].id}/grants`)
    assert.equal(grants.body.data[0].client_name, 'Raw client')
  })

  test('an assertion works once, also for concurrent requests', async () => {
    const assertion = await provider.signAssertion(claims())
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.assert(assertion)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test('an assertion for another audience, client, resource or issuer, or with a wrong type or time: invalid_grant', async () => {
    const foreign = await createRawClient(t, other)
    for (const changes of [
      { aud: issuerOf(t, other) },
      { aud: [issuerOf(t), issuerOf(t, other)] },
      { aud: resourceOf(t) },
      { client_id: foreign.clientId },
      { client_id: undefined },
      { resource: resourceOf(t, t.organization, 'test') },
      { resource: undefined },
      { iss: 'https://evil.example' },
      { exp: now() - 60 },
      { exp: undefined },
      { iat: now() - 3600 },
      { iat: undefined },
      { jti: undefined },
      { sub: '' },
      { sub: undefined },
    ]) {
      const answer = await client.assert(await provider.signAssertion(claims(changes)))
      assert.equal(answer.body.error, 'invalid_grant', JSON.stringify(changes))
    }
    for (const typ of ['JWT', 'at+jwt', undefined])
      assert.equal(
        (await client.assert(await provider.signAssertion(claims(), { typ } as { typ: string }))).body.error,
        'invalid_grant',
      )
  })

  test('an assertion with another key, a shared secret, no signature, or no JWT: invalid_grant', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const header = { typ: 'oauth-id-jag+jwt' }
    const payload = { iss: provider.issuer, ...claims() }
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const assertion of [
      await new SignJWT(payload).setProtectedHeader({ ...header, alg: 'RS256' }).sign(privateKey),
      await new SignJWT(payload)
        .setProtectedHeader({ ...header, alg: 'HS256' })
        .sign(new TextEncoder().encode(IDP_CLIENT.secret.padEnd(32, '.'))),
      `${encoded({ ...header, alg: 'none' })}.${encoded(payload)}.`,
      'x',
      'a.b.c',
    ])
      assert.equal((await client.assert(assertion)).body.error, 'invalid_grant')
  })

  test('an assertion for a person who cannot be a user: one event with the cause, also if it is repeated', async () => {
    await configureSignIn(t, provider, { ...settings(true), create_users: false })
    try {
      const assertion = await provider.signAssertion(claims({ sub: 'nobody' }))
      for (let n = 0; n < 2; n++) assert.equal((await client.assert(assertion)).body.error, 'invalid_grant')
    } finally {
      await configureSignIn(t, provider, settings(true))
    }
    const causes = (await t.events())
      .filter(({ type }) => type === 'client_authorization.rejected')
      .map(({ payload }) => payload.cause)
    assert.equal(causes.filter(cause => cause === 'user_not_found').length, 1)
  })

  test('an organization that does not accept assertions: invalid_grant', async () => {
    await configureSignIn(t, provider, settings(false))
    try {
      assert.equal((await client.assert(await provider.signAssertion(claims()))).body.error, 'invalid_grant')
    } finally {
      await configureSignIn(t, provider, settings(true))
    }
  })

  test('an unreachable provider: temporarily_unavailable', async () => {
    const assertion = await provider.signAssertion(claims())
    await t.query(`update sign_in_settings set issuer = 'http://127.0.0.1:9' where organization_id = $1`, [
      t.organization.id,
    ])
    try {
      const answer = await client.assert(assertion)
      assert.equal(answer.status, 503)
      assert.equal(answer.body.error, 'temporarily_unavailable')
    } finally {
      await configureSignIn(t, provider, settings(true))
    }
  })
})
