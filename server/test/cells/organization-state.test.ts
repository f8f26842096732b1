import assert from 'node:assert/strict'
import { generateKeySync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import type { OrganizationState } from '../../src/core/organization-state.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import { issueToken, randomBase62, routingCode } from '../../src/core/token.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { magicLinkUrl, sessionHandle } from '../../src/features/link/sessions/magic-link.ts'
import { createKeyAuthenticator } from '../../src/features/organizations/authenticate-key.ts'
import { createRoutingCheck } from '../../src/features/organizations/check-routing-code.ts'
import { previewToken } from '../../src/features/organizations/link-preview.ts'
import { createSigner } from '../../src/platform/vault/vault.ts'
import { type BrowserUser, createBrowserUser, linkNotes, readForms } from '../support/browser-user.ts'
import { openStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { sendRawRequest } from '../support/raw-mcp.ts'
import { type Answer, startTestService, type TestService, WAKE_UPS_ONLY } from '../support/test-service.ts'

const APP = 'https://app.example.com'

/** Everything that a client of one organization can present. */
type Secrets = {
  key: string
  mcpKey: string
  linkToken: string
  magicLink: string
  handle: string
  state: string
  cookie: string
  preview: string
  mcpPath: string
}

type Entry = { name: string; isPage: boolean; send: (secrets: Secrets) => Promise<Answer> }

describe('an organization that is not served', () => {
  let t: TestService
  let own: Secrets
  let userId: string
  let entries: Entry[]
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-cells-'))

  const setState = (state: OrganizationState) =>
    t.query('update organizations set state = $1 where id = $2', [state, t.organization.id])

  before(async () => {
    const map = join(folder, 'cells.map')
    writeFileSync(map, '')
    t = await startTestService('postgres', { CELL: 'a', CELL_MAP: map }, WAKE_UPS_ONLY)
    await t.allowOrigin(APP)
    entries = entriesOf(t)
    ;({ id: userId } = await t.createUser())
    own = await secretsOf(t, userId)
  })
  after(async () => {
    await t.stop()
    rmSync(folder, { recursive: true })
  })
  afterEach(() => setState('active'))

  for (const state of ['leaving', 'arriving'] as const)
    it(`${state}: every entry answers 503 with Retry-After`, async () => {
      await setState(state)
      for (const { name, isPage, send } of entries) {
        const answer = await send(own)
        assert.equal(answer.status, 503, `${name}: ${answer.text.slice(0, 300)}`)
        assert.equal(answer.headers.get('retry-after'), '5', name)
        if (isPage) {
          assert.match(answer.headers.get('refresh') ?? '', /^5; url=\//, name)
          assert.match(answer.text, /Try again in a few seconds/, name)
        } else {
          const { code, retry_after_seconds } = answer.body.error
          assert.deepEqual([code, retry_after_seconds], ['organization_moving', 5], name)
        }
      }
    })

  it('suspended: every entry answers 403 organization_suspended, and works again when it is active', async () => {
    await setState('suspended')
    for (const { name, isPage, send } of entries) {
      const answer = await send(own)
      assert.equal(answer.status, 403, `${name}: ${answer.text.slice(0, 300)}`)
      if (isPage) assert.match(answer.text, /Connections are paused/, name)
      else assert.equal(answer.body.error.code, 'organization_suspended', name)
    }
    await setState('active')
    const [first] = entries
    assert.equal((await first?.send(own))?.status, 200)
  })

  for (const state of ['moved', 'deleting'] as const)
    it(`${state}: every entry answers 421`, async () => {
      await setState(state)
      for (const entry of entries) assertWrongCell(entry, await entry.send(own))
    })

  it('a routing code that no organization of this cell has: every entry answers 421', async () => {
    const foreign = foreignSecrets(t, own)
    for (const entry of entries) assertWrongCell(entry, await entry.send(foreign))
  })

  it('a malformed or unknown secret with a routing code of this cell is rejected as without cells', async () => {
    const id = t.organization.id
    const unknown = issueToken('productionKey', id)
    assert.equal((await t.call('GET', '/api/v1/registered-users', { key: unknown })).status, 401)
    assert.equal((await t.call('GET', '/api/v1/registered-users', { key: `${unknown}x` })).status, 401)
    const signer = createSigner(generateKeySync('hmac', { length: 256 }))
    const link = magicLinkUrl(t.baseUrl, signer, issueToken('magicLink', id), new Date(2e12))
    assert.equal((await t.call('GET', link, { key: null })).status, 404)
    const handle = sessionHandle(signer, { organizationId: id, sessionId: newUuid() })
    assert.equal((await t.call('GET', `/connect/${handle}`, { key: null })).status, 404)
    const wrongCode = sessionHandle(signer, { organizationId: newUuid(), sessionId: newUuid() }).slice(4)
    assert.equal((await t.call('GET', `/connect/${routingCode(id)}${wrongCode}`, { key: null })).status, 404)
    const state = routingCode(id) + randomBase62(43)
    assert.equal(
      (await t.call('GET', `/oauth/callback/sandbox-notes?state=${state}`, { key: null })).status,
      400,
    )
  })

  it('without cells: moved answers 421, deleting and foreign keys 401', async () => {
    const { db, keyUses } = t.service.features
    const authenticate = createKeyAuthenticator({
      db,
      keyUses,
      checkRoutingCode: createRoutingCheck({ db, cells: null }),
    })
    assert.equal(await authenticate(issueToken('productionKey', newUuid())), null)
    await setState('deleting')
    assert.equal(await authenticate(t.organization.key), null)
    await setState('moved')
    await assert.rejects(authenticate(t.organization.key), error => isRefusal(error, 'wrong_cell'))
  })

  it('the callback is not consumed while the organization is being moved', async () => {
    const { browser, callback } = await startAtProvider(t, userId)
    await setState('leaving')
    const moving = await browser.open(callback)
    assert.equal(moving.status, 503)
    assert.equal(moving.headers.get('refresh'), `5; url=${callback.slice(t.baseUrl.length)}`)
    await setState('active')
    const again = await browser.open(callback)
    assert.equal(
      again.title,
      'Notes could not be connected',
      'the attempt is taken now, and its invented code fails',
    )
  })

  for (const [state, status] of [
    ['leaving', 503],
    ['suspended', 403],
  ] as const)
    it(`${state}: an embedded page can still be framed by the application`, async () => {
      await setState(state)
      const url = `/link/s/${own.handle}?opener=${encodeURIComponent(APP)}`
      const page = await t.call('GET', url, { key: null })
      assert.equal(page.status, status)
      assert.match(
        page.headers.get('content-security-policy') ?? '',
        /frame-ancestors https:\/\/app\.example\.com/,
      )
    })

  it('a code is not confirmed, and no link is minted', async () => {
    const { confirmCode, mintLinkToken } = t.service.features
    const minted = await t.mint(userId, { callback_url: `${APP}/cb`, state: 's', Connector: 'sandbox-notes' })
    const browser = createBrowserUser()
    await linkNotes(browser, minted.magic_link_url)
    const code = new URL(browser.lastLocation ?? '').searchParams.get('code') as string
    const owner = { organizationId: t.organization.id, mode: 'production' } as const
    await setState('leaving')
    const isMoving = (error: unknown) => isRefusal(error, 'organization_moving')
    await assert.rejects(confirmCode(owner, code, null), isMoving)
    const target = { connectorSlug: null, toolPackId: null, callback: null, state: null }
    await assert.rejects(mintLinkToken(owner, userId, target), isMoving)
    await setState('active')
    assert.equal((await confirmCode(owner, code, null)).connector_slug, 'sandbox-notes')
  })

  it('streams of a session and of the MCP endpoint end', async () => {
    const session = await openStream(`${t.baseUrl}/link/s/${own.handle}/events`)
    await session.until({ status: 'open' })
    const mcp = await sendRawRequest(t.baseUrl + own.mcpPath, t.organization.key, { method: 'GET' })
    assert.equal(mcp.status, 200)
    await setState('leaving')
    await Promise.all([session.untilEnded(), mcp.untilEnded()])
    assert.doesNotMatch(session.text(), /retry: 60000/, 'the client reconnects soon')
  })

  it('a call that was admitted before is settled, and the next one is rejected', async () => {
    const { id } = await t.createUser()
    await linkNotes(createBrowserUser(), (await t.mint(id, { Connector: 'sandbox-notes' })).magic_link_url)
    const call = () => t.mcp(id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
    const release = t.sandbox.hold('notes')
    const running = call()
    await eventually(async () => {
      assert.equal(
        (await t.query('select from calls_in_flight where registered_user_id = $1', [id])).length,
        1,
      )
    })
    await setState('leaving')
    // Concurrent calls are admitted by one statement, a single call by another.
    const rejected = [await call(), ...(await Promise.all(Array.from({ length: 8 }, call)))]
    assert.deepEqual([...new Set(rejected.map(({ status }) => status))], [503])
    release()
    const { body } = await running
    assert.notEqual(body.result.isError, true, JSON.stringify(body))
    const outcomes = await t.query('select outcome, counted from tool_calls where registered_user_id = $1', [
      id,
    ])
    assert.deepEqual(outcomes, [{ outcome: 'success', counted: true }])
  })
})

const assertWrongCell = ({ name, isPage }: Entry, answer: Answer): void => {
  assert.equal(answer.status, 421, `${name}: ${answer.text.slice(0, 300)}`)
  if (isPage) assert.match(answer.text, /This page can’t be shown here/, name)
  else assert.equal(answer.body.error.code, 'wrong_cell', name)
}

const entriesOf = (t: TestService): Entry[] => {
  const api = (name: string, send: Entry['send']): Entry => ({ name, isPage: false, send })
  const page = (name: string, send: Entry['send']): Entry => ({ name, isPage: true, send })
  const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })
  const asBrowser = (cookie = '') => ({ key: null, headers: { accept: 'text/html', cookie } })
  return [
    api('API key', s => t.call('GET', '/api/v1/registered-users', { key: s.key })),
    api('confirm', s => t.call('POST', '/api/v1/link-token/confirm', { key: s.key, body: { code: 'x' } })),
    ...(['key', 'mcpKey'] as const).flatMap(kind =>
      [
        rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {} }),
        rpc('ping', {}),
        rpc('tools/list', {}),
        rpc('tools/call', { name: 'sandbox-notes__list_notes', arguments: {} }),
        rpc('tools/call', { name: 'fetch_result', arguments: { handle: newUuid() } }),
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} },
      ].map(body =>
        api(`MCP ${kind} ${JSON.stringify(body)}`, s => t.call('POST', s.mcpPath, { key: s[kind], body })),
      ),
    ),
    api('MCP stream', s =>
      t.call('GET', s.mcpPath, { key: s.mcpKey, headers: { accept: 'text/event-stream' } }),
    ),
    api('link token', s => t.call('POST', '/link/sessions', { key: s.linkToken, headers: { origin: APP } })),
    api('session state', s => t.call('GET', `/link/s/${s.handle}/events`, { key: null })),
    api('session stream', s =>
      t.call('GET', `/link/s/${s.handle}/events`, { key: null, headers: { accept: 'text/event-stream' } }),
    ),
    page('magic link', s => t.call('GET', s.magicLink, asBrowser())),
    ...['connect', 'link/s'].flatMap(mount => [
      page(`GET ${mount}`, s => t.call('GET', `/${mount}/${s.handle}`, asBrowser())),
      page(`GET ${mount} done`, s => t.call('GET', `/${mount}/${s.handle}/done`, asBrowser())),
      page(`POST ${mount}`, s => t.call('POST', `/${mount}/${s.handle}/cancel`, asBrowser())),
    ]),
    page('preview', s => t.call('GET', `/link/preview/${s.preview}`, asBrowser())),
    page('OAuth callback', s =>
      t.call('GET', `/oauth/callback/sandbox-notes?code=x&state=${s.state}`, asBrowser(s.cookie)),
    ),
  ]
}

