import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Sandbox } from '@carabiner/sandbox'
import { packHandle } from '../../src/core/pack-handle.ts'
import { issueToken, organizationHandle, routingCode } from '../../src/core/token.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { consentAtSandbox, createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { openStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { type LoadBalancer, sendCommand, startHaproxy, startNginx } from '../support/load-balancers.ts'
import type { TestService } from '../support/test-service.ts'
import { openTwoCells, type TwoCells } from '../support/two-cells.ts'

const APP = 'https://app.example.com'
const NOTES = { name: 'sandbox-notes__list_notes', arguments: {} }

const balancers = { haproxy: startHaproxy, nginx: startNginx }

describe('two cells behind a load balancer', () => {
  const opened = new AsyncDisposableStack()
  let stage: TwoCells
  before(async () => {
    stage = await openTwoCells(opened)
  })
  after(() => opened.disposeAsync())

  for (const kind of ['haproxy', 'nginx'] as const)
    describe(kind, () => {
      let balancer: LoadBalancer
      before(async () => {
        stage.writeMap(kind)
        const { folder, port, mapPath, ports } = stage
        balancer = await balancers[kind]({ folder, port, mapPath, cellPorts: ports })
      })
      after(() => balancer?.stop())

      for (const name of ['a', 'b'] as const)
        it(`every way of linking and calling reaches cell ${name}`, async () => {
          const t = stage.cells[name]
          const logged = requestsTo(t)
          const other = stage.cells[name === 'a' ? 'b' : 'a']
          await linkAndCall(t, stage.sandbox)
          assert.ok(requestsTo(t) > logged)
          for (const cell of [t, other])
            for (const line of cell.logLines) assert.doesNotMatch(line, /"status":421/)
          const stored = await other.query('select from registered_users where organization_id = $1', [
            t.organization.id,
          ])
          assert.equal(stored.length, 0, 'nothing was stored in the other cell')
        })

      it('a code of the other cell is rejected with 403, a code that no cell has with 400', async () => {
        const { a, b } = stage.cells
        const confirm = async (code: string) => {
          const { status, body } = await a.call('POST', '/api/v1/link-token/confirm', { body: { code } })
          return [status, body.error.code]
        }
        // The service reads a changed map after a second at most.
        await eventually(async () =>
          assert.deepEqual(await confirm(issueToken('authorizationCode', b.organization.id)), [
            403,
            'code_does_not_belong_to_organization',
          ]),
        )
        for (const owner of [newUuid(), a.organization.id])
          assert.deepEqual(await confirm(issueToken('authorizationCode', owner)), [
            400,
            'invalid_authorization_code',
          ])
      })

      it('a routing code that is not in the map is rejected with 421 and JSON', async () => {
        const { a } = stage.cells
        const id = newUuid()
        const code = routingCode(id)
        const counts = () => [requestsTo(stage.cells.a), requestsTo(stage.cells.b)]
        const logged = counts()
        for (const [key, path] of [
          [issueToken('productionKey', id), '/api/v1/registered-users'],
          [issueToken('testKey', id), '/api/v1/registered-users'],
          [issueToken('mcpKey', id), `/api/v1/tool-packs/${newUuid()}/registered-users/${newUuid()}/mcp`],
          [issueToken('linkToken', id), '/link/sessions'],
          [null, `/magic-link/${issueToken('magicLink', id)}.x.y`],
          [null, `/connect/${code}xyz`],
          [null, `/connect/${swapCase(routingCode(a.organization.id))}xyz`],
          [null, `/link/s/${code}xyz/events`],
          [null, `/link/connections/${issueToken('connectionsLink', id)}`],
          [null, `/link/connections/${code}xyz/open`],
          [null, `/link/preview/${organizationHandle(id)}.live.x.y`],
          [null, `/brand/${organizationHandle(id)}/x.png`],
          [null, `/oauth/callback/sandbox-notes?code=x&state=${code}xyz`],
          [null, `/mcp/${packHandle(id, newUuid(), 'production')}`],
          [issueToken('accessToken', id), '/api/v1/registered-users'],
          [null, `/sign-in/${organizationHandle(id)}/authorize?client_id=x`],
          [null, `/.well-known/oauth-protected-resource/mcp/${packHandle(id, newUuid(), 'test')}`],
          [null, `/.well-known/oauth-authorization-server/sign-in/${organizationHandle(id)}`],
        ] as const) {
          const { status, body, headers } = await a.call('GET', path, { key })
          assert.deepEqual([status, body?.error?.code], [421, 'wrong_cell'], path)
          assert.equal(headers.get('access-control-allow-origin'), '*')
          assert.ok(body.error.request_id)
        }
        assert.deepEqual(counts(), logged, 'the load balancer answered')
      })

      it('requests without a code are answered by any cell', async () => {
        const { a } = stage.cells
        for (const path of ['/', '/link/', '/livez', '/readyz', '/docs/errors', '/favicon.ico'])
          assert.equal((await a.call('GET', path, { key: null })).status, 200, path)
        const preflight = await a.call('OPTIONS', '/link/sessions', {
          key: null,
          headers: { origin: APP, 'access-control-request-headers': 'authorization' },
        })
        assert.equal(preflight.status, 204)
        assert.equal((await a.call('GET', '/api/v1/registered-users', { key: 'nonsense' })).status, 401)
        assert.equal((await a.call('GET', '/connect/x', { key: null })).status, 404)
      })

      it('the client cannot choose its own address', async () => {
        const { a } = stage.cells
        const headers = { 'x-forwarded-for': '203.0.113.9' }
        const origin = `https://${kind}.example.com`
        await a.call('POST', '/api/v1/callback-origins', { body: { origin }, headers })
        const [entry] = await a.query('select address from audit_entries order by sequence desc limit 1')
        assert.equal(entry.address, '127.0.0.1')
      })

      it('a grant to an app of the service is not revoked, because the other cell may use it', async () => {
        const linked = await Promise.all(Object.values(stage.cells).map(linkAcme))
        const [a, b] = linked as [AcmeUser, AcmeUser]
        assert.equal((await a.cell.call('DELETE', a.credentials)).status, 204)
        const outcome = await eventually(async () => {
          const [receipt] = (await a.cell.call('GET', `${a.path}/revocations`)).body.data
          assert.notEqual(receipt.outcome, 'pending')
          return receipt.outcome
        })
        assert.equal(outcome, 'kept_shared')
        const called = await b.cell.mcp(b.id, 'tools/call', { name: 'acme-notes__list', arguments: {} })
        assert.equal(called.body.result.isError, false, called.text.slice(0, 300))
      })

      if (kind === 'haproxy')
        it('the requests of a cell without a ready server are answered with 503, Retry-After and JSON', async () => {
          const { a, b } = stage.cells
          const read = (t: TestService) => t.call('GET', '/api/v1/registered-users')
          const setState = (state: string) =>
            sendCommand(join(stage.folder, 'admin.sock'), `set server cell_a/a-1 state ${state}`)
          await setState('maint')
          const { status, headers, body } = await read(a)
          assert.deepEqual([status, headers.get('retry-after')], [503, '5'])
          assert.deepEqual([body.error.type, body.error.code], ['internal_error', 'unavailable'])
          assert.ok(body.error.request_id)
          assert.equal((await read(b)).status, 200)
          await setState('ready')
          await eventually(async () => assert.equal((await read(a)).status, 200))
        })

      it('a changed map takes effect while the load balancer runs', async () => {
        const { a, b } = stage.cells
        const read = () => a.call('GET', '/api/v1/registered-users')
        const code = routingCode(a.organization.id)
        stage.writeMap(
          kind,
          new Map([
            [a.organization.id, 'b'],
            [b.organization.id, 'b'],
          ]),
        )
        await balancer.applyMap(code, 'b')
        const logged = requestsTo(b)
        await eventually(async () => assert.equal((await read()).status, 421))
        assert.match((await read()).body.error.request_id, /^req_/, 'from the cell that does not serve it')
        assert.ok(requestsTo(b) > logged)
        stage.writeMap(kind)
        await balancer.applyMap(code, 'a')
        await eventually(async () => assert.equal((await read()).status, 200))
        a.logLines.length = 0
        b.logLines.length = 0
      })
    })
})

