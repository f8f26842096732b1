import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { LinkTokenRequest } from '@carabiner/contract'
import { revokeDueTokens } from '../../src/features/credentials/revoke-tokens.ts'
import { useOwnApp, writeAcmeConnectors } from '../support/acme-connectors.ts'
import { type BrowserUser, consentAtSandbox, createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { liftPageLimits, startTestService, type TestService } from '../support/test-service.ts'

const NOTES = 'sandbox-notes'
const CALLBACK = 'https://app.example.com/linked'

for (const engine of flowEngines)
  describe(`links that end before their time, on ${engine}`, () => {
    let t: TestService
    const acme = writeAcmeConnectors()
    before(async () => {
      t = await startTestService(engine, {
        CONNECTORS: `${NOTES} sandbox-vault acme-sites`,
        CONNECTORS_DIRECTORY: acme.folder,
      })
      liftPageLimits(t)
      await t.allowOrigin('https://app.example.com')
      await useOwnApp(t, 'acme-sites')
    })
    after(async () => {
      await t.stop()
      acme.remove()
    })

    const createPack = async () =>
      (
        await t.call('POST', '/api/v1/tool-packs', {
          body: { name: crypto.randomUUID(), connectors: [NOTES, 'sandbox-vault', 'acme-sites'] },
        })
      ).body.id as string
    const empty = (packId: string) => () =>
      t.call('PATCH', `/api/v1/tool-packs/${packId}`, { body: { connectors: [] } })
    const remove = (packId: string) => () => t.call('DELETE', `/api/v1/tool-packs/${packId}`)
    const open = async (body: LinkTokenRequest) => {
      const { id } = await t.createUser()
      const browser = createBrowserUser()
      return { id, browser, page: await browser.open((await t.mint(id, body)).magic_link_url) }
    }
    const stored = async (userId: string) =>
      (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data
    const revocations = () => t.sandbox.ledger.filter(({ kind }) => kind === 'revoke').length
    /** Signs in at the provider, makes the change, and returns. */
    const finishAfter = async (
      { browser, page }: Awaited<ReturnType<typeof open>>,
      change: () => Promise<{ status: number }>,
    ) => {
      const signIn = await browser.submit(page, /\/start$/)
      const { status } = await change()
      assert.ok(status < 300, `the change was refused: ${status}`)
      return consentAtSandbox(browser, signIn)
    }
    const lastFailure = async (userId: string) =>
      (await t.events(userId)).findLast(({ type }) => type === 'link.failed')?.payload.reason

    for (const [change, apply] of [
      ['no longer contains the connector', empty],
      ['was deleted', remove],
    ] as const)
      it(`Tool Pack that ${change}: nothing is stored, and the new token is revoked`, async () => {
        const packId = await createPack()
        const opened = await open({ connector: NOTES, tool_pack_id: packId })
        const earlier = revocations()
        const page = await finishAfter(opened, apply(packId))
        assert.match(page.title, /Notes could not be connected/)
        assert.match(page.html, /is no longer offered here/)
        assert.deepEqual(await stored(opened.id), [])
        assert.equal(await lastFailure(opened.id), 'connector_removed')
        await revokeDueTokens(t.service.features)
        await eventually(async () => assert.equal(revocations(), earlier + 1))
      })

    it('Tool Pack that changed: an API key is not stored, and code mode ends with an error', async () => {
      const packId = await createPack()
      const vault = await open({ connector: 'sandbox-vault', tool_pack_id: packId })
      const release = t.sandbox.hold('vault')
      const api_key = t.sandbox.vaultKeys.ana
      const submitting = vault.browser.submit(vault.page, /\/api-key$/, { api_key })
      await eventually(async () =>
        assert.equal(
          (await t.query(`select 1 from link_attempts where connector_slug = 'sandbox-vault'`)).length,
          1,
        ),
      )
      await empty(packId)()
      release()
      assert.match((await submitting).html, /is no longer offered here/)
      assert.deepEqual(await stored(vault.id), [])

      const other = await createPack()
      const coded = await open({ connector: NOTES, tool_pack_id: other, callback_url: CALLBACK, state: 's' })
      await finishAfter(coded, remove(other))
      const returned = new URL(coded.browser.lastLocation as string)
      assert.deepEqual(
        [returned.searchParams.get('status'), returned.searchParams.get('code')],
        ['error', null],
      )
    })

    it('Tool Pack that changed while the person chooses a site or an account: nothing is stored', async () => {
      const packId = await createPack()
      const site = await open({ connector: 'acme-sites', tool_pack_id: packId })
      const choosing = await consentAtSandbox(site.browser, await site.browser.submit(site.page, /\/start$/))
      await empty(packId)()
      const ended = await site.browser.submit(choosing, /\/site$/, { site: 'harbour-club' })
      assert.match(ended.html, /is no longer offered here/)
      assert.deepEqual(await stored(site.id), [])

      const other = await createPack()
      const { id } = await t.createUser()
      const link = async (browser: BrowserUser, account: string) => {
        const { magic_link_url } = await t.mint(id, { connector: NOTES, tool_pack_id: other })
        return linkNotes(browser, magic_link_url, { account })
      }
      await link(createBrowserUser(), 'ana')
      const browser = createBrowserUser()
      const asked = await link(browser, 'ben')
      await remove(other)()
      assert.match((await browser.submit(asked, /\/account$/, { account: 'add' })).html, /no longer offered/)
      assert.equal((await stored(id)).length, 1)
    })

    it('policy and user that changed: the page says that the link is no longer valid', async () => {
      const patch = (path: string, body: object) => t.call('PATCH', `/api/v1/${path}`, { body })
      const isWithdrawn = ({ status, title }: { status: number; title: string }) =>
        assert.deepEqual([status, title.includes('This link is no longer valid')], [410, true], title)

      const half = await open({ connector: NOTES })
      const codeOnly = () => patch('organization', { link_binding: 'code_only' })
      isWithdrawn(await finishAfter(half, codeOnly))
      isWithdrawn(await half.browser.open(half.page.url))
      await patch('organization', { link_binding: 'interstitial' })

      const paused = await open({ connector: NOTES })
      const user = `registered-users/${paused.id}`
      await patch(user, { is_active: false })
      assert.match((await paused.browser.open(paused.page.url)).title, /is paused/)
      await patch(user, { is_active: true })
      const closed = await paused.browser.open(paused.page.url)
      isWithdrawn(closed)
      assert.match((await paused.browser.submit(closed, /\/renew$/)).title, /Request sent/)
      assert.deepEqual(await stored(half.id), [])
    })
  })
