// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { retentionSteps } from '../../src/retention.ts'
import {
  configureSignIn,
  createRawClient,
  type RawClient,
  type SignInService,
  startSignInService,
} from '../support/sign-in.ts'
import type { TestService } from '../support/test-service.ts'

const MAX_OPEN = 100
const ATTACKER = '198.51.100.7'

describe('open authorization requests of one network', () => {
  let t: TestService
  let stop: SignInService['stop']
  let client: RawClient
  before(async () => {
    ;({ t, stop } = await startSignInService({ TRUST_PROXY: 'loopback' }, { withJobs: false }))
    client = await createRawClient(t)
  })
  after(() => stop?.())

  const authorize = async (address: string, by = client): Promise<number> =>
    (await t.call('GET', by.authorizeUrl(), { key: null, headers: { 'x-forwarded-for': address } })).status
  const countRequests = async (): Promise<number> =>
    (await t.query<{ count: number }>('select count(*)::int as count from sign_in_requests'))[0]?.count ?? 0

  test('are limited per organization with 429, and other networks are not affected', async () => {
    for (let n = 0; n < MAX_OPEN; n++) assert.equal(await authorize(ATTACKER), 303)
    assert.equal(await authorize(ATTACKER), 429)
    assert.equal(await countRequests(), MAX_OPEN)
    assert.equal(await authorize('203.0.113.9'), 303)
    const other = await t.createOrganization('Other')
    const settings = (await t.call('GET', '/api/v1/sign-in')).body.identity_provider
    await configureSignIn(t, { issuer: settings.issuer } as never, {}, other.key)
    assert.equal(await authorize(ATTACKER, await createRawClient(t, other)), 303)
  })

  test('expired requests do not count, and the next retention run deletes them', async () => {
    await t.moveClock(15 * 60_000 + 1000)
    assert.equal(await authorize(ATTACKER), 303)
    const step = retentionSteps(t.service.features).find(({ name }) => name === 'sign-in requests')
    await step?.run()
    assert.equal(await countRequests(), 1)
  })

  test('addresses of networks are stored as keyed hashes only', async () => {
    const rows = await t.query<{ row: string }>('select to_jsonb(r)::text as row from sign_in_requests r')
    assert.ok(rows.length > 0 && rows.every(({ row }) => !row.includes(ATTACKER)))
  })
})
