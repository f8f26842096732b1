import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { fingerprint } from '../src/fingerprint.ts'
import { type GrantView, type Sandbox, startSandbox } from '../src/index.ts'
import { authorizeUrl, client, get, link, pkce, post, refresh, send, tokensOf } from './oauth-client.ts'

describe('scripted faults', () => {
  let sandbox: Sandbox
  let items: string
  before(async () => {
    sandbox = await startSandbox({ client })
    items = `${sandbox.url}/vault/api/items`
  })
  afterEach(() => sandbox.clearFaults())
  after(() => sandbox.close())

  const call = (signal?: AbortSignal) =>
    fetch(items, {
      headers: { authorization: `Bearer ${sandbox.vaultKeys.ana}` },
      ...(signal ? { signal } : {}),
    })

  it('status: returns the scripted response the scripted number of times', async () => {
    sandbox.script({
      target: 'vault',
      behavior: 'status',
      status: 429,
      body: { error: 'slow_down' },
      times: 2,
    })
    for (let n = 0; n < 2; n++) {
      const response = await call()
      assert.deepEqual([response.status, await response.json()], [429, { error: 'slow_down' }])
    }
    assert.equal((await call()).status, 200)
  })

  it('status: sends the scripted headers', async () => {
    const headers = { 'retry-after': '7' }
    sandbox.script({ target: 'vault', behavior: 'status', status: 429, headers })
    assert.equal((await call()).headers.get('retry-after'), '7')
    assert.throws(() => sandbox.script({ target: 'vault', behavior: 'status', headers: { a: 1 } as never }))
  })

  it('applies faults in order, each to its own target', async () => {
    sandbox.script({ target: 'notes', behavior: 'status', status: 500 })
    sandbox.script({ target: 'vault', behavior: 'status', status: 502 })
    sandbox.script({ target: 'vault', behavior: 'status', status: 504 })
    assert.deepEqual([(await call()).status, (await call()).status, (await call()).status], [502, 504, 200])
  })

  it('slow: delays the real response', async () => {
    sandbox.script({ target: 'vault', behavior: 'slow', delay_ms: 150 })
    const startedAt = performance.now()
    assert.equal((await call()).status, 200)
    assert.ok(performance.now() - startedAt >= 145)
  })

  it('every fault: can be delayed', async () => {
    sandbox.script({ target: 'vault', behavior: 'status', status: 502, delay_ms: 150 })
    const startedAt = performance.now()
    assert.equal((await call()).status, 502)
    assert.ok(performance.now() - startedAt >= 145)
  })

  it('hang: sends no response until the client disconnects', async () => {
    sandbox.script({ target: 'vault', behavior: 'hang' })
    await assert.rejects(call(AbortSignal.timeout(150)), { name: 'TimeoutError' })
    assert.equal((await call()).status, 200)
  })

  it('malformed: sends invalid JSON', async () => {
    sandbox.script({ target: 'vault', behavior: 'malformed' })
    const response = await call()
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    await assert.rejects(response.json(), SyntaxError)
  })

  it('huge: sends the scripted number of bytes', async () => {
    sandbox.script({ target: 'vault', behavior: 'huge', bytes: 3_000_000 })
    assert.equal((await (await call()).arrayBuffer()).byteLength, 3_000_000)
  })

  it('huge: stops when the client disconnects', async () => {
    sandbox.script({ target: 'vault', behavior: 'huge', bytes: 1024 ** 3 })
    const response = await call()
    await response.body?.getReader().cancel()
    assert.equal((await call()).status, 200)
  })

  it('reset: resets the connection', async () => {
    sandbox.script({ target: 'vault', behavior: 'reset' })
    await assert.rejects(call(), TypeError)
  })

  it('late: responds after the request was processed', async () => {
    const tokens = await link(sandbox)
    sandbox.script({ target: 'token', behavior: 'late', delay_ms: 500 })
    let hasResponse = false
    const pending = refresh(sandbox.url, tokens.refresh_token).finally(() => (hasResponse = true))
    while (!sandbox.ledger.some(({ kind, outcome }) => kind === 'refresh' && outcome === 'ok'))
      await new Promise(resolve => setTimeout(resolve, 5))
    assert.equal(hasResponse, false, 'the token is used before the response is sent')
    const { access_token } = tokensOf(await pending)
    assert.equal((await get(`${sandbox.url}/notes/api/me`, access_token)).status, 200)
  })

  it('lost: processes the request without a response', async () => {
    const tokens = await link(sandbox)
    sandbox.script({ target: 'token', behavior: 'lost' })
    await assert.rejects(refresh(sandbox.url, tokens.refresh_token), TypeError)
    assert.equal((await refresh(sandbox.url, tokens.refresh_token)).status, 400, 'the token was used')
  })

  it('redirect: sends the scripted location', async () => {
    sandbox.script({ target: 'authorize', behavior: 'redirect', location: 'http://169.254.169.254/' })
    const response = await fetch(authorizeUrl(sandbox.url, pkce().challenge), { redirect: 'manual' })
    assert.deepEqual([response.status, response.headers.get('location')], [302, 'http://169.254.169.254/'])
  })

  it('applies to the OAuth endpoints, without calling them', async () => {
    const tokens = await link(sandbox)
    sandbox.script({ target: 'token', behavior: 'status', status: 503 })
    sandbox.script({ target: 'revoke', behavior: 'status', status: 500 })
    sandbox.script({ target: 'userinfo', behavior: 'status', status: 500 })
    assert.equal((await refresh(sandbox.url, tokens.refresh_token)).status, 503)
    assert.equal((await post(`${sandbox.url}/oauth/revoke`, { token: tokens.access_token })).status, 500)
    assert.equal((await get(`${sandbox.url}/oauth/userinfo`, tokens.access_token)).status, 500)
    // The refresh token was not used, and nothing was revoked.
    assert.equal((await refresh(sandbox.url, tokens.refresh_token)).status, 200)
  })

  it('are scripted and cleared over HTTP', async () => {
    const faults = `${sandbox.url}/_control/faults`
    const fault = { target: 'vault', behavior: 'status', status: 418, times: 3 }
    const added = await send(faults, 'POST', fault)
    assert.deepEqual(added.body.faults, [fault])
    assert.equal((await call()).status, 418)
    await send(faults, 'POST', { ...fault, status: 451 })
    await send(`${faults}?id=${String(added.body.id)}`, 'DELETE')
    assert.equal((await call()).status, 451, 'the other fault remains')
    await send(faults, 'DELETE')
    assert.equal((await call()).status, 200)
    for (const invalid of [
      {},
      { target: 'vault', behavior: 'redirect' },
      { ...fault, times: 0 },
      { ...fault, target: 'x' },
    ]) {
      assert.equal((await send(faults, 'POST', invalid)).status, 400)
    }
    const plain = await fetch(faults, { method: 'POST', body: JSON.stringify(fault) })
    assert.equal(plain.status, 415, 'a page in the browser cannot script faults')
  })
})

