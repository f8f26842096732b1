import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AuthorizationMethod, ConnectorField, ConnectorFile } from '@carabiner/contract'
import { Secret } from '../../src/core/secret.ts'
import { readConnector } from '../../src/features/connectors/catalog/read-connector.ts'
import { accessToken, authorizationAddress, requestToken } from '../../src/features/oauth/oauth1-protocol.ts'
import {
  authorizeRequest,
  type CredentialSecret,
  obtainSecret,
  signingMoment,
} from '../../src/features/upstream/authorization-kinds/authorization-kinds.ts'
import { concealAll } from '../../src/features/upstream/secret-values.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../src/platform/egress/egress.ts'
import { DETAILS } from '../support/sign-in-shapes/details.ts'
import { express } from '../support/sign-in-shapes/express.ts'
import { withProviderTable } from '../support/sign-in-shapes/provider-table.ts'
import { NOT_EXPRESSED, OTHER_KINDS, SHAPES } from '../support/sign-in-shapes/shapes.ts'
import { OAUTH1, SIGNED } from '../support/sign-in-shapes/signed-kinds.ts'
import { exampleValues, startStandIn } from '../support/sign-in-shapes/stand-in.ts'
import { isSigned, oauthParameters, SCHEMES, type SignedRequest } from '../support/signature-vendor.ts'

const fileOf = (method: AuthorizationMethod, tenant: ConnectorField[] = []): ConnectorFile => ({
  slug: 'acme',
  name: 'Acme',
  summary: 'An account',
  categories: ['other'],
  documentation_url: 'https://acme.example/docs',
  ...(tenant.length > 0 && { tenant }),
  authorization: [method],
  // Calls use every value of the tenant.
  identity: {
    url: `https://acme.example/${tenant.map(({ name }) => `{tenant.${name}}`).join('/')}`,
    account: '/email',
  },
  credential_origins: ['https://acme.example'],
  tools: [],
})

const mistakesIn = (file: ConnectorFile): string[] => {
  const read = readConnector(JSON.stringify(file), 'acme.json', { places: {}, slug: 'acme', rules: true })
  return 'problems' in read ? read.problems.map(({ path, reason }) => `${path}: ${reason}`) : []
}

const egressOf = (request: (outgoing: EgressRequest) => Promise<EgressResponse>): Egress =>
  ({ request }) as unknown as Egress

const CALL = { method: 'POST', url: 'https://acme.example/things?a=b%20c', body: '{"text":"ü"}' }
const asReceived = ({ url, method, headers = {}, body }: EgressRequest): SignedRequest => ({
  method,
  url: new URL(url).pathname + new URL(url).search,
  headers: { ...headers, host: new URL(url).host },
  body: String(body ?? ''),
  scheme: 'https',
})
const receivedCall = (file: ConnectorFile, secret: CredentialSecret): SignedRequest => {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  return asReceived(authorizeRequest(file, secret, { ...CALL, headers }) as EgressRequest)
}

const isElsewhere = (provider: string): boolean =>
  [NOT_EXPRESSED, OTHER_KINDS, OAUTH1, SIGNED].some(kinds => Object.hasOwn(kinds, provider))
const TOKEN_REQUESTS = SHAPES.filter(({ provider }) => !isElsewhere(provider))

test('188 of 189 providers are expressed: 180 as token requests, 6 by other kinds here, 2 elsewhere', () => {
  const providers = SHAPES.map(({ provider }) => provider)
  assert.equal(new Set(providers).size, 189)
  assert.equal(TOKEN_REQUESTS.length, 180)
  for (const kinds of [OAUTH1, SIGNED, OTHER_KINDS, NOT_EXPRESSED])
    for (const provider of Object.keys(kinds)) assert.ok(providers.includes(provider), provider)
  assert.equal(Object.keys({ ...OAUTH1, ...SIGNED }).length, 6)
  assert.equal(Object.keys(OTHER_KINDS).length, 2)
  assert.equal(providers.length - Object.keys(NOT_EXPRESSED).length, 188)
})

