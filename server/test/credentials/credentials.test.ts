import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY, HOUR } from '../../src/core/duration.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { refreshIdle } from '../../src/features/credentials/refresh-idle.ts'
import { revokeDueTokens } from '../../src/features/credentials/revoke-tokens.ts'
import { registerAtSandbox, writeAcmeConnectors } from '../support/acme-connectors.ts'
import { consentAtSandbox, createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines) {
  describe(`credentials on ${engine}`, () => {
    const acme = writeAcmeConnectors()
    let t: TestService
    before(async () => {
      t = await startTestService(engine, { CONNECTORS_DIRECTORY: acme.folder })
      const path = '/api/v1/connectors/acme-notes/oauth-app'
      const { redirect_uri } = (await t.call('GET', path)).body
      const body = await registerAtSandbox(t.sandbox.url, redirect_uri)
      assert.equal((await t.call('PUT', path, { body })).status, 200)
    })
    after(async () => {
      await t.stop()
      acme.remove()
    })

    const at = (userId: string, rest = '') => `/api/v1/registered-users/${userId}/credentials${rest}`
    const list = async (userId: string) => (await t.call('GET', at(userId))).body.data
    const link = async (userId: string, options: { account?: string; replaces?: string } = {}) => {
      const { replaces, ...account } = options
      const replacing = replaces && ({ account: 'replace', credential_id: replaces } as const)
      const { magic_link_url } = await t.mint(userId, { connector: 'sandbox-notes', ...replacing })
      return linkNotes(createBrowserUser(), magic_link_url, account)
    }
    const linkAcme = async (magicLinkUrl: string, options = {}) => {
      const browser = createBrowserUser()
      const consent = await browser.open(magicLinkUrl)
      return {
        browser,
        consent,
        done: await consentAtSandbox(browser, await browser.submit(consent, /\/start$/), options),
      }
    }
    const linkVault = async (userId: string, account: 'ana' | 'ben' = 'ana') => {
      const browser = createBrowserUser()
      const form = await browser.open((await t.mint(userId, { connector: 'sandbox-vault' })).magic_link_url)
      return browser.submit(form, /\/api-key$/, { api_key: t.sandbox.vaultKeys[account] })
    }
    const call = async (userId: string, name: string, args = {}) =>
      (await t.mcp(userId, 'tools/call', { name, arguments: args })).body.result
    const receipts = async (userId: string) =>
      (await t.call('GET', `/api/v1/registered-users/${userId}/revocations`)).body.data
    /** The revocation job of the service may run at the same time. */
    const outcomes = (userId: string) =>
      eventually(async () => {
        const found = (await receipts(userId)).map((one: any) => one.outcome)
        assert.ok(!found.includes('pending'))
        return found
      })

    it('are listed and read without the secret', async () => {
      const user = await t.createUser()
      await link(user.id)
      await linkVault(user.id)
      const data = await list(user.id)
      assert.deepEqual(
        data.map((one: any) => [one.connector_slug, one.method, one.status, one.account, one.oauth_app]),
        [
          ['sandbox-notes', 'oauth2', 'active', 'ana@example.com', 'service'],
          ['sandbox-vault', 'api_key', 'active', 'ana@example.com', null],
        ],
      )
      const [notes] = data
      assert.deepEqual(notes.scopes, ['notes:read', 'notes:write'])
      assert.ok(notes.access_expires_at)
      assert.deepEqual((await t.call('GET', at(user.id, `/${notes.credential_id}`))).body, notes)
      assert.doesNotMatch(JSON.stringify(data), /sealed|secret|token|sv_live/)
    })

    it('of another organization, mode or user are not found', async () => {
      const user = await t.createUser()
      await link(user.id)
      const [{ credential_id }] = await list(user.id)
      const other = await t.createOrganization('Other')
      const otherUser = await t.createUser()
      for (const [path, options] of [
        [at(user.id), { key: other.key }],
        [at(user.id), { key: t.organization.testKey }],
        [at(newUuid()), {}],
        [at('x'), {}],
        [at(user.id, `/${newUuid()}`), {}],
        [at(user.id, '/x'), {}],
        [at(otherUser.id, `/${credential_id}`), {}],
      ] as const)
        for (const method of path.endsWith('credentials') ? ['GET'] : ['GET', 'DELETE'])
          assert.equal((await t.call(method, path, options)).status, 404, `${method} ${path}`)
      assert.equal((await list(user.id))[0].status, 'active')
    })

    it('are tested with a provider call, refreshed if expired, and marked if the provider rejects them', async () => {
      const user = await t.createUser()
      await link(user.id)
      await linkVault(user.id, 'ben')
      const [notes, vault] = await list(user.id)
      const test = async (id: string) => (await t.call('POST', at(user.id, `/${id}/test`))).body
      const good = await test(notes.credential_id)
      assert.deepEqual([good.works, good.outcome, good.account], [true, 'works', 'ana@example.com'])
      await t.moveClock(2 * HOUR)
      const refreshed = t.sandbox.ledger.filter(({ kind }) => kind === 'refresh').length
      assert.equal((await test(notes.credential_id)).outcome, 'works')
      assert.equal(t.sandbox.ledger.filter(({ kind }) => kind === 'refresh').length, refreshed + 1)
      t.sandbox.script({ target: 'vault', behavior: 'status', status: 503 })
      assert.equal((await test(vault.credential_id)).outcome, 'unavailable')
      t.sandbox.script({ target: 'vault', behavior: 'status', status: 401 })
      const rejected = await test(vault.credential_id)
      assert.deepEqual([rejected.works, rejected.outcome], [false, 'rejected'])
      assert.equal((await list(user.id))[1].status, 'active')
      t.sandbox.revokeVaultKey('ben')
      const bad = await test(vault.credential_id)
      assert.deepEqual([bad.works, bad.outcome], [false, 'needs_reauth'])
      const [, marked] = await list(user.id)
      assert.deepEqual([marked.status, marked.status_reason], ['needs_reauth', 'revoked'])
      assert.ok(marked.checked_at)
      assert.equal(
        (await t.query('select 1 from tool_calls where registered_user_id = $1', [user.id])).length,
        0,
      )
    })

    const failedRevocation = ({ kind, outcome }: { kind: string; outcome: string }) =>
      kind === 'revoke' && outcome === 'fault'

    it('deleted: unusable at once, revoked at the provider by a job, with a receipt [credential.revoked-there]', async () => {
      const user = await t.createUser()
      await link(user.id)
      await linkVault(user.id)
      const [notes, vault] = await list(user.id)
      t.sandbox.script({ target: 'revoke', behavior: 'status', status: 503 })
      for (const { credential_id } of [notes, vault])
        assert.equal((await t.call('DELETE', at(user.id, `/${credential_id}`))).status, 204)
      const meta = (await call(user.id, 'sandbox-notes__list_notes')).structuredContent
      assert.deepEqual([meta.type, meta.reason], ['authenticate_meta', 'revoked'])
      assert.equal(
        (await t.call('DELETE', at(user.id, `/${notes.credential_id}`))).status,
        404,
        'a second deletion',
      )
      await eventually(async () => assert.equal(t.sandbox.ledger.filter(failedRevocation).length, 1))
      await t.moveClock(HOUR)
      await revokeDueTokens(t.service.features)
      await outcomes(user.id)
      const entries = (await receipts(user.id)).map((one: any) => [
        one.connector_slug,
        one.credential_id,
        one.reason,
        one.outcome,
      ])
      assert.deepEqual(entries.toSorted(), [
        ['sandbox-notes', notes.credential_id, 'deleted', 'revoked'],
        ['sandbox-vault', vault.credential_id, 'deleted', 'not_supported'],
      ])
      const types = (await t.events(user.id)).map(({ type }) => type)
      assert.equal(types.filter(type => type === 'credential.revoked').length, 2)
    })

    it('linked again keep their ID, and the event reports a changed account [credential.replaced-in-place]', async () => {
      const user = await t.createUser()
      await link(user.id)
      const [first] = await list(user.id)
      await link(user.id)
      await link(user.id, { account: 'ben', replaces: first.credential_id })
      const [last] = await list(user.id)
      assert.equal(last.credential_id, first.credential_id)
      assert.equal(last.account, 'ben@example.com')
      const replaced = (await t.events(user.id)).filter(({ type }) => type === 'credential.replaced')
      assert.deepEqual(
        replaced.map(({ payload }) => [payload.previous_account, payload.account, payload.account_changed]),
        [
          ['ana@example.com', 'ana@example.com', false],
          ['ana@example.com', 'ben@example.com', true],
        ],
      )
    })

    it('a tool with missing scopes returns a link that requests only those, before any provider call [credential.missing-scope]', async () => {
      const user = await t.createUser()
      await linkAcme((await t.mint(user.id, { connector: 'acme-notes' })).magic_link_url)
      assert.deepEqual((await list(user.id))[0].scopes, ['notes:read'])
      const calls = t.sandbox.ledger.length
      const meta = (await call(user.id, 'acme-notes__create', { title: 'x' })).structuredContent
      assert.deepEqual([meta.type, meta.reason], ['authenticate_meta', 'insufficient_scope'])
      assert.equal(t.sandbox.ledger.length, calls, 'the provider was not called')
      const { consent, done } = await linkAcme(meta.magic_link_url)
      assert.match(consent.html, /Create new items<small><bdi>create<\/bdi>/)
      assert.doesNotMatch(consent.html, /Read information/, 'only the missing scopes are shown')
      assert.match(done.url, /\/done/)
      assert.deepEqual((await list(user.id))[0].scopes.toSorted(), ['notes:read', 'notes:write'])
      assert.equal((await call(user.id, 'acme-notes__create', { title: 'Added' })).isError, false)
      assert.equal(
        (await call(user.id, 'acme-notes__list')).isError,
        false,
        'the earlier grant is still valid',
      )
    })

    it('an API key that was linked is used to call the tools of its connector', async () => {
      const user = await t.createUser()
      assert.equal(
        (await call(user.id, 'sandbox-vault__list_items')).structuredContent.reason,
        'never_linked',
      )
      await linkVault(user.id)
      const { items } = (await call(user.id, 'sandbox-vault__list_items')).structuredContent
      assert.deepEqual(
        items.map(({ id }: { id: string }) => id),
        ['item_a1', 'item_a2', 'item_a3'],
      )
      const { account } = (await call(user.id, 'sandbox-vault__get_account')).structuredContent
      assert.equal(account.email, 'ana@example.com')
    })

    it('insufficient_scope: the link requests what the provider named, and a repeated refusal is an error', async () => {
      const user = await t.createUser()
      const post = () => call(user.id, 'acme-notes__post', { title: 'Posted' })
      const linkPlainly = async () =>
        linkAcme((await t.mint(user.id, { connector: 'acme-notes' })).magic_link_url)
      await linkPlainly()
      const meta = (await post()).structuredContent
      assert.deepEqual([meta.type, meta.reason], ['authenticate_meta', 'insufficient_scope'])
      await linkAcme(meta.magic_link_url, { scopes: ['notes:read'] })
      assert.deepEqual((await list(user.id))[0].scopes, ['notes:read'])
      for (const tool of ['post', 'create']) {
        const refused = await call(user.id, `acme-notes__${tool}`, { title: 'Posted' })
        assert.equal(refused.isError, true)
        assert.equal(refused.structuredContent.error.code, 'third_party_forbidden')
        assert.match(refused.structuredContent.error.message, /Acme did not grant .* \(notes:write\)/)
      }
      await linkPlainly()
      const again = (await post()).structuredContent
      assert.equal(again.reason, 'insufficient_scope', 'a new link allows one more attempt')
      await linkAcme(again.magic_link_url)
      assert.deepEqual((await list(user.id))[0].scopes.toSorted(), ['notes:read', 'notes:write'])
      assert.equal((await post()).isError, false)
    })

    it('insufficient_scope: a repeated refusal is an error in code mode, once the code is confirmed', async () => {
      const user = await t.createUser()
      const post = async () =>
        (await call(user.id, 'acme-notes__post', { title: 'Posted' })).structuredContent
      await linkAcme((await t.mint(user.id, { connector: 'acme-notes' })).magic_link_url)
      await t.allowOrigin('https://app.example.com')
      const setBinding = (body: object) => t.call('PATCH', '/api/v1/organization', { body })
      await setBinding({ link_binding: 'code_only', runtime_callback_url: 'https://app.example.com/runtime' })
      const { browser } = await linkAcme((await post()).magic_link_url, { scopes: ['notes:read'] })
      assert.equal(
        (await post()).reason,
        'insufficient_scope',
        'nothing is connected before the code is confirmed',
      )
      const code = new URL(browser.lastLocation as string).searchParams.get('code')
      assert.equal((await t.call('POST', '/api/v1/link-token/confirm', { body: { code } })).status, 200)
      const refused = await post()
      await setBinding({ link_binding: 'interstitial', runtime_callback_url: null })
      assert.equal(refused.error?.code, 'third_party_forbidden', JSON.stringify(refused))
      assert.match(refused.error.message, /Acme did not grant .* \(notes:write\)/)
    })

    it('a grant that another user’s credential also uses is not revoked', async () => {
      const [a, b] = [await t.createUser(), await t.createUser()]
      for (const user of [a, b])
        await linkAcme((await t.mint(user.id, { connector: 'acme-notes' })).magic_link_url, {
          account: 'ben',
        })
      const end = async (userId: string) =>
        t.call('DELETE', at(userId, `/${(await list(userId))[0].credential_id}`))
      await end(a.id)
      await revokeDueTokens(t.service.features)
      assert.deepEqual(await outcomes(a.id), ['kept_shared'])
      assert.equal((await call(b.id, 'acme-notes__list')).isError, false)
      await end(b.id)
      await revokeDueTokens(t.service.features)
      assert.deepEqual(await outcomes(b.id), ['revoked'], 'the last credential of the grant revokes it')
    })

    it('idle credentials are refreshed once a day, before the provider expires them', async () => {
      const user = await t.createUser()
      await link(user.id)
      const count = () => t.sandbox.ledger.filter(({ kind }) => kind === 'refresh').length
      await t.moveClock(4 * DAY)
      const earlier = count()
      await refreshIdle(t.service.features)
      const [still] = await list(user.id)
      assert.equal(still.checked_at, null)
      await t.moveClock(2 * DAY)
      await Promise.all([refreshIdle(t.service.features), refreshIdle(t.service.features)])
      const refreshed = count()
      assert.ok(refreshed > earlier)
      await refreshIdle(t.service.features)
      assert.equal(count(), refreshed, 'not again on the same day')
      assert.equal((await call(user.id, 'sandbox-notes__list_notes')).isError, false)
    })
  })
}
