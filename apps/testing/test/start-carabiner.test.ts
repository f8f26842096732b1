import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, afterEach, before, describe, it } from 'node:test'
import { findAuthenticateMeta } from '@carabiner/sdk'
import { type Carabiner, startCarabiner } from '../src/index.ts'
import { temporaryFolder } from './temporary-folder.ts'

const LIST = 'sandbox-notes__list_notes'
const CREATE = 'sandbox-notes__create_note'
/** The service closes connections after this time. */
const CONNECTION_TIMEOUT_MS = 27_000
const NOTE = { title: 'Rent', text: 'Due on Monday' }

describe('startCarabiner', () => {
  let carabiner: Carabiner
  before(async () => {
    carabiner = await startCarabiner()
  })
  after(() => carabiner?.stop())
  afterEach(() => carabiner.faults.clear())
  const reasonOf = (result: unknown) => findAuthenticateMeta(result)?.reason

  it('returns both API keys, a client for each, and the log', async () => {
    const { client, admin, apiKeys, baseUrl } = carabiner
    assert.match(apiKeys.test, /^cb_sk_test_/)
    assert.match(apiKeys.production, /^cb_sk_live_/)
    assert.equal((await fetch(`${baseUrl}/readyz`)).status, 200)
    assert.equal((await client.connectors.list()).length, 3)
    const { origin } = await admin.callbackOrigins.add('https://app.example.com')
    assert.equal(origin, 'https://app.example.com')
    assert.match(carabiner.logs(), /connectors/)
    assert.ok(!carabiner.logs().includes(apiKeys.test))
  })

  it('a user without an account: a call returns authenticate_meta, and following its link connects the account', async () => {
    const user = await carabiner.user()
    const meta = findAuthenticateMeta(await user.callTool(LIST))
    assert.equal(meta?.reason, 'never_linked')
    await carabiner.followLink(meta?.magic_link_url ?? '', { account: 'ben' })
    const result = await user.callTool(LIST)
    assert.ok(Array.isArray(result.structuredContent?.['notes']))
  })

  it('linkedUser: links accounts by OAuth and by API key, and the tools work', async () => {
    const user = await carabiner.linkedUser({ connector: 'sandbox-notes', account: 'ben', name: 'Ben' })
    await carabiner.link(user, { connector: 'sandbox-vault', account: 'ben' })
    const account = await user.callTool('sandbox-vault__get_account')
    assert.match(JSON.stringify(account.structuredContent), /ben@example\.com/)
    const [first] = (await user.callTool(CREATE, NOTE)).content
    assert.match(first?.text ?? '', /Rent/)
    assert.deepEqual([...user.accounts.keys()], ['sandbox-notes', 'sandbox-vault'])
  })

  it('linkedUser: without the optional scope, a writing call returns insufficient_scope', async () => {
    const user = await carabiner.linkedUser({ connector: 'sandbox-notes', grantsWrite: false })
    assert.equal(reasonOf(await user.callTool(LIST)), undefined)
    assert.equal(reasonOf(await user.callTool(CREATE, NOTE)), 'insufficient_scope')
  })

  it('linkedUser: a tool with an optional scope needs a second consent, unless the link names the tool', async () => {
    const add = ['sandbox-tasks__add_task', { title: 'Rent' }] as const
    const user = await carabiner.linkedUser({ connector: 'sandbox-tasks' })
    const result = await user.callTool(...add)
    assert.equal(reasonOf(result), 'insufficient_scope')
    await carabiner.followLink(findAuthenticateMeta(result)?.magic_link_url ?? '', { user })
    assert.equal(reasonOf(await user.callTool(...add)), undefined)
    const other = await carabiner.linkedUser({ connector: 'sandbox-tasks', tools: ['add_task'] })
    assert.equal(reasonOf(await other.callTool(...add)), undefined)
  })

  it('linkedUser: fails with the reason for an invalid API key and an unknown connector', async () => {
    const wrongKey = { connector: 'sandbox-vault', apiKey: 'sv_live_wrong' }
    await assert.rejects(carabiner.linkedUser(wrongKey), /rejected the API key/)
    await assert.rejects(carabiner.linkedUser({ connector: 'nothing' }), { code: 'unknown_connector' })
  })

  it('followLink: a user who denies access stays on a page of Link, and nothing is stored', async () => {
    const { id } = await carabiner.user()
    const link = await carabiner.client.linkTokens.mint(id, { connector: 'sandbox-notes' })
    const { callbackUrl, title } = await carabiner.followLink(link.magic_link_url, { decision: 'deny' })
    assert.deepEqual([callbackUrl, title], [null, 'You canceled'])
    assert.equal((await carabiner.client.registeredUsers.credentials.list(id)).length, 0)
  })

  it('followLink: in code mode the code is redeemed once', async () => {
    await carabiner.admin.callbackOrigins.add('https://code.example.com')
    const { id } = await carabiner.user()
    const link = await carabiner.client.linkTokens.mint(id, {
      connector: 'sandbox-notes',
      callback_url: 'https://code.example.com/linked',
      state: 'st-1',
    })
    const { callbackUrl } = await carabiner.followLink(link.magic_link_url)
    const code = new URL(callbackUrl ?? '').searchParams.get('code') ?? ''
    const confirmed = await carabiner.client.linkTokens.confirm({ code })
    assert.equal(confirmed.registered_user_id, id)
    await assert.rejects(carabiner.client.linkTokens.confirm({ code }), {
      code: 'invalid_authorization_code',
    })
  })

  it('expireToken: the token of one user is refreshed, and the call succeeds', async () => {
    const [user, other] = [
      await carabiner.linkedUser({ connector: 'sandbox-notes' }),
      await carabiner.linkedUser({ connector: 'sandbox-notes' }),
    ]
    const refreshes = async () => (await carabiner.sandbox.requests('refresh')).length
    const earlier = await refreshes()
    await carabiner.faults.expireToken(user)
    assert.equal(reasonOf(await user.callTool(LIST)), undefined)
    assert.equal(reasonOf(await other.callTool(LIST)), undefined)
    assert.equal((await refreshes()) - earlier, 1)
  })

  it('expireConnection and revokeAccess: the next call names the reason, and a new link repairs it', async () => {
    const options = { connector: 'sandbox-notes' }
    const [expired, revoked, other] = [
      await carabiner.linkedUser(options),
      await carabiner.linkedUser(options),
      await carabiner.linkedUser(options),
    ]
    await carabiner.faults.expireConnection(expired)
    await carabiner.faults.revokeAccess(revoked)
    assert.equal(reasonOf(await expired.callTool(LIST)), 'expired')
    assert.equal(reasonOf(await revoked.callTool(LIST)), 'revoked')
    assert.equal(reasonOf(await other.callTool(LIST)), undefined)
    await carabiner.link(revoked, options)
    assert.equal(reasonOf(await revoked.callTool(LIST)), undefined)
  })

  it('revokeAccess: an API key is revoked, and the next link uses a new one', async () => {
    const user = await carabiner.linkedUser({ connector: 'sandbox-vault' })
    await carabiner.faults.revokeAccess(user)
    assert.equal(reasonOf(await user.callTool('sandbox-vault__list_items')), 'revoked')
    await carabiner.link(user, { connector: 'sandbox-vault' })
    assert.equal(reasonOf(await user.callTool('sandbox-vault__list_items')), undefined)
  })

  it('faults of a user without accounts: fail with an explanation', async () => {
    await assert.rejects(carabiner.faults.expireToken(await carabiner.user()), /linked no account/)
  })

  it('insufficientScope, rateLimit, serverError, unreachable and slow: reach the caller, then end', async () => {
    const user = await carabiner.linkedUser({ connector: 'sandbox-notes' })
    const errorOf = async () => (await user.callTool(LIST)).structuredContent?.['error'] as { code: string }
    await carabiner.faults.insufficientScope()
    assert.equal(reasonOf(await user.callTool(LIST)), 'insufficient_scope')
    await carabiner.faults.rateLimit({ retryAfterSeconds: 7 })
    const limited = await user.callTool(LIST)
    assert.equal(limited.isError, true)
    assert.match(JSON.stringify(limited), /"retry_after_seconds":7|"retry_after":7/)
    await carabiner.faults.serverError({ status: 502 })
    assert.equal((await errorOf()).code, 'third_party_error')
    await carabiner.faults.unreachable()
    assert.equal((await user.callTool(LIST)).isError, true)
    await carabiner.faults.slow({ delay: '300 ms' })
    const startedAt = performance.now()
    assert.notEqual((await user.callTool(LIST)).isError, true)
    assert.ok(performance.now() - startedAt >= 295)
  })

  it('a fault: is removed by clear() and at the end of its scope', async () => {
    const user = await carabiner.linkedUser({ connector: 'sandbox-notes' })
    {
      await using fault = await carabiner.faults.serverError({ times: 100 })
      assert.equal((await user.callTool(LIST)).isError, true)
      assert.ok(fault)
    }
    assert.notEqual((await user.callTool(LIST)).isError, true)
  })

  it('mcpServer and changeTools: tools are called, and changed tools wait for a review', async () => {
    const user = await carabiner.user()
    const server = await carabiner.mcpServer('crm', [
      { name: 'find', answer: ({ name }) => `found ${String(name)}` },
    ])
    const [found] = (await user.callTool('crm__find', { name: 'Ana' })).content
    assert.equal(found?.text, 'found Ana')
    assert.deepEqual(server.calls, [{ tool: 'find', args: { name: 'Ana' } }])
    const inputSchema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
    const { pending } = await carabiner.faults.changeTools(server, [{ name: 'find', inputSchema }])
    assert.deepEqual(pending?.changed, ['find'])
    await carabiner.admin.mcpConnectors.acceptTools('crm', pending?.hash ?? '')
    assert.equal((await user.callTool('crm__find', { name: 'Ana' })).isError, true)
  })

  it('clock: links, codes and tokens expire without waiting', async () => {
    const user = await carabiner.linkedUser({ connector: 'sandbox-notes' })
    const link = await carabiner.client.linkTokens.mint(user.id, { connector: 'sandbox-notes' })
    const start = await carabiner.clock.now()
    await carabiner.clock.advance('31 minutes')
    const moved = (await carabiner.clock.now()).getTime() - start.getTime()
    assert.ok(moved >= 31 * 60_000 && moved < 60 * 60_000)
    assert.ok(Date.parse(link.expires_at) < (await carabiner.clock.now()).getTime())
    await assert.rejects(carabiner.followLink(link.magic_link_url), /Link shows/)
    const refreshes = async () => (await carabiner.sandbox.requests('refresh')).length
    const refreshed = await refreshes()
    await carabiner.clock.advance('2 hours')
    assert.equal(reasonOf(await user.callTool(LIST)), undefined)
    assert.equal((await refreshes()) - refreshed, 1)
  })

  it('clock: scheduled jobs run when it is advanced', async () => {
    const user = await carabiner.linkedUser({ connector: 'sandbox-notes' })
    const { credentials } = carabiner.client.registeredUsers
    const [credential] = await credentials.list(user.id)
    await credentials.pause(user.id, credential?.credential_id ?? '', { seconds: 3600 })
    await carabiner.clock.advance('61 minutes')
    assert.equal((await credentials.list(user.id))[0]?.status, 'active')
  })

  it('settings: production and other databases are rejected, with the reason', async () => {
    for (const environment of [
      { NODE_ENV: 'production', TRUST_PROXY: '127.0.0.1', BASE_URL: 'https://connect.example.com' },
      { DATABASE_URL: 'postgres://localhost/production' },
    ])
      await assert.rejects(startCarabiner({ environment }), /Carabiner did not start: A service for tests/)
  })
})

