import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import { DAY } from '../../src/core/duration.ts'
import { reportAtRisk } from '../../src/features/credentials/health/report-at-risk.ts'
import { createBrowserUser } from '../support/browser-user.ts'
import { listedConnector, writeConnectors } from '../support/listed-connectors.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const SLUGS = ['ends-in-header', 'ends-in-request'] as const
type Slug = (typeof SLUGS)[number]

describe('keys whose end the provider states', () => {
  const vendor = { endsAt: null as Date | null }
  const server = createServer((request, response) => {
    const end = vendor.endsAt?.toISOString() ?? null
    if (request.url === '/me') response.setHeader('x-key-ends', end ?? 'never')
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify(request.url === '/key' ? { key: { expires_at: end } } : { email: 'ana@example.com' }),
    )
  })
  let files: ReturnType<typeof writeConnectors>
  let t: TestService
  before(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const connector = (slug: Slug): ConnectorFile => {
      const page = { source: 'https://vendor.example/keys', checked_on: '2026-11-19' }
      const end =
        slug === 'ends-in-header'
          ? { header: 'X-Key-Ends', ...page }
          : { url: `${origin}/key`, at: '/key/expires_at', ...page }
      const listed = listedConnector({ slug, name: slug, summary: 'Things', categories: ['other'] })
      return {
        ...listed,
        identity: { url: `${origin}/me`, account: '/email', ends_at: end },
        credential_origins: [origin],
        tools: listed.tools.map(tool => ({ ...tool, request: { method: 'GET', url: `${origin}/things` } })),
      }
    }
    files = writeConnectors(SLUGS.map(connector))
    t = await startTestService('postgres', { CONNECTORS_DIRECTORY: files.folder })
  })
  after(async () => {
    await t.stop()
    files.remove()
    server.close()
    server.closeAllConnections()
  })
  beforeEach(() => {
    vendor.endsAt = null
  })

  const inDays = (days: number): Date => new Date(Date.now() + days * DAY)
  const link = async (slug: Slug): Promise<string> => {
    const { id } = await t.createUser()
    const browser = createBrowserUser()
    const form = await browser.open((await t.mint(id, { connector: slug })).magic_link_url)
    assert.match((await browser.submit(form, /\/api-key$/, { api_key: 'key-1' })).url, /\/done/)
    return id
  }
  const credentialOf = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data[0]
  const healthOf = async (userId: string) => (await credentialOf(userId)).health
  const announced = async (userId: string) =>
    (await t.events(userId)).filter(({ type }) => type === 'credential.at_risk').length
  const testKey = async (userId: string): Promise<void> => {
    const { credential_id } = await credentialOf(userId)
    const path = `/api/v1/registered-users/${userId}/credentials/${credential_id}/test`
    assert.equal((await t.call('POST', path)).body.works, true)
  }
  const replace = async (userId: string): Promise<void> => {
    const { url } = (await t.call('POST', `/api/v1/registered-users/${userId}/connections-link`)).body
    const browser = createBrowserUser()
    const list = await browser.submit(await browser.open(url), /\/open$/)
    const detail = await browser.follow(list, new RegExp((await credentialOf(userId)).credential_id))
    const form = await browser.follow(detail, /\/replace/)
    assert.match((await browser.submit(form, /\/replace$/, { api_key: 'key-2' })).html, /are in use/)
  }
  /** The end by which the credential is at risk, as many days from now as it was stated. */
  const assertEnds = async (userId: string, stated: Date): Promise<void> => {
    const { state, reason, ends_at } = await healthOf(userId)
    assert.deepEqual([state, reason], ['at_risk', 'expires'])
    assert.ok(Math.abs(Date.parse(ends_at) - stated.getTime()) < DAY / 24, ends_at)
  }

  for (const slug of SLUGS)
    it(`the end is read when an account is linked, and announced before (${slug})`, async () => {
      vendor.endsAt = inDays(30)
      const userId = await link(slug)
      assert.equal((await healthOf(userId)).state, 'healthy')
      await t.moveClock(28 * DAY)
      await assertEnds(userId, vendor.endsAt)
      await reportAtRisk(t.service.features)
      assert.equal(await announced(userId), 1)
      // The same end is not announced again.
      await testKey(userId)
      await reportAtRisk(t.service.features)
      assert.equal(await announced(userId), 1)
      await t.moveClock(-28 * DAY)
    })

  it('a new key has its own end, or none', async () => {
    vendor.endsAt = inDays(30)
    const userId = await link('ends-in-request')
    vendor.endsAt = inDays(90)
    await replace(userId)
    await t.moveClock(28 * DAY)
    assert.equal((await healthOf(userId)).state, 'healthy')
    await t.moveClock(60 * DAY)
    await assertEnds(userId, vendor.endsAt)
    await t.moveClock(-88 * DAY)
    vendor.endsAt = null
    await replace(userId)
    await t.moveClock(88 * DAY)
    assert.equal((await healthOf(userId)).state, 'healthy')
    await t.moveClock(-88 * DAY)
  })

  it('an end that the provider states or changes later is stored when the account is read again', async () => {
    const userId = await link('ends-in-header')
    for (const days of [30, 60]) {
      vendor.endsAt = inDays(days)
      await testKey(userId)
      await t.moveClock((days - 2) * DAY)
      await assertEnds(userId, vendor.endsAt)
      await t.moveClock(-(days - 2) * DAY)
    }
    assert.equal((await healthOf(userId)).state, 'healthy')
  })
})