for (const shape of TOKEN_REQUESTS)
  test(`${shape.provider}: the token is requested as the provider expects it`, async () => {
    const { tenant, method } = express(shape, DETAILS[shape.provider] ?? {})
    assert.deepEqual(mistakesIn(fileOf(method, tenant)), [])
    const entered = exampleValues(method, tenant)
    const standIn = startStandIn(shape, method, entered)
    const made = await obtainSecret(egressOf(standIn.send), method, {
      tenant: entered.tenant,
      fields: concealAll(entered.fields),
    })
    assert.deepEqual(standIn.problems, [])
    assert.ok(made.kind === 'obtained' && made.secret.kind === 'token_request', JSON.stringify(made))
    standIn.checkToken(made.secret.token.reveal())
    assert.deepEqual(standIn.problems, [])
  })

for (const [provider, { method, standIn }] of Object.entries(SIGNED))
  test(`${provider}: requests are signed as the provider expects it`, async () => {
    const file = fileOf(method)
    assert.deepEqual(mistakesIn(file), [])
    const scheme = SCHEMES[standIn]
    const { entered } = scheme
    const signWith = async (values: Record<string, string>) => {
      const made = await obtainSecret(
        egressOf(() => assert.fail('nothing is requested')),
        method,
        { tenant: {}, fields: concealAll(values) },
      )
      assert.ok(made.kind === 'obtained')
      return scheme.read(receivedCall(file, made.secret)).valid
    }
    assert.equal(await signWith(entered), true)
    for (const name of Object.keys(entered))
      assert.equal(await signWith({ ...entered, [name]: 'wrong' }), false, name)
  })

const APP = { id: 'x', context: 'x', clientId: 'C-1', clientAuthentication: null, scopes: null }
const CALLBACK = 'https://link.example/oauth/callback/x?state=s'

for (const [provider, method] of Object.entries(OAUTH1))
  test(`${provider}: the sign-in and the requests are signed as the provider expects it`, async () => {
    const file = fileOf(method)
    assert.deepEqual(mistakesIn(file), [])
    assert.equal(method.access_token_endpoint, SHAPES.find(shape => shape.provider === provider)?.token_url)
    const consumer = { consumer: 'C-1', consumerSecret: 'CS' }
    const expected = [
      { url: method.request_token_endpoint, keys: consumer, name: 'oauth_callback', value: CALLBACK },
      {
        url: method.access_token_endpoint,
        keys: { ...consumer, token: 'RT', tokenSecret: 'RS' },
        name: 'oauth_verifier',
        value: 'V',
      },
    ]
    const answers = ['oauth_token=RT&oauth_token_secret=RS', 'oauth_token=AT&oauth_token_secret=AS']
    const egress = egressOf(async outgoing => {
      const { url, keys, name, value } = expected.shift()!
      const request = asReceived(outgoing)
      const parameters = oauthParameters(request.headers.authorization)
      assert.equal(outgoing.url, url)
      assert.equal(parameters[name], value)
      const isRight = isSigned(request, parameters, 'HMAC-SHA1', keys)
      return { status: isRight ? 200 : 401, headers: {}, body: Buffer.from(answers.shift() ?? '') }
    })
    const outbound = () => ({ egress, moment: signingMoment() })
    const consumerProvider = { method, app: { ...APP, clientSecret: new Secret('CS') } }
    const requested = await requestToken(outbound(), consumerProvider, CALLBACK)
    const address = new URL(authorizationAddress(consumerProvider, requested, CALLBACK))
    assert.equal(address.origin + address.pathname, method.authorization_endpoint)
    assert.equal(address.searchParams.get('oauth_token'), 'RT')
    const parameters = new URLSearchParams({ oauth_token: 'RT', oauth_verifier: 'V' })
    const { token, secret } = await accessToken(outbound(), consumerProvider, { requested, parameters })
    const call = receivedCall(file, {
      kind: 'oauth1',
      tenant: {},
      consumerKey: 'C-1',
      consumerSecret: new Secret('CS'),
      token,
      tokenSecret: secret,
    })
    const signed = oauthParameters(call.headers.authorization)
    const keys = { ...consumer, token: 'AT', tokenSecret: 'AS' }
    assert.equal(isSigned(call, signed, 'HMAC-SHA1', keys), true)
    assert.equal(isSigned(call, signed, 'HMAC-SHA1', { ...keys, tokenSecret: 'x' }), false)
  })

test('the table of providers in the documentation is current', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/sign-in-kinds.md'), 'utf8')
  assert.equal(page, withProviderTable(page), 'run npm run docs:connectors')
})
