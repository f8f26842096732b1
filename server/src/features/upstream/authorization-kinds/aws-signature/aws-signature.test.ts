import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inspect } from 'node:util'
import { AWS_KEY, startAwsStandIn } from '../../../../../test/support/aws-stand-in.ts'
import { Secret } from '../../../../core/secret.ts'
import { allowLoopback, createEgress } from '../../../../platform/egress/egress.ts'
import { callHttpTool } from '../../http/http-tool.ts'
import { fetchAccount } from '../../http/identity.ts'
import { authorizeRequest, type CredentialSecret, fromPlain, toPlain } from '../authorization-kinds.ts'
import { awsSignature } from './aws-signature.ts'

const secretWith = (secretAccessKey: string, sessionToken: string | null = null): CredentialSecret => ({
  kind: 'aws_signature',
  tenant: {},
  accessKeyId: AWS_KEY.id,
  secretAccessKey: new Secret(secretAccessKey),
  sessionToken: sessionToken === null ? null : new Secret(sessionToken),
})

describe('AWS signatures', () => {
  const egress = createEgress({ [allowLoopback]: true })
  let standIn: Awaited<ReturnType<typeof startAwsStandIn>>
  before(async () => {
    standIn = await startAwsStandIn()
  })
  after(async () => {
    await egress.close()
    standIn.stop()
  })

  const call = (args: Record<string, unknown> = {}, secret = secretWith(AWS_KEY.secret)) => {
    const { connector } = standIn
    return callHttpTool(
      { egress },
      { connector, tool: connector.tools[0]!, args, secret },
      { traceparent: 't' },
    )
  }

  it('are accepted by a provider that verifies them, for tools and the identity call', async () => {
    for (const prefix of ['a', "(it's) ü & more*", ''])
      assert.equal((await call({ prefix })).kind, 'result', prefix)
    const identity = await fetchAccount({ egress }, standIn.connector, secretWith(AWS_KEY.secret))
    assert.ok(identity.kind === 'account' && identity.accountId === '123456789012')
  })

  it('of another key are rejected, which the message says without the key', async () => {
    const answer = await call({}, secretWith('another-secret'))
    assert.equal(answer.kind, 'failed')
    assert.match(inspect(answer, { depth: 9 }), /does not match the signature you provided/)
    assert.doesNotMatch(inspect(answer, { depth: 9 }), /another-secret/)
    assert.deepEqual(await fetchAccount({ egress }, standIn.connector, secretWith('another-secret')), {
      kind: 'rejected',
      because: 'other',
    })
  })

  it('that are too old for the clock of the provider fail the call with its time, not the credential', async () => {
    standIn.setClockAhead(20 * 60_000)
    const answer = await call()
    standIn.setClockAhead(0)
    assert.equal(answer.kind, 'failed')
    assert.match(inspect(answer, { depth: 9 }), /Signature expired: \d{8}T\d{6}Z is now earlier than/)
  })

  it('cover the moment of each attempt', () => {
    const request = { method: 'GET', url: `${standIn.origin}/`, headers: {}, body: null }
    const dates = [0, 1000].map(
      time =>
        authorizeRequest(standIn.connector, secretWith('k'), request, { at: new Date(time), nonce: '' })
          .headers as Record<string, string>,
    )
    assert.deepEqual(
      dates.map(headers => headers['x-amz-date']),
      ['19700101T000000Z', '19700101T000001Z'],
    )
    assert.notEqual(dates[0]?.authorization, dates[1]?.authorization)
  })

  it('are made only for the origins of the connector', () => {
    const request = { method: 'GET', url: 'https://elsewhere.example/', headers: {}, body: null }
    assert.throws(() => authorizeRequest(standIn.connector, secretWith('k'), request), /must not be sent to/)
  })

  it('use the region and the service of the endpoint, with values of the tenant', () => {
    const connector = structuredClone(standIn.connector)
    connector.credential_origins = ['https://{tenant.region}.a.example', 'https://b.example']
    Object.assign(connector.authorization[0]!, {
      endpoints: [
        { origin: 'https://{tenant.region}.a.example', service: 's3', region: '{tenant.region}' },
        { origin: 'https://b.example', service: 'iam', region: 'us-east-1' },
      ],
    })
    const secret = { ...secretWith('k'), tenant: { region: 'eu-north-1' } }
    const scopeOf = (url: string) => {
      const request = { method: 'GET', url, headers: {} as Record<string, string>, body: null }
      const { headers } = authorizeRequest(connector, secret, request)
      return /Credential=[^/]+\/\d+\/([^,]+),/.exec(headers.authorization ?? '')?.[1]
    }
    assert.equal(scopeOf('https://eu-north-1.a.example/'), 'eu-north-1/s3/aws4_request')
    assert.equal(scopeOf('https://b.example/'), 'us-east-1/iam/aws4_request')
  })

  it('carry the token of a temporary key, which is stored, scrubbed and never printed', () => {
    const secret = secretWith('the-secret-key', 'the-session-token')
    const request = { method: 'GET', url: standIn.origin, headers: {} as Record<string, string>, body: null }
    const { headers } = authorizeRequest(standIn.connector, secret, request)
    assert.equal(headers['x-amz-security-token'], 'the-session-token')
    assert.match(headers.authorization ?? '', /SignedHeaders=[^,]*x-amz-security-token/)
    const plain = toPlain(secret)
    assert.deepEqual(toPlain(fromPlain(plain)), plain)
    assert.ok(secret.kind === 'aws_signature')
    assert.deepEqual(awsSignature.secretTexts(null, secret), ['the-secret-key', 'the-session-token'])
    assert.doesNotMatch(inspect(secret, { depth: 9 }) + JSON.stringify(secret), /the-se/)
  })

  it('are made from the fields of a form', async () => {
    const fields = { access_key_id: new Secret('ID'), secret_access_key: new Secret('S') }
    const made = await awsSignature.obtain!({ egress }, {} as never, { tenant: {}, fields })
    assert.ok(made.kind === 'obtained')
    assert.deepEqual(awsSignature.toPlain(made.secret), {
      kind: 'aws_signature',
      tenant: {},
      access_key_id: 'ID',
      secret_access_key: 'S',
      session_token: null,
    })
  })
})