describe('access tokens that expire early', () => {
  it('are rejected, and their refresh tokens issue new ones', async () => {
    await using sandbox = await startSandbox({ client })
    const tokens = await link(sandbox)
    const { body } = await send(`${sandbox.url}/_control/access-tokens`, 'DELETE')
    assert.deepEqual(
      (body.grants as GrantView[]).map(grant => grant.access_tokens),
      [0],
    )
    const me = `${sandbox.url}/notes/api/me`
    assert.equal((await get(me, tokens.access_token)).status, 401)
    const { access_token } = tokensOf(await refresh(sandbox.url, tokens.refresh_token))
    assert.equal((await get(me, access_token)).status, 200)
  })
})

describe('one grant', () => {
  const grants = async ({ url }: Sandbox) => (await send(`${url}/_control/grants`, 'GET')).body.grants
  const me = ({ url }: Sandbox, token: string) => get(`${url}/notes/api/me`, token)

  it('is revoked with its tokens, and other grants remain', async () => {
    await using sandbox = await startSandbox({ client })
    const [first, second] = [await link(sandbox), await link(sandbox)]
    const [{ id } = { id: '' }] = (await grants(sandbox)) as GrantView[]
    await send(`${sandbox.url}/_control/grants?grant=${id}`, 'DELETE')
    assert.equal((await me(sandbox, first.access_token)).status, 401)
    assert.equal((await refresh(sandbox.url, first.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await me(sandbox, second.access_token)).status, 200)
  })

  it('is rejected by the APIs even after a refresh, and other grants remain', async () => {
    await using sandbox = await startSandbox({ client })
    const [first, second] = [await link(sandbox), await link(sandbox)]
    const [{ id } = { id: '' }] = (await grants(sandbox)) as GrantView[]
    await send(`${sandbox.url}/_control/grants/reject?grant=${id}`, 'POST', {})
    const { access_token } = tokensOf(await refresh(sandbox.url, first.refresh_token))
    assert.equal((await me(sandbox, access_token)).status, 401)
    assert.equal((await me(sandbox, second.access_token)).status, 200)
  })
})

describe('the ledger', () => {
  it('records what reached the provider, and never a token', async () => {
    await using sandbox = await startSandbox({ client })
    const first = await link(sandbox, { untick: ['notes:write'] })
    const second = tokensOf(await refresh(sandbox.url, first.refresh_token))
    await get(`${sandbox.url}/notes/api/notes`, second.access_token)
    await send(`${sandbox.url}/notes/api/notes`, 'POST', { title: 'x', text: '' }, second.access_token)
    await get(`${sandbox.url}/vault/api/me`, sandbox.vaultKeys.ben)
    sandbox.script({ target: 'token', behavior: 'status', status: 503 })
    await refresh(sandbox.url, second.refresh_token)
    await post(`${sandbox.url}/oauth/revoke`, { token: second.refresh_token })
    await get(`${sandbox.url}/notes/api/me`, second.access_token)

    assert.deepEqual(
      sandbox.ledger.map(({ kind, account, outcome }) => [kind, account, outcome]),
      [
        ['authorize', 'ana', 'ok'],
        ['token', 'ana', 'ok'],
        ['refresh', 'ana', 'ok'],
        ['notes.list', 'ana', 'ok'],
        ['notes.create', 'ana', 'refused'],
        ['vault.me', 'ben', 'ok'],
        ['refresh', null, 'fault'],
        ['revoke', 'ana', 'ok'],
        ['notes.me', null, 'refused'],
      ],
    )
    const [authorize, , renewed, list, , , fault, revoke] = sandbox.ledger
    assert.deepEqual(authorize?.detail?.requested, ['notes:read', 'notes:write'])
    assert.deepEqual(authorize?.detail?.granted, ['notes:read'])
    assert.equal(renewed?.detail?.token_fingerprint, fingerprint(first.refresh_token))
    assert.equal(list?.detail?.token_fingerprint, fingerprint(second.access_token))
    assert.equal(fault?.detail?.token_fingerprint, fingerprint(second.refresh_token))
    assert.deepEqual(revoke?.detail, {
      status: 200,
      client_id: 'orbit',
      found: true,
      token_kind: 'refresh_token',
      token_fingerprint: fingerprint(second.refresh_token),
    })

    const ledgerText = JSON.stringify(await get(`${sandbox.url}/_control/ledger`))
    const { ana, ben } = sandbox.vaultKeys
    const secrets = [...Object.values(first), ...Object.values(second)].filter(
      value => typeof value === 'string' && value.length > 30,
    )
    assert.equal(secrets.length, 4)
    for (const secret of [...secrets, ana, ben]) assert.ok(!ledgerText.includes(String(secret)))
  })

  it('filters by kind and is cleared over HTTP', async () => {
    await using sandbox = await startSandbox({ client })
    const ledger = `${sandbox.url}/_control/ledger`
    await get(`${sandbox.url}/vault/api/me`, sandbox.vaultKeys.ana)
    await get(`${sandbox.url}/vault/api/items`, 'wrong')
    const { body } = await get(`${ledger}?kind=vault.items`)
    assert.ok(Array.isArray(body.entries))
    assert.deepEqual(
      body.entries.map(({ kind, outcome }) => [kind, outcome]),
      [['vault.items', 'refused']],
    )
    await send(ledger, 'DELETE')
    assert.equal(sandbox.ledger.length, 0)
  })

  it('records a rejection at the authorization endpoint', async () => {
    await using sandbox = await startSandbox({ client })
    await fetch(authorizeUrl(sandbox.url, 'short'), { redirect: 'manual' })
    assert.deepEqual(
      sandbox.ledger.map(({ kind, outcome, detail }) => [kind, outcome, detail?.error]),
      [['authorize', 'refused', 'invalid_request']],
    )
  })
})