describe('stop', () => {
  it('does not wait for streams that a client has left open', async () => {
    const carabiner = await startCarabiner()
    const { id, mcpUrl, headers } = await carabiner.user()
    const stream = await fetch(mcpUrl, { headers: { ...headers, accept: 'text/event-stream' } })
    assert.equal(stream.status, 200, id)
    const startedAt = performance.now()
    await carabiner.stop()
    assert.ok(performance.now() - startedAt < CONNECTION_TIMEOUT_MS)
    await stream.text().catch(() => undefined)
  })
})

describe('startCarabiner, mode: child', () => {
  it('has the same interface, and its process ends with stop()', async () => {
    await using carabiner = await startCarabiner({ mode: 'child' })
    const user = await carabiner.linkedUser({ connector: 'sandbox-notes' })
    const link = await carabiner.client.linkTokens.mint(user.id)
    await carabiner.clock.advance('31 minutes')
    assert.ok(Date.parse(link.expires_at) < (await carabiner.clock.now()).getTime())
    assert.notEqual((await user.callTool(LIST)).isError, true)
    await carabiner.stop()
    await assert.rejects(fetch(`${carabiner.baseUrl}/readyz`))
  })

  it('fails with the reason if the service does not start', async () => {
    const environment = { LOG_LEVEL: 'loud' }
    await assert.rejects(startCarabiner({ mode: 'child', environment }), /LOG_LEVEL must be one of/)
  })
})

describe('the prepared database', () => {
  it('is stored in cacheDirectory and used by the next start', async () => {
    await using folder = temporaryFolder()
    const cacheDirectory = `${folder.path}/cache`
    for (let n = 0; n < 2; n++) {
      await using carabiner = await startCarabiner({ cacheDirectory })
      assert.equal((await carabiner.client.connectors.list()).length, 3)
    }
    assert.ok(existsSync(cacheDirectory))
  })
})
