import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startSandbox } from '../src/index.ts'
import { CookieBrowser } from './cookie-browser.ts'
import {
  authorizeUrl,
  client,
  get,
  link,
  pkce,
  post,
  redirectUri,
  refresh,
  send,
  tokensOf,
} from './oauth-client.ts'

describe('the state file', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('preserves everything over a restart', async () => {
    const stateFile = join(folder, 'kept', 'state.json')
    const browser = new CookieBrowser()
    const first = await startSandbox({ client, stateFile })
    const tokens = await link(first, { browser })
    const revoked = await link(first)
    await post(`${first.url}/oauth/revoke`, { token: revoked.refresh_token })
    await send(`${first.url}/notes/api/notes`, 'POST', { title: 'Kept', text: '' }, tokens.access_token)
    first.revokeVaultKey('ben')
    const registered = await send(`${first.url}/oauth/register`, 'POST', { redirect_uris: [redirectUri] })
    const jwks = (await get(`${first.url}/oauth/jwks`)).body
    await first.close()

    await using second = await startSandbox({ client, stateFile, port: first.port })
    assert.equal(second.url, first.url)
    assert.deepEqual(second.vaultKeys, first.vaultKeys)
    assert.equal((await get(`${second.url}/vault/api/me`, second.vaultKeys.ben)).status, 401)
    assert.deepEqual((await get(`${second.url}/oauth/jwks`)).body, jwks)
    const { body } = await get(`${second.url}/notes/api/notes?query=Kept`, tokens.access_token)
    assert.ok(Array.isArray(body.notes) && body.notes.length === 1)
    const renewed = tokensOf(await refresh(second.url, tokens.refresh_token))
    assert.equal((await get(`${second.url}/notes/api/me`, renewed.access_token)).status, 200)
    assert.equal((await get(`${second.url}/notes/api/me`, revoked.access_token)).status, 401)
    const again = await browser.open(authorizeUrl(second.url, pkce().challenge))
    assert.match(again.html, /value="allow"/, 'the browser is still signed in')
    const extra = { client_id: String(registered.body.client_id) }
    assert.equal(
      (await new CookieBrowser().open(authorizeUrl(second.url, pkce().challenge, extra))).status,
      200,
    )
  })

  it('is readable by its owner only, and leaves no temporary file', async () => {
    const stateFile = join(folder, 'mode', 'state.json')
    await (await startSandbox({ client, stateFile })).close()
    assert.equal((await stat(stateFile)).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(join(folder, 'mode')), ['state.json'])
  })

  it('is written soon after a change, before the sandbox stops', async () => {
    const stateFile = join(folder, 'soon.json')
    await using sandbox = await startSandbox({ client, stateFile })
    const { mtimeMs } = await stat(stateFile)
    sandbox.revokeVaultKey('ana')
    await new Promise(resolve => setTimeout(resolve, 250))
    assert.ok((await stat(stateFile)).mtimeMs > mtimeMs)
  })

  for (const [name, content] of [
    ['half', '{"version":1,"signing'],
    ['foreign', '{"version":1,"vaultKeys":{}}'],
    ['null', 'null'],
  ] as const) {
    it(`starts with a new state from a damaged file (${name})`, async () => {
      const stateFile = join(folder, `${name}.json`)
      await writeFile(stateFile, content)
      await using sandbox = await startSandbox({ client, stateFile })
      assert.equal((await get(`${sandbox.url}/vault/api/me`, sandbox.vaultKeys.ana)).status, 200)
    })
  }
})
