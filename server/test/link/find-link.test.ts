import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser } from '../support/browser-user.ts'
import { joinTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

describe('finding the user of a link', () => {
  let t: TestService
  let other: TestOrganization
  before(async () => {
    t = await joinTestService()
    other = await t.createOrganization('Other')
  })
  after(() => t.stop())

  const find = (url: unknown, key?: string) =>
    t.call('POST', '/api/v1/links/find', { body: { url }, ...(key && { key }) })
  const connectionsLink = async (userId: string): Promise<string> =>
    (await t.call('POST', `/api/v1/registered-users/${userId}/connections-link`)).body.url

  it('a magic link, its token and the page behind it lead to the session, which stays unopened', async () => {
    const user = await t.createUser()
    const { magic_link_url, link_token } = await t.mint(user.id)
    const sessions = await t.call('GET', `/api/v1/registered-users/${user.id}/link-sessions`)
    const expected = { registered_user_id: user.id, link_session_id: sessions.body.data[0].id }
    const page = (await createBrowserUser().open(magic_link_url)).url
    for (const url of [magic_link_url, link_token, ` ${magic_link_url}\n`, `${magic_link_url}?utm=1`, page]) {
      const found = await find(url)
      assert.equal(found.status, 200, `${url}: ${found.text}`)
      assert.deepEqual(found.body, expected)
    }
    const unopened = await t.call('GET', `/api/v1/link-sessions/${expected.link_session_id}`)
    assert.equal(unopened.body.status, 'open')
  })

  it('a link to My connections leads to its user', async () => {
    const user = await t.createUser()
    const url = await connectionsLink(user.id)
    const page = (await fetch(url, { redirect: 'manual' })).headers.get('location') as string
    for (const each of [url, new URL(page, url).href])
      assert.deepEqual((await find(each)).body, { registered_user_id: user.id, link_session_id: null })
  })

  it('links of another organization or mode, and unknown or malformed ones, get the same error', async () => {
    const user = await t.createUser()
    const { magic_link_url } = await t.mint(user.id)
    const connections = await connectionsLink(user.id)
    const cases: [url: string, key?: string][] = [
      [magic_link_url, other.key],
      [connections, other.key],
      [magic_link_url, t.organization.testKey],
      [connections, t.organization.testKey],
      [magic_link_url.replace(/cb_mlk_(.{10}).{3}/, 'cb_mlk_$1aaa')],
      ['https://example.com/'],
      [t.organization.key],
    ]
    for (const [url, key] of cases) {
      const { status, body } = await find(url, key)
      const { code, param } = body.error
      assert.deepEqual([status, code, param], [404, 'link_not_found', 'url'], url)
    }
    assert.equal((await find('x'.repeat(2_049))).status, 400)
    assert.equal((await find(42)).status, 400)
  })

  it('the token of the request is not logged', async () => {
    const user = await t.createUser()
    const { magic_link_url, link_token } = await t.mint(user.id)
    await find(magic_link_url)
    await find(link_token, other.key)
    const secret = link_token.slice('cb_lnk_'.length, -6)
    assert.ok(t.logLines.every(line => !line.includes(secret)))
  })

  it('MCP keys are found by their last four characters, in the same organization and mode only', async () => {
    const user = await t.createUser()
    const created = (
      await t.call('POST', `/api/v1/registered-users/${user.id}/mcp-keys`, { body: { name: 'Laptop' } })
    ).body
    const search = async (key: string) =>
      (await t.call('GET', `/api/v1/mcp-keys?hint=${created.key.slice(-4)}`, { key })).body.data
    const { key, ...shown } = created
    assert.deepEqual(await search(t.organization.key), [shown])
    assert.deepEqual(await search(t.organization.testKey), [])
    assert.deepEqual(await search(other.key), [])
    assert.equal((await t.call('GET', `/api/v1/mcp-keys?hint=${key}`)).status, 400)
    assert.equal((await t.call('GET', '/api/v1/mcp-keys')).status, 400)
  })
})
