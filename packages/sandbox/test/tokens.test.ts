import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Sandbox, startSandbox } from '../src/index.ts'
import { basic, client, get, link, post, refresh, tokensOf } from './oauth-client.ts'

describe('tokens', () => {
  let sandbox: Sandbox
  let me: string
  before(async () => {
    sandbox = await startSandbox({ client })
    me = `${sandbox.url}/notes/api/me`
  })
  after(() => sandbox.close())

  const grants = async (id = client.id) => {
    const { body } = await get(`${sandbox.url}/_control/grants`)
    assert.ok(Array.isArray(body.grants))
    return body.grants.filter(grant => grant.client_id === id)
  }

  it('rotates the refresh token and reports the scopes again', async () => {
    const first = await link(sandbox)
    const second = tokensOf(await refresh(sandbox.url, first.refresh_token))
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.notEqual(second.access_token, first.access_token)
    assert.equal(second.scope, 'notes:read notes:write')
    const third = tokensOf(await refresh(sandbox.url, second.refresh_token))
    assert.equal((await get(me, third.access_token)).status, 200)
  })

  it('revokes the token family when a used refresh token is reused', async () => {
    const first = await link(sandbox)
    const second = tokensOf(await refresh(sandbox.url, first.refresh_token))
    const reuse = await refresh(sandbox.url, first.refresh_token)
    assert.deepEqual([reuse.status, reuse.body.error], [400, 'invalid_grant'])
    assert.equal((await get(me, second.access_token)).status, 401)
    assert.equal((await get(me, first.access_token)).status, 401)
    assert.equal((await refresh(sandbox.url, second.refresh_token)).body.error, 'invalid_grant')
  })

  it('accepts at most one of two concurrent refreshes, and then revokes the family', async () => {
    const { refresh_token } = await link(sandbox)
    const replies = await Promise.all([
      refresh(sandbox.url, refresh_token),
      refresh(sandbox.url, refresh_token),
    ])
    const winners = replies.filter(({ status }) => status === 200)
    assert.ok(winners.length <= 1)
    for (const winner of winners) {
      assert.equal((await get(me, tokensOf(winner).access_token)).status, 401)
    }
  })

  for (const kind of ['refresh_token', 'access_token'] as const) {
    it(`revokes the grant and both tokens when the ${kind} is revoked`, async () => {
      const other = await link(sandbox)
      const tokens = await link(sandbox)
      const activeBefore = (await grants()).filter(grant => grant.active).length
      const { status } = await post(`${sandbox.url}/oauth/revoke`, {
        token: tokens[kind],
        token_type_hint: kind,
      })
      assert.equal(status, 200)
      assert.equal((await get(me, tokens.access_token)).status, 401)
      assert.equal((await refresh(sandbox.url, tokens.refresh_token)).body.error, 'invalid_grant')
      assert.equal((await grants()).filter(grant => grant.active).length, activeBefore - 1)
      // The other grant of the same user stays active.
      assert.equal((await get(me, other.access_token)).status, 200)
    })
  }

  it('responds 200 for an unknown token, and 401 to an unknown client', async () => {
    assert.equal((await post(`${sandbox.url}/oauth/revoke`, { token: 'unknown' })).status, 200)
    const wrongSecret = basic({ id: client.id, secret: 'wrong' })
    const { status, body } = await post(`${sandbox.url}/oauth/revoke`, { token: 'x' }, wrongSecret)
    assert.deepEqual([status, body.error], [401, 'invalid_client'])
  })

  it('accepts the client secret in the body and by Basic', async () => {
    const { refresh_token } = await link(sandbox)
    const form = {
      grant_type: 'refresh_token',
      refresh_token,
      client_id: client.id,
      client_secret: client.secret,
    }
    assert.equal((await post(`${sandbox.url}/oauth/token`, form, '')).status, 200)
  })

  it('expires access tokens on time, and keeps the refresh token', async () => {
    await using short = await startSandbox({ client, accessTokenSeconds: 2 })
    const tokens = await link(short)
    assert.equal(tokens.expires_in, 2)
    assert.equal((await get(`${short.url}/notes/api/me`, tokens.access_token)).status, 200)
    await delay(2_050)
    const expired = await get(`${short.url}/notes/api/me`, tokens.access_token)
    assert.equal(expired.status, 401)
    assert.match(expired.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
    const renewed = tokensOf(await refresh(short.url, tokens.refresh_token))
    assert.equal((await get(`${short.url}/notes/api/me`, renewed.access_token)).status, 200)
  })

  it('shares nothing with another sandbox in the same process', async () => {
    await using other = await startSandbox({ client })
    const { access_token } = await link(sandbox)
    assert.equal((await get(`${other.url}/notes/api/me`, access_token)).status, 401)
    assert.notEqual(other.vaultKeys.ana, sandbox.vaultKeys.ana)
    assert.equal(other.ledger.filter(entry => entry.kind === 'token').length, 0)
  })
})
