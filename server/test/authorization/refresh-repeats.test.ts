// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { flowEngines } from '../support/databases.ts'
import {
  callWithToken,
  createRawClient,
  type RawClient,
  type SignInService,
  signInForTokens,
  startSignInService,
} from '../support/sign-in.ts'
import type { TestService } from '../support/test-service.ts'

const REPEAT_MS = 30_000
/** The first use and three repetitions. */
const MAX_USES = 4

for (const engine of flowEngines)
  describe(`repeated use of a refresh token (${engine})`, () => {
    let t: TestService
    let stop: SignInService['stop']
    let client: RawClient
    before(async () => {
      ;({ t, stop } = await startSignInService({}, {}, engine))
      client = await createRawClient(t)
      // A clock that stands still, so that no assertion depends on the speed of the machine.
      await t.query('create table stopped_clock as select app_now() as at')
      await t.query(`create or replace function app_now() returns timestamptz language sql stable
        as $$ select at from stopped_clock $$`)
    })
    after(() => stop?.())

    const moveTime = (milliseconds: number) =>
      t.query(`update stopped_clock set at = at + $1 * interval '1 millisecond'`, [milliseconds])
    const endingOf = async (login: string): Promise<string | undefined> => {
      const { body } = await t.call('GET', `/api/v1/registered-users?origin_user_id=${login}`)
      return (await t.events(body.data[0].id)).findLast(({ type }) => type === 'grant.revoked')?.payload
        .reason
    }
    const requireEnded = async (login: string, tokens: { access_token: string; refresh_token: string }) => {
      assert.equal((await callWithToken(t, tokens.access_token)).status, 401)
      assert.equal((await client.refresh(tokens.refresh_token)).body.error, 'invalid_grant')
      assert.equal(await endingOf(login), 'refresh_token_reused')
    }

    test('parallel refreshes: each gets a pair of tokens that work, and the grant continues', async () => {
      const first = await signInForTokens(client, 'parallel')
      const answers = await Promise.all(
        Array.from({ length: MAX_USES }, () => client.refresh(first.refresh_token)),
      )
      for (const { status, text, body } of answers) {
        assert.equal(status, 200, text)
        assert.equal((await callWithToken(t, body.access_token)).status, 200)
        assert.equal((await client.refresh(body.refresh_token)).status, 200)
      }
      assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, MAX_USES)
      assert.equal(await endingOf('parallel'), undefined)
    })

    test('more parallel refreshes than allowed: exactly four succeed, and the grant ends', async () => {
      const first = await signInForTokens(client, 'many')
      const answers = await Promise.all(Array.from({ length: 12 }, () => client.refresh(first.refresh_token)))
      const issued = answers.filter(({ status }) => status === 200)
      assert.equal(issued.length, MAX_USES)
      for (const { body } of issued) await requireEnded('many', body)
    })

    test('a repetition just before 30 seconds have passed is accepted, one at 30 seconds ends the grant', async () => {
      const first = await signInForTokens(client, 'late')
      assert.equal((await client.refresh(first.refresh_token)).status, 200)
      await moveTime(REPEAT_MS - 1)
      const repeated = await client.refresh(first.refresh_token)
      assert.equal(repeated.status, 200)
      await moveTime(1)
      assert.equal((await client.refresh(first.refresh_token)).body.error, 'invalid_grant')
      await requireEnded('late', repeated.body)
    })

    test('another client that presents a used token ends the grant at once', async () => {
      const first = await signInForTokens(client, 'stolen')
      const next = await client.refresh(first.refresh_token)
      const thief = await createRawClient(t, t.organization, { name: 'Thief' })
      assert.equal((await thief.refresh(first.refresh_token)).body.error, 'invalid_grant')
      await requireEnded('stolen', next.body)
    })

    test('another client that presents an unused token gets nothing, and the grant continues', async () => {
      const first = await signInForTokens(client, 'guessed')
      const thief = await createRawClient(t, t.organization, { name: 'Thief' })
      assert.equal((await thief.refresh(first.refresh_token)).body.error, 'invalid_grant')
      assert.equal((await client.refresh(first.refresh_token)).status, 200)
    })

    test('a repetition that is rejected for another reason does not end the grant', async () => {
      const first = await signInForTokens(client, 'paused')
      await client.refresh(first.refresh_token)
      const pack = await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Other' } })
      const resource = `${t.baseUrl}/mcp/${pack.body.handle}`
      assert.equal((await client.refresh(first.refresh_token, { resource })).body.error, 'invalid_grant')
      assert.equal((await client.refresh(first.refresh_token)).status, 200)
    })
  })
