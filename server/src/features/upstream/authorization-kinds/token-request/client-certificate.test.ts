import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TokenRequestMethod } from '@carabiner/contract'
import { createCertificate } from '../../../../../test/support/certificates.ts'
import { Secret } from '../../../../core/secret.ts'
import { type Egress, EgressError, type EgressRequest } from '../../../../platform/egress/egress.ts'
import { tokenRequest } from './token-request.ts'

const method: TokenRequestMethod = {
  type: 'token_request',
  fields: [
    { name: 'certificate', label: 'C', secret: false, client_certificate: { private_key: 'key' } },
    { name: 'key', label: 'K', secret: true, private_key: { type: 'p256' } },
  ],
  token_origins: ['https://a.example'],
  requests: [{ url: 'https://a.example/token', values: { token: '/access_token' } }],
  token: { value: '{value.token}', lifetime_seconds: 3600 },
}

const renewWith = (validDays: number, answer: { status: number; body: object } | EgressError) => {
  const { certificate, privateKey } = createCertificate('client', { validDays })
  const sent: EgressRequest[] = []
  const request = async (outgoing: EgressRequest) => {
    sent.push(outgoing)
    if (answer instanceof EgressError) throw answer
    return { status: answer.status, headers: {}, body: Buffer.from(JSON.stringify(answer.body)) }
  }
  const secret = {
    kind: 'token_request',
    tenant: {},
    fields: { certificate: new Secret(certificate), key: new Secret(privateKey) },
    token: new Secret('old'),
    values: {},
  } as const
  const { renewal } = tokenRequest
  assert.ok(renewal?.by === 'own_request')
  const renewed = renewal.renew({ egress: { request } as unknown as Egress }, method, secret)
  return { renewed, sent, certificate }
}

const REFUSED_IN_TLS = new EgressError('unreachable', 'a.example cannot be reached.')
const ISSUED = { status: 200, body: { access_token: 'new' } }

test('client certificates: a new token has the end of the certificate', async () => {
  const { renewed, sent, certificate } = renewWith(30, ISSUED)
  const made = await renewed
  assert.ok(made.kind === 'obtained' && made.endsInSeconds)
  assert.ok(Math.abs(made.endsInSeconds - 30 * 86_400) < 60)
  assert.equal(sent[0]?.clientCertificate?.certificate, certificate)
})

test('client certificates: a provider that cannot be reached does not end a credential whose certificate is valid', async () =>
  assert.deepEqual(await renewWith(30, REFUSED_IN_TLS).renewed, { kind: 'unavailable', timedOut: false }))

test('client certificates: a failure with an expired certificate ends the credential', async () => {
  for (const failure of [REFUSED_IN_TLS, { status: 401, body: {} }, { status: 500, body: {} }])
    assert.deepEqual(await renewWith(-1, failure).renewed, { kind: 'rejected' })
})

test('client certificates: a provider that still accepts an expired certificate keeps the credential', async () =>
  assert.equal((await renewWith(-1, ISSUED).renewed).kind, 'obtained'))