/** Starts an attempt. `callback` is the redirect URI with the state of the attempt and an invented code. */
const startAtProvider = async (
  t: TestService,
  userId: string,
): Promise<{ browser: BrowserUser; callback: string; cookie: string }> => {
  const minted = await t.mint(userId, { Connector: 'sandbox-notes' })
  const browser = createBrowserUser()
  const page = await browser.open(minted.magic_link_url)
  const form = readForms(page).find(({ action }) => action.endsWith('/start'))
  const cookie = [...(browser.cookies.get(new URL(page.url).host) ?? [])]
    .map(pair => pair.join('='))
    .join('; ')
  const response = await fetch(form?.action ?? '', {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams(form?.fields),
  })
  const state = new URL(response.headers.get('location') ?? '').searchParams.get('state')
  return { browser, cookie, callback: `${t.baseUrl}/oauth/callback/sandbox-notes?code=x&state=${state}` }
}

const secretsOf = async (t: TestService, userId: string): Promise<Secrets> => {
  const minted = await t.mint(userId)
  const agent = await t.call('POST', `/api/v1/registered-users/${userId}/mcp-keys`, {
    body: { name: 'Agent', tool_pack_ids: [t.organization.toolPackId] },
  })
  assert.equal(agent.status, 201, agent.text)
  const traded = await t.call('POST', '/link/sessions', { key: minted.link_token, headers: { origin: APP } })
  const { callback, cookie } = await startAtProvider(t, userId)
  return {
    key: t.organization.key,
    mcpKey: agent.body.key,
    linkToken: minted.link_token,
    magicLink: minted.magic_link_url,
    handle: traded.body.session,
    state: new URL(callback).searchParams.get('state') as string,
    cookie,
    preview: previewToken(
      t.service.features.signer,
      { organizationId: t.organization.id, draft: false },
      2e12,
    ),
    mcpPath: `/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${userId}/mcp`,
  }
}

/** Well-formed secrets of an organization of another installation, signed by its key. */
const foreignSecrets = (t: TestService, own: Secrets): Secrets => {
  const organizationId = newUuid()
  const signer = createSigner(generateKeySync('hmac', { length: 256 }))
  return {
    ...own,
    key: issueToken('productionKey', organizationId),
    mcpKey: issueToken('mcpKey', organizationId),
    linkToken: issueToken('linkToken', organizationId),
    magicLink: magicLinkUrl(t.baseUrl, signer, issueToken('magicLink', organizationId), new Date(2e12)),
    handle: sessionHandle(signer, { organizationId, sessionId: newUuid() }),
    state: routingCode(organizationId) + randomBase62(43),
    preview: previewToken(signer, { organizationId, draft: false }, 2e12),
  }
}
