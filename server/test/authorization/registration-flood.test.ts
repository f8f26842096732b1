// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  callWithToken,
  createRawClient,
  issuerOf,
  REDIRECT_URI,
  type SignInService,
  signInForTokens,
  startSignInService,
} from '../support/sign-in.ts'
import type { Answer, TestService } from '../support/test-service.ts'

const ATTACKER = '198.51.100.7'
const MAX_REGISTRATIONS = 300
const BATCH = 50
/** Ends the flood if it is not limited. */
const MAX_BATCHES = 20

describe('flood of dynamic registrations from one network', () => {
  let t: TestService
  let stop: SignInService['stop']
  before(async () => {
    // A job would change rows between the two counts.
    ;({ t, stop } = await startSignInService({ TRUST_PROXY: 'loopback' }, { withJobs: false }))
  })
  after(() => stop?.())

  const register = (address: string, name = 'Flood') =>
    t.call('POST', `${issuerOf(t)}/register`, {
      key: null,
      headers: { 'x-forwarded-for': address },
      body: { client_name: name, redirect_uris: [REDIRECT_URI] },
    })

  /** The number of rows of every table. */
  const countRows = async (): Promise<Record<string, number>> => {
    const tables = await t.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    )
    const counts: Record<string, number> = {}
    for (const { name } of tables)
      counts[name] =
        (await t.query<{ rows: number }>(`select count(*)::int as rows from ${name}`))[0]?.rows ?? 0
    return counts
  }

  const flood = async (): Promise<Answer[]> => {
    const answers: Answer[] = []
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const names = Array.from({ length: BATCH }, (_, n) => `Flood ${batch} ${n}`)
      answers.push(...(await Promise.all(names.map(name => register(ATTACKER, name)))))
      if (answers.some(({ status }) => status === 429)) break
    }
    return answers
  }

  test('is limited with 429 and Retry-After, and stores nothing', async () => {
    const earlier = await countRows()
    assert.ok(Object.keys(earlier).length > 20)
    const answers = await flood()
    const accepted = answers.filter(({ status }) => status === 201)
    const rejected = answers.filter(({ status }) => status === 429)
    assert.equal(accepted.length + rejected.length, answers.length)
    assert.ok(accepted.length >= MAX_REGISTRATIONS, String(accepted.length))
    assert.ok(rejected.length > 0)
    for (const { headers, body } of rejected) {
      const seconds = Number(headers.get('retry-after'))
      assert.ok(seconds >= 1 && seconds <= 60, String(seconds))
      assert.deepEqual(body, {
        error: 'temporarily_unavailable',
        error_description: 'Too many requests. Retry after the time in Retry-After.',
      })
    }
    assert.deepEqual(await countRows(), earlier)
  })

  test('does not limit tokens and sign-in of the same network', async () => {
    assert.ok((await flood()).some(({ status }) => status === 429))
    const client = await createRawClient(t)
    const headers = { 'x-forwarded-for': ATTACKER }
    const form = 'grant_type=refresh_token&refresh_token=unknown&client_id=unknown'
    const token = await t.call('POST', `${issuerOf(t)}/token`, {
      key: null,
      raw: form,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.deepEqual([token.status, token.body.error], [400, 'invalid_grant'])
    const page = await t.call('GET', client.authorizeUrl(), { key: null, headers })
    assert.equal(page.status, 303)
  })

  test('does not limit other networks: a client registers and signs in', async () => {
    assert.ok((await flood()).some(({ status }) => status === 429))
    assert.equal((await register('203.0.113.9', 'Legitimate')).status, 201)
    const { access_token } = await signInForTokens(await createRawClient(t))
    assert.equal((await callWithToken(t, access_token)).status, 200)
  })
})
