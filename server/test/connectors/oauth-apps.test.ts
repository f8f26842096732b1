import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { HOUR } from '../../src/core/duration.ts'
import { registerAtSandbox, writeAcmeConnectors } from '../support/acme-connectors.ts'
import { type BrowserUser, consentAtSandbox, createBrowserUser, type Page } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const APP = '/api/v1/connectors/acme-notes/oauth-app'
const NOTES_APP = '/api/v1/connectors/sandbox-notes/oauth-app'

for (const engine of flowEngines) {
  describe(`an organization’s own OAuth app, on ${engine}`, () => {
    const acme = writeAcmeConnectors()
    let t: TestService
    before(async () => {
      t = await startTestService(engine, { CONNECTORS_DIRECTORY: acme.folder })
    })
    after(async () => {
      await t.stop()
      acme.remove()
    })

    const configureApp = async (path = APP, more: Record<string, unknown> = {}, key?: string) => {
      const options = key ? { key } : {}
      const { redirect_uri } = (await t.call('GET', path, options)).body
      const client = await registerAtSandbox(t.sandbox.url, redirect_uri)
      const saved = await t.call('PUT', path, { body: { ...client, ...more }, ...options })
      assert.equal(saved.status, 200, saved.text)
      return { ...client, state: saved.body }
    }
    const startLink = async (browser: BrowserUser, userId: string, slug: string): Promise<Page> =>
      browser.submit(
        await browser.open((await t.mint(userId, { connector: slug })).magic_link_url),
        /\/start$/,
      )
    const link = async (userId: string, slug = 'acme-notes') => {
      const browser = createBrowserUser()
      const done = await consentAtSandbox(browser, await startLink(browser, userId, slug))
      assert.match(done.url, /\/done/, done.title)
    }
    const call = async (userId: string, name = 'acme-notes__list') =>
      (await t.mcp(userId, 'tools/call', { name, arguments: {} })).body.result
    const lastAuthorize = () => t.sandbox.ledger.filter(({ kind }) => kind === 'authorize').at(-1)
    const refreshes = () => t.sandbox.ledger.filter(({ kind }) => kind === 'refresh')
    const credentialOf = async (userId: string) =>
      (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data[0]

    it('a connector without an app is not offered, and minting for it returns how to configure one', async () => {
      const offered = (await t.call('GET', '/api/v1/connectors')).body.data
      assert.ok(!offered.some(({ slug }: { slug: string }) => slug === 'acme-notes'))
      const user = await t.createUser()
      const picker = await createBrowserUser().open((await t.mint(user.id)).magic_link_url)
      assert.doesNotMatch(picker.html, /connector=acme-notes/)
      const refused = await t.call('POST', `/api/v1/registered-users/${user.id}/link-token`, {
        body: { connector: 'acme-notes' },
      })
      assert.equal(refused.status, 400)
      assert.equal(refused.body.error.code, 'connector_not_configured')
      const { message } = refused.body.error
      assert.match(message, /PUT \/api\/v1\/connectors\/acme-notes\/oauth-app/)
      assert.match(message, /OAUTH_ACME_NOTES_CLIENT_ID/)
      const { redirect_uri } = (await t.call('GET', APP)).body
      assert.ok(message.includes(redirect_uri))
    })

    it('GET returns the redirect URI before and after the app is set, and never the secret', async () => {
      const none = (await t.call('GET', APP)).body
      assert.equal(none.in_use, 'none')
      assert.equal(none.client_id, null)
      assert.equal(
        none.redirect_uri,
        `${t.baseUrl}/oauth/callback/acme-notes.${t.organization.id}`,
        'stable and specific to the organization',
      )
      const { client_secret, state } = await configureApp()
      assert.equal(state.in_use, 'own')
      assert.equal(state.has_client_secret, true)
      assert.deepEqual(state.scopes, ['notes:read'])
      for (const text of [JSON.stringify(state), (await t.call('GET', APP)).text])
        assert.ok(!text.includes(client_secret))
      const rows = await t.query('select * from oauth_apps')
      assert.ok(!JSON.stringify(rows).includes(client_secret))
      assert.ok(!t.logLines.some(line => line.includes(client_secret)))
    })

    it('new links use its redirect URI and its client [auth.own-oauth-app]', async () => {
      const { client_id } = await configureApp()
      const user = await t.createUser()
      await link(user.id)
      assert.equal(lastAuthorize()?.detail?.client_id, client_id)
      const stored = await credentialOf(user.id)
      assert.equal(stored.oauth_app, 'own')
      assert.equal(stored.account, 'ana@example.com')
      assert.equal((await call(user.id)).structuredContent.notes.length, 3)
    })

    it('is not used for another organization, whose redirect URI does not accept its responses', async () => {
      await configureApp()
      const other = await t.createOrganization('Other')
      const state = (await t.call('GET', APP, { key: other.key })).body
      assert.equal(state.in_use, 'none')
      const user = await t.createUser()
      const browser = createBrowserUser()
      const signIn = await startLink(browser, user.id, 'acme-notes')
      await consentAtSandbox(browser, signIn, {})
      // The state was not issued for the other organization’s redirect URI.
      const wrong = await createBrowserUser().open(`${state.redirect_uri}?code=x&state=y`)
      assert.equal(wrong.status, 400)
    })

    it('a new secret of the same client is used by the next refresh', async () => {
      const { client_id, client_secret } = await configureApp()
      const user = await t.createUser()
      await link(user.id)
      await t.moveClock(2 * HOUR)
      await t.call('PUT', APP, { body: { client_id, client_secret: 'mistyped' } })
      const refused = await call(user.id)
      assert.equal(refused.isError, true)
      assert.equal(refused.structuredContent.error.code, 'third_party_unavailable')
      assert.equal(
        (await credentialOf(user.id)).status,
        'active',
        'a wrong client secret does not revoke the credential',
      )
      await t.call('PUT', APP, { body: { client_id, client_secret } })
      const earlier = refreshes().length
      assert.equal((await call(user.id)).isError, false)
      assert.equal(refreshes().length, earlier + 1)
    })

    it('without a secret, the stored one of the same client stays, and another client has none', async () => {
      const { client_id } = await configureApp()
      const user = await t.createUser()
      await link(user.id)
      const save = async (body: object) => (await t.call('PUT', APP, { body })).body.has_client_secret
      assert.equal(await save({ client_id, scopes: ['notes:read', 'notes:write'] }), true)
      await t.moveClock(2 * HOUR)
      assert.equal((await call(user.id)).isError, false, 'refreshed with the stored secret')
      assert.equal(await save({ client_id: 'another-client' }), false)
    })

    it('a new client is used for new links; existing credentials keep the previous client', async () => {
      await configureApp()
      const user = await t.createUser()
      await link(user.id)
      const next = await configureApp()
      await t.moveClock(2 * HOUR)
      assert.equal((await call(user.id)).isError, false, 'refreshed with the client that issued the token')
      const newcomer = await t.createUser()
      await link(newcomer.id)
      assert.equal(lastAuthorize()?.detail?.client_id, next.client_id)
    })

    it('tested: the provider’s answer shows whether it accepts the client; nothing is stored', async () => {
      const test = async (path = APP) => (await t.call('POST', `${path}/test`)).body
      assert.deepEqual((await test(NOTES_APP)).outcome, 'accepted')
      const client = await configureApp()
      const accepted = await test()
      assert.deepEqual([accepted.outcome, accepted.in_use], ['accepted', 'own'])
      await t.call('PUT', APP, { body: { client_id: client.client_id, client_secret: 'wrong' } })
      const rejected = await test()
      assert.equal(rejected.outcome, 'rejected')
      assert.ok(!JSON.stringify(rejected).includes('wrong'))
      await t.call('PUT', APP, { body: { client_id: 'nobody', client_secret: 'wrong' } })
      assert.equal((await test()).outcome, 'rejected')
      await t.call('DELETE', APP)
      assert.equal((await test()).error.code, 'oauth_app_not_found')
      const keyed = await t.call('POST', '/api/v1/connectors/sandbox-vault/oauth-app/test')
      assert.equal(keyed.body.error.code, 'oauth_app_not_applicable')
    })

    it('connectors without an app are listed on request, marked as not usable', async () => {
      await t.call('DELETE', APP)
      const { data } = (await t.call('GET', '/api/v1/connectors?include=not_configured')).body
      const usable = new Map(
        data.map((one: { slug: string; is_usable: boolean }) => [one.slug, one.is_usable]),
      )
      assert.deepEqual([usable.get('acme-notes'), usable.get('sandbox-notes')], [false, true])
      assert.equal((await t.call('GET', '/api/v1/connectors?include=everything')).status, 400)
    })

    it('its scopes replace the scopes of the connector', async () => {
      const { state } = await configureApp(APP, { scopes: ['notes:read', 'notes:write'] })
      assert.deepEqual([state.scopes, state.scopes_overridden], [['notes:read', 'notes:write'], true])
      const user = await t.createUser()
      await link(user.id)
      assert.deepEqual((await credentialOf(user.id)).scopes, ['notes:read', 'notes:write'])
    })

    it('removed: new links use the service’s app, and existing credentials need reauthorization', async () => {
      await configureApp(NOTES_APP)
      const user = await t.createUser()
      await link(user.id, 'sandbox-notes')
      assert.equal((await credentialOf(user.id)).oauth_app, 'own')
      assert.equal((await t.call('DELETE', NOTES_APP)).status, 204)
      const stored = await credentialOf(user.id)
      assert.deepEqual([stored.status, stored.status_reason], ['needs_reauth', 'oauth_app_removed'])
      const event = (await t.events(user.id)).find(({ type }) => type === 'credential.needs_reauth')
      assert.equal(event?.payload.reason, 'oauth_app_removed')
      const meta = (await call(user.id, 'sandbox-notes__list_notes')).structuredContent
      assert.deepEqual([meta.type, meta.reason], ['authenticate_meta', 'revoked'])
      assert.equal((await t.call('GET', NOTES_APP)).body.in_use, 'service')
      await link(user.id, 'sandbox-notes')
      assert.equal((await credentialOf(user.id)).oauth_app, 'service')
      assert.equal((await call(user.id, 'sandbox-notes__list_notes')).isError, false)
      assert.equal((await t.call('DELETE', NOTES_APP)).body.error.code, 'oauth_app_not_found')
    })

    it('is rejected for a test key, a connector without OAuth, and an unknown connector', async () => {
      const body = { client_id: 'x', client_secret: 'y' }
      const asTest = await t.call('PUT', APP, { body, key: t.organization.testKey })
      assert.equal(asTest.body.error.code, 'production_key_required')
      const keyed = await t.call('PUT', '/api/v1/connectors/sandbox-vault/oauth-app', { body })
      assert.equal(keyed.body.error.code, 'oauth_app_not_applicable')
      const unknown = await t.call('PUT', '/api/v1/connectors/unknown/oauth-app', { body })
      assert.equal(unknown.status, 404)
    })
  })
}
