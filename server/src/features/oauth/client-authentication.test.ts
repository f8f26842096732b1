import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OAuthMethod } from '@carabiner/contract'
import { Secret } from '../../core/secret.ts'
import { clientAuthentication } from './client-authentication.ts'

type ClientAuthentication = OAuthMethod['client_authentication']

const sent = async (
  authMethod: ClientAuthentication,
  clientId: string,
  secret: string | null,
  agreed: ClientAuthentication | null = null,
) => {
  const app = {
    id: 'slack',
    context: 'slack',
    clientId,
    clientSecret: secret === null ? null : new Secret(secret),
    clientAuthentication: agreed,
    scopes: null,
  }
  const body = new URLSearchParams()
  const headers = new Headers()
  await clientAuthentication({ method: { client_authentication: authMethod }, app })(
    { issuer: 'https://a.example' },
    { client_id: clientId },
    body,
    headers,
  )
  const basic = headers.get('authorization')?.replace(/^Basic /, '') ?? null
  return {
    basic: basic === null ? null : Buffer.from(basic, 'base64').toString('utf8'),
    form: Object.fromEntries(body),
  }
}

test('HTTP Basic: common client IDs and secrets are sent unencoded, since many servers do not decode', async () => {
  for (const [id, secret] of [
    ['3336676.569200954261', 'ABCDEF0123'],
    ['1d2d872b-594c-804e-8cdc-0037ad1f1b2e', 'secret_a-b_c.d~e'],
  ] as const)
    assert.deepEqual(await sent('client_secret_basic', id, secret), { basic: `${id}:${secret}`, form: {} })
})

test('HTTP Basic: characters with a special meaning are encoded', async () => {
  const { basic } = await sent('client_secret_basic', 'a:b', 'p+q r/s=t%u&é')
  assert.equal(basic, 'a%3Ab:p%2Bq+r%2Fs%3Dt%25u%26%C3%A9')
})

test('client_secret_post: the form has ID and secret, and only the ID for a public client', async () => {
  const form = { client_id: 'id', client_secret: 's' }
  assert.deepEqual(await sent('client_secret_post', 'id', 's'), { basic: null, form })
  assert.deepEqual(await sent('client_secret_basic', 'id', 's', 'client_secret_post'), { basic: null, form })
  for (const [authMethod, secret] of [
    ['none', 's'],
    ['client_secret_basic', null],
  ] as const)
    assert.deepEqual(await sent(authMethod, 'id', secret), { basic: null, form: { client_id: 'id' } })
})
