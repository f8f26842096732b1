import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { revokeDevelopmentKeys } from '../../src/features/organizations/end-api-keys.ts'
import type { BootedDemo } from '../../src/first-boot.ts'
import { cookieOf } from '../support/person-session.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

describe('the first start in development', () => {
  let t: TestService
  let demo: BootedDemo
  before(async () => {
    // The whole catalog, as in a new installation.
    t = await startTestService('postgres', { CONNECTORS: '' }, { withDemo: true })
    demo = t.service.demo as BootedDemo
  })
  after(() => t.stop())

  const get = (path: string, headers: Record<string, string> = {}) =>
    t.call('GET', path, { key: null, headers })
  const mintedLinks = async () =>
    (await t.query('select 1 from link_sessions where registered_user_id = $1', [demo.registered_user_id]))
      .length
  const pressButton = (headers: Record<string, string>) =>
    t.call('POST', '/demo/link', {
      key: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      raw: '',
    })

  it('opens the dashboard in a browser and returns JSON to programs at the root', async () => {
    const page = await get('/', BROWSER)
    assert.deepEqual([page.status, page.headers.get('location')], [302, '/dashboard'])
    const json = await get('/')
    assert.equal(json.body.openapi, `${t.baseUrl}/api/v1/openapi.json`)
  })

  it('users of the demo organization have connected what they have called, and the demo user nothing', async () => {
    const called = await t.query<{ user_id: string; origin: string; slug: string; connected: boolean }>(
      `select distinct u.id as user_id, u.origin_user_id as origin, c.connector_slug as slug, exists (select from credentials l
         where l.registered_user_id = u.id and l.connector_slug = c.connector_slug and l.status = 'active') as connected
       from tool_calls c join registered_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
       where c.organization_id = $1 and c.outcome = 'success' order by u.origin_user_id, c.connector_slug`,
      [demo.organization_id],
    )
    assert.deepEqual(
      called.map(({ origin, slug, connected }) => [origin, slug, connected]),
      [1, 2, 3, 4].map(n => [`demo-${n}`, 'sandbox-vault', true]),
    )
    const [ben] = called
    const { body } = await t.mcp(
      ben?.user_id as string,
      'tools/call',
      { name: 'sandbox-vault__list_items', arguments: {} },
      { key: demo.test_key, packId: demo.tool_pack_id },
    )
    assert.equal(body.result.structuredContent.items[0].name, 'Workshop deeds')
  })

  it('mints a link for the demo user only from its own page', async () => {
    const earlier = await mintedLinks()
    const answer = await pressButton({ origin: t.baseUrl })
    assert.equal(answer.status, 303)
    const link = answer.headers.get('location') ?? ''
    assert.match(link, /\/magic-link\/cb_mlk_/)
    assert.equal((await get(link, BROWSER)).status, 303)
    assert.equal(await mintedLinks(), earlier + 1)
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}])
      assert.equal((await pressButton(headers as Record<string, string>)).status, 404)
    assert.equal(await mintedLinks(), earlier + 1)
  })

  it('signs the demo administrator in with one click, only from its own page', async () => {
    const press = (headers: Record<string, string>) =>
      t.call('POST', '/demo/sign-in', {
        key: null,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        raw: '',
      })
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}])
      assert.equal((await press(headers as Record<string, string>)).status, 404)
    assert.deepEqual(await t.query('select 1 from people'), [])
    const answer = await press({ origin: t.baseUrl })
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/dashboard'])
    const session = await t.call('GET', '/dashboard/session', {
      key: null,
      headers: { cookie: cookieOf(answer) },
    })
    const { is_operator, organizations } = session.body
    const own = organizations.find(({ id }: { id: string }) => id === demo.organization_id)
    assert.deepEqual([is_operator, own.role], [true, 'admin'])
  })

  it('lists only the tools of the sandbox, on one page', async () => {
    const options = { key: demo.test_key, packId: demo.tool_pack_id }
    const { body } = await t.mcp(demo.registered_user_id, 'tools/list', {}, options)
    const connectors = new Set(body.result.tools.map(({ name }: { name: string }) => name.split('__')[0]))
    assert.deepEqual(connectors, new Set(['sandbox-notes', 'sandbox-tasks', 'sandbox-vault']))
    assert.equal(body.result.nextCursor, undefined)
  })

  it('returns unknown pages as HTML to a browser, and as JSON otherwise and below /api', async () => {
    const page = await get('/nowhere', BROWSER)
    assert.equal(page.status, 404)
    assert.match(page.text, /<h1>Page not found<\/h1>/)
    assert.equal((await get('/nowhere')).body.error.code, 'not_found')
    assert.equal((await get('/api/v1/nowhere', BROWSER)).body.error.code, 'not_found')
  })

  it('documents every error, as HTML and as JSON', async () => {
    assert.match((await get('/docs/errors', BROWSER)).text, /id="unauthorized_origin"/)
    const { errors } = (await get('/docs/errors')).body
    assert.ok(errors.some(({ code }: { code: string }) => code === 'invalid_authorization_code'))
  })

  it('prints a production key that works in development and is revoked in production', async () => {
    const key = demo.productionKey?.reveal() as string
    const list = () => t.call('GET', '/api/v1/callback-origins', { key })
    assert.equal((await list()).status, 200)
    const { db, vault } = t.service.features
    assert.equal(await revokeDevelopmentKeys({ db, signer: vault.signer }), 1)
    assert.equal((await list()).status, 401)
    const [entry] = await t.query(
      'select action from audit_entries where organization_id = $1 order by sequence desc limit 1',
      [demo.organization_id],
    )
    assert.equal(entry.action, 'api_key.revoked')
    assert.equal((await t.call('GET', '/api/v1/callback-origins')).status, 200, 'other keys are not affected')
  })
})
