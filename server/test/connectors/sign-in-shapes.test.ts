import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConnector } from '../../src/features/connectors/catalog/read-connector.ts'
import { makeToken } from '../../src/features/upstream/authorization-kinds/token-request/make-token.ts'
import { DETAILS } from '../support/sign-in-shapes/details.ts'
import { express } from '../support/sign-in-shapes/express.ts'
import { NOT_EXPRESSED, OTHER_KINDS, SHAPES } from '../support/sign-in-shapes/shapes.ts'
import { exampleValues, startStandIn } from '../support/sign-in-shapes/stand-in.ts'

const mistakesIn = ({ tenant, method }: ReturnType<typeof express>): string[] => {
  const file = {
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
  }
  const read = readConnector(JSON.stringify(file), 'acme.json', { places: {}, slug: 'acme', rules: true })
  return 'problems' in read ? read.problems.map(({ path, reason }) => `${path}: ${reason}`) : []
}

const isTokenRequest = ({ provider }: { provider: string }): boolean =>
  !Object.hasOwn(NOT_EXPRESSED, provider) && !Object.hasOwn(OTHER_KINDS, provider)

test('175 of 189 providers are expressed as token requests, and 2 by other kinds', () => {
  assert.equal(SHAPES.filter(isTokenRequest).length, 175)
  assert.equal(SHAPES.length - Object.keys(NOT_EXPRESSED).length, 177)
})

for (const shape of SHAPES.filter(isTokenRequest))
  test(`${shape.provider}: the token is requested as the provider expects it`, async () => {
    const { tenant, method } = express(shape, DETAILS[shape.provider] ?? {})
    assert.deepEqual(mistakesIn({ tenant, method }), [])
    const entered = exampleValues(method, tenant)
    const standIn = startStandIn(shape, method, entered)
    const moment = { now: new Date('2026-11-19T12:00:00Z'), id: '0197b8f0-5d5c-7000-8000-000000000001' }
    const made = await makeToken({ send: standIn.send, moment }, method, entered)
    assert.deepEqual(standIn.problems, [])
    assert.equal(made.kind, 'made', JSON.stringify(made))
    if (made.kind === 'made') standIn.checkToken(made.token)
  })
