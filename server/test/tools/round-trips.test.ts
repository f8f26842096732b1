import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { type PlainMcp, startPlainMcp } from '../support/plain-mcp.ts'
import { type RoundTrip, recordRoundTrips } from '../support/round-trips.ts'
import {
  configureSignIn,
  createRawClient,
  redirectUrisOf,
  resourceOf,
  signInForTokens,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/sign-in.ts'
import { type Answer, startTestService, type TestService } from '../support/test-service.ts'

const LIST = 'sandbox-notes__list_notes'
const BEN = 'ben@example.com'
/** Enough to prepare statements and to fill caches. */
const WARM_UPS = 3
const MEASURED = 3

const ADMIT = ['tools.admit']
const ADMIT_MCP = ['tools.admit_mcp']
const SETTLE = ['tools.settle_unheld']
const LISTING = ['tools.listing']
const TOKEN_HOLDER = ['tools.token_holder']
const KEY_OWNERS = ['api_keys.owners']
const DEFAULT_PACK = ['tool_packs.default']

type Send = (method: string, params?: object) => Promise<Answer>

describe('round trips to the database', () => {
  let t: TestService
  let plain: PlainMcp
  let provider: TestIdentityProvider
  before(async () => {
    // Without jobs, which send statements of their own.
    t = await startTestService('postgres', {}, { withJobs: false })
    plain = await startPlainMcp()
    provider = await startIdentityProvider(redirectUrisOf(t))
    await configureSignIn(t, provider)
  })
  after(async () => {
    await provider.stop()
    await t.stop()
    await plain.stop()
  })

  const link = async (userId: string, account = 'ana') => {
    const { magic_link_url } = await t.mint(userId, { connector: 'sandbox-notes', account: 'add' })
    await linkNotes(createBrowserUser(), magic_link_url, { account })
  }
  const linkedUser = async (...accounts: string[]): Promise<string> => {
    const { id } = await t.createUser()
    for (const account of accounts) await link(id, account)
    return id
  }
  const withKey =
    (userId: string, options: { key?: string; packId?: string } = {}): Send =>
    (method, params = {}) =>
      t.mcp(userId, method, params, options)
  const newPack = async (body: object): Promise<string> => {
    const created = await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Pack', ...body } })
    assert.equal(created.status, 201, created.text)
    return created.body.id
  }

  const send = async (request: () => Promise<Answer>) => {
    const { body, text } = await request()
    assert.equal(body.result?.isError ?? false, false, text)
    assert.notEqual(body.result?.structuredContent?.type, 'authenticate_meta', text)
  }
  const measure = async (request: () => Promise<Answer>): Promise<RoundTrip[]> => {
    const { roundTrips, stop } = recordRoundTrips(t.databaseUrl as string)
    try {
      for (let n = 0; n < MEASURED; n++) await send(request)
    } finally {
      stop()
    }
    return roundTrips
  }
  /** Repeated if the requests differ: the service also sends statements at intervals, such as the last use of keys. */
  const roundTripsOf = async (request: () => Promise<Answer>): Promise<RoundTrip[]> => {
    for (let n = 0; n < WARM_UPS; n++) await send(request)
    for (let attempt = 1; ; attempt++) {
      const measured = await measure(request)
      const once = measured.slice(0, measured.length / MEASURED)
      const repeated = Array.from({ length: MEASURED }, () => once).flat()
      if (isDeepStrictEqual(measured, repeated)) return once
      assert.ok(attempt < 5, `requests differ: ${JSON.stringify(measured)}`)
    }
  }
  const assertCosts = async (
    sendAs: Send,
    expected: { call: RoundTrip[]; list: RoundTrip[] },
    { name = LIST, args = {} }: { name?: string; args?: object } = {},
  ) => {
    assert.deepEqual(await roundTripsOf(() => sendAs('tools/call', { name, arguments: args })), expected.call)
    assert.deepEqual(await roundTripsOf(() => sendAs('tools/list')), expected.list)
  }
  const USUAL = { call: [ADMIT, SETTLE], list: [LISTING] }

  it('API key, one account: a call is admitted and settled, a list is read', async () => {
    await assertCosts(withKey(await linkedUser('ana')), USUAL)
  })

  it('MCP key: as many as with an API key', async () => {
    const userId = await linkedUser('ana')
    const created = await t.call('POST', `/api/v1/registered-users/${userId}/mcp-keys`, {
      body: { name: 'Laptop' },
    })
    await assertCosts(withKey(userId, { key: created.body.key }), USUAL)
  })

  it('access token: one more, which finds the user of the token', async () => {
    const { access_token: key } = await signInForTokens(await createRawClient(t))
    const sendAs: Send = (method, params = {}) =>
      t.call('POST', resourceOf(t), {
        key,
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method, params },
      })
    const { body } = await sendAs('tools/call', { name: LIST, arguments: {} })
    await linkNotes(createBrowserUser(), body.result.structuredContent.magic_link_url)
    await assertCosts(sendAs, { call: [TOKEN_HOLDER, ADMIT, SETTLE], list: [TOKEN_HOLDER, LISTING] })
  })

  it('a call from code: one more, which authenticates the key, and one for the default Tool Pack', async () => {
    const registered_user_id = await linkedUser('ana')
    const call = (more: object = {}) =>
      t.call('POST', '/api/v1/tool-calls', { body: { registered_user_id, name: LIST, ...more } })
    const tool_pack_id = t.organization.toolPackId
    assert.deepEqual(await roundTripsOf(() => call({ tool_pack_id })), [KEY_OWNERS, ADMIT, SETTLE])
    assert.deepEqual(await roundTripsOf(() => call()), [KEY_OWNERS, DEFAULT_PACK, ADMIT, SETTLE])
  })

  it('two accounts: a call that names one costs the same', async () => {
    const args = { carabiner_account: BEN }
    await assertCosts(withKey(await linkedUser('ana', 'ben')), USUAL, { args })
  })

  it('shared account: a call with it costs the same', async () => {
    const owner = await linkedUser('ben')
    const credentials = `/api/v1/registered-users/${owner}/credentials`
    const [{ credential_id }] = (await t.call('GET', credentials)).body.data
    const userId = await linkedUser()
    const shared = await t.call('PUT', `${credentials}/${credential_id}/access`, {
      body: { registered_user_ids: [userId] },
    })
    assert.equal(shared.status, 200, shared.text)
    await assertCosts(withKey(userId), USUAL)
  })

  it('fixed account, output view and call_tool: cost the same', async () => {
    const userId = await linkedUser('ana', 'ben')
    const credentials = (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data
    const packId = await newPack({
      connectors: [{ slug: 'sandbox-notes', tools: [{ name: 'list_notes', view: ['/notes/*/title'] }] }],
      accounts: { 'sandbox-notes': { fixed: credentials[0].credential_id } },
      serving: 'search',
    })
    await assertCosts(withKey(userId, { packId }), USUAL, {
      name: 'call_tool',
      args: { name: LIST, arguments: {} },
    })
  })

  it('revealed tools: a list reads them in its own statement', async () => {
    const packId = await newPack({ serving: 'reveal' })
    const sendAs = withKey(await linkedUser('ana'), { packId })
    await sendAs('tools/call', { name: 'search_tools', arguments: { query: 'list notes' } })
    await assertCosts(sendAs, USUAL)
  })

  it('tool of an MCP server: costs as many as a tool of an HTTP API', async () => {
    const created = await t.call('POST', '/api/v1/connectors', {
      body: { name: 'Plain', slug: 'plain', url: plain.url },
    })
    assert.equal(created.status, 201, created.text)
    const sendAs = withKey(await linkedUser())
    await assertCosts(sendAs, { call: [ADMIT_MCP, SETTLE], list: [LISTING] }, { name: 'plain__look' })
  })
})
