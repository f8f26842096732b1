import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Sandbox, startSandbox } from '../src/index.ts'
import { client, get, link, send } from './oauth-client.ts'

describe('the Notes and Vault APIs', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ client })
  })
  after(() => sandbox.close())

  const titles = async (bearer: string, search = '') => {
    const { body } = await get(`${sandbox.url}/notes/api/notes${search}`, bearer)
    assert.ok(Array.isArray(body.notes))
    return body.notes.map(note => String(note.title))
  }

  it('lists, searches, limits and creates notes, per account', async () => {
    const { access_token: ana } = await link(sandbox)
    const { access_token: ben } = await link(sandbox, { account: 'ben' })
    assert.equal((await titles(ana)).length, 3)
    const created = await send(
      `${sandbox.url}/notes/api/notes`,
      'POST',
      { title: 'Milk', text: 'Two litres' },
      ana,
    )
    assert.equal(created.status, 201)
    assert.deepEqual(Object.keys(created.body), ['id', 'title', 'text', 'updated_at'])
    assert.equal((await titles(ana))[0], 'Milk')
    assert.deepEqual(await titles(ana, '?query=LITRES'), ['Milk'])
    assert.equal((await titles(ana, '?limit=2')).length, 2)
    assert.equal((await titles(ben)).length, 3)
    assert.ok(!(await titles(ben)).includes('Milk'))
  })

  it('rejects invalid input with 400, and a large body with 413', async () => {
    const { access_token } = await link(sandbox)
    const notes = `${sandbox.url}/notes/api/notes`
    for (const body of [{}, { title: '', text: 'x' }, { title: 'x' }, [], 'text']) {
      assert.equal((await send(notes, 'POST', body, access_token)).status, 400, JSON.stringify(body))
    }
    assert.equal((await get(`${notes}?limit=0`, access_token)).status, 400)
    const large = { title: 'x', text: 'x'.repeat(70_000) }
    assert.equal((await send(notes, 'POST', large, access_token)).status, 413)
  })

  it('challenges a call without a token differently from one with an invalid token', async () => {
    const missing = await get(`${sandbox.url}/notes/api/me`)
    assert.deepEqual([missing.status, missing.headers.get('www-authenticate')], [401, 'Bearer realm="notes"'])
    const bad = await get(`${sandbox.url}/notes/api/me`, 'not-a-token')
    assert.match(bad.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
  })

  it('lists the sites of an account, and serves calls to those only', async () => {
    const sites = `${sandbox.url}/sites/api`
    const { access_token: ana } = await link(sandbox)
    const { access_token: ben } = await link(sandbox, { account: 'ben' })
    const ids = async (bearer: string) => {
      const response = await fetch(`${sites}/sites`, { headers: { authorization: `Bearer ${bearer}` } })
      return ((await response.json()) as { id: string }[]).map(({ id }) => id)
    }
    assert.deepEqual(await ids(ana), ['ruiz-studio', 'ruiz-studio', 'harbour-club', 'lisbon-2027'])
    assert.deepEqual(await ids(ben), ['okafor-and-sons'])
    const statusAt = async (path: string, bearer?: string) => (await get(`${sites}${path}`, bearer)).status
    assert.equal(await statusAt('/harbour-club/pages', ana), 200)
    assert.equal(await statusAt('/harbour-club/pages', ben), 404)
    assert.equal(await statusAt('/harbour-club/pages'), 401)
    assert.equal(await statusAt('/harbour-club/other', ana), 404)
  })

  it('requires notes:read for reading and notes:write for writing', async () => {
    const { access_token } = await link(sandbox, { extra: { scope: 'notes:write' } })
    assert.equal((await get(`${sandbox.url}/notes/api/notes`, access_token)).status, 403)
    const draft = { title: 'x', text: '' }
    assert.equal((await send(`${sandbox.url}/notes/api/notes`, 'POST', draft, access_token)).status, 201)
  })

  it('lists and adds tasks, each with its own scope', async () => {
    const tasks = `${sandbox.url}/tasks/api/tasks`
    const { access_token: reader } = await link(sandbox, { extra: { scope: 'tasks:read' } })
    const add = (bearer: string) => send(tasks, 'POST', { title: 'Sweep' }, bearer)
    const rejected = await add(reader)
    assert.deepEqual([rejected.status, rejected.body.error], [403, 'insufficient_scope'])
    const { access_token: writer } = await link(sandbox, { extra: { scope: 'tasks:read tasks:write' } })
    assert.equal((await add(writer)).status, 201)
    const { body } = await get(tasks, reader)
    assert.match(JSON.stringify(body), /"title":"Sweep","done":false/)
  })

  it('accepts each vault key until it is revoked', async () => {
    const { ana, ben } = sandbox.vaultKeys
    assert.match(ana, /^sv_live_[0-9A-Za-z]{32}$/)
    const me = await get(`${sandbox.url}/vault/api/me`, ana)
    assert.deepEqual(me.body, { workspace: 'ruiz-studio', account: { id: 'ana', email: 'ana@example.com' } })
    const { body } = await get(`${sandbox.url}/vault/api/items`, ben)
    assert.ok(Array.isArray(body.items) && body.items.length > 0)

    sandbox.revokeVaultKey('ana')
    await send(`${sandbox.url}/_control/vault-keys/revoke`, 'POST', { account: 'ben' })
    for (const [key, error] of [
      [ana, 'key_revoked'],
      [ben, 'key_revoked'],
      ['sv_live_unknown', 'invalid_key'],
    ] as const) {
      const rejected = await get(`${sandbox.url}/vault/api/me`, key)
      assert.deepEqual([rejected.status, rejected.body.error], [401, error])
    }
  })

  it('shows the keys on a page, and replaces a revoked one', async () => {
    const page = `${sandbox.url}/vault/keys`
    await fetch(page, { method: 'POST', body: new URLSearchParams({ account: 'ana', action: 'renew' }) })
    const html = await (await fetch(page)).text()
    assert.ok(html.includes(sandbox.vaultKeys.ana))
    assert.equal((await get(`${sandbox.url}/vault/api/me`, sandbox.vaultKeys.ana)).status, 200)
  })

  it('responds 404 for unknown paths, and survives malformed ones', async () => {
    for (const path of ['/notes/api/else', '/vault/api/else', '/_control/else', '/else', '//']) {
      assert.equal((await get(`${sandbox.url}${path}`)).status, 404, path)
    }
  })

  it('is available as localhost and on both loopback addresses', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const { status } = await get(`http://${host}:${sandbox.port}/vault/api/me`, sandbox.vaultKeys.ana)
      assert.equal(status, 200, host)
    }
  })
})