/** The number of logged requests, without the health checks of the load balancer. */
const requestsTo = ({ logLines }: TestService): number =>
  logLines.filter(line => line.includes('"route"') && !line.includes('/readyz')).length

/** Another routing code, unless a load balancer ignores case. A code without letters is replaced. */
const swapCase = (code: string): string =>
  /[a-z]/i.test(code)
    ? code.replace(/[a-z]/gi, letter =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      )
    : 'none'

type AcmeUser = { cell: TestService; id: string; path: string; credentials: string }

/** Links the same account in each cell, at a provider where a revocation ends everything between an app and an account. */
const linkAcme = async (cell: TestService): Promise<AcmeUser> => {
  const { id } = await cell.createUser()
  const browser = createBrowserUser()
  const consent = await browser.open((await cell.mint(id, { connector: 'acme-notes' })).magic_link_url)
  await consentAtSandbox(browser, await browser.submit(consent, /\/start$/), { account: 'ben' })
  const path = `/api/v1/registered-users/${id}`
  const [credential] = (await cell.call('GET', `${path}/credentials`)).body.data
  return { cell, id, path, credentials: `${path}/credentials/${credential.credential_id}` }
}

const linkAndCall = async (t: TestService, sandbox: Sandbox): Promise<void> => {
  await t.allowOrigin(APP)
  const { id } = await t.createUser()
  const agent = await t.call('POST', `/api/v1/registered-users/${id}/mcp-keys`, { body: { name: 'Agent' } })
  assert.equal(agent.status, 201, agent.text)

  // The embedded session, with its stream, completed by OAuth at the magic link's page.
  const minted = await t.mint(id, { Connector: 'sandbox-notes' })
  const exchanged = await t.call('POST', '/link/sessions', {
    key: minted.link_token,
    headers: { origin: APP },
  })
  assert.equal(exchanged.status, 200, exchanged.text)
  assert.equal(exchanged.headers.get('access-control-allow-origin'), APP)
  const hosted = await t.call('GET', exchanged.body.url, { key: null })
  assert.match(hosted.text, /Connect Notes to Orbit/)
  const stream = await openStream(`${exchanged.body.url}/events`)
  await stream.until({ status: 'open' })
  const done = await linkNotes(createBrowserUser(), minted.magic_link_url)
  assert.equal(done.status, 200, done.html.slice(0, 500))
  await stream.until({ status: 'completed' })
  await stream.untilEnded()

  // An API key, entered at the page.
  const browser = createBrowserUser()
  const page = await browser.open((await t.mint(id, { Connector: 'sandbox-vault' })).magic_link_url)
  await browser.submit(page, /\/api-key$/, { api_key: sandbox.vaultKeys.ana })

  // Authorization code mode.
  const target = { Connector: 'sandbox-notes', callback_url: `${APP}/cb`, state: 's' }
  const person = createBrowserUser()
  await linkNotes(person, (await t.mint(id, target)).magic_link_url)
  const code = new URL(person.lastLocation ?? '').searchParams.get('code')
  const confirmed = await t.call('POST', '/api/v1/link-token/confirm', { body: { code } })
  assert.equal(confirmed.status, 200, confirmed.text)

  const user = await t.call('GET', `/api/v1/registered-users/${id}`)
  assert.deepEqual(user.body.linked_connectors, ['sandbox-notes', 'sandbox-vault'])
  for (const key of [t.organization.key, agent.body.key as string]) {
    const listed = await t.mcp(id, 'tools/list', {}, { key })
    assert.ok(
      listed.body.result.tools.some(({ name }: { name: string }) => name === NOTES.name),
      listed.text,
    )
    const called = await t.mcp(id, 'tools/call', NOTES, { key })
    assert.ok(!called.body.result.isError && called.body.result.structuredContent, called.text.slice(0, 300))
  }
  // My connections.
  const connections = await t.call('POST', `/api/v1/registered-users/${id}/connections-link`)
  const own = createBrowserUser()
  const list = await own.submit(await own.open(connections.body.url), /\/open$/)
  const detail = await own.follow(list, /connections\/[^/]+\/[0-9a-f-]{36}/)
  assert.match((await own.submit(detail, /\/pause$/)).html, /Paused until/)

  const preview = await t.call('POST', '/api/v1/link-customization/preview', { body: {} })
  assert.equal((await t.call('GET', preview.body.preview_url, { key: null })).status, 200)
}
