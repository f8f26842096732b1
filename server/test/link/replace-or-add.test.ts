import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { LinkTokenRequest } from '@carabiner/contract'
import { MINUTE } from '../../src/core/duration.ts'
import { endOverdueSecrets } from '../../src/features/credentials/pending-secrets.ts'
import { type BrowserUser, createBrowserUser, linkNotes, type Page } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const ANA = 'ana@example.com'
const BEN = 'ben@example.com'
const ASKS = /Replace or add/
const NOTES = 'sandbox-notes'
const VAULT = 'sandbox-vault'

for (const engine of flowEngines)
  describe(`replace or add, on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
      await t.allowOrigin('https://app.example.com')
    })
    after(() => t.stop())

    type Linked = { browser: BrowserUser; page: Page }
    const link = async (userId: string, account: string, body: LinkTokenRequest = {}): Promise<Linked> => {
      const browser = createBrowserUser()
      const { magic_link_url } = await t.mint(userId, { connector: NOTES, ...body })
      return { browser, page: await linkNotes(browser, magic_link_url, { account }) }
    }
    const linkKey = async (
      userId: string,
      account: 'ana' | 'ben',
      body: LinkTokenRequest = {},
    ): Promise<Linked> => {
      const browser = createBrowserUser()
      const form = await browser.open((await t.mint(userId, { connector: VAULT, ...body })).magic_link_url)
      const page = await browser.submit(form, /\/api-key$/, { api_key: t.sandbox.vaultKeys[account] })
      return { browser, page }
    }
    const choose = ({ browser, page }: Linked, account: string) =>
      browser.submit(page, /\/account$/, { account })
    const linkedUser = async () => {
      const { id } = await t.createUser()
      const { page } = await link(id, 'ana')
      assert.match(page.title, /is connected/)
      return id
    }
    const accountsOf = async (userId: string) =>
      (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data as any[]
    const labelsOf = async (userId: string) => (await accountsOf(userId)).map(({ label }) => label)
    const firstId = async (userId: string): Promise<string> => (await accountsOf(userId))[0].credential_id
    const changes = async (userId: string) =>
      (await t.events(userId)).map(({ type }) => type).filter(type => type.startsWith('credential.'))

    it('the same account replaces its credential and is not asked about', async () => {
      const id = await linkedUser()
      const original = await firstId(id)
      assert.match((await link(id, 'ana')).page.title, /is connected/)
      assert.deepEqual([await firstId(id), await labelsOf(id)], [original, [ANA]])
      assert.deepEqual(await changes(id), ['credential.created', 'credential.replaced'])
    })

    it('another account is asked about; nothing is stored before the answer', async () => {
      const id = await linkedUser()
      const linked = await link(id, 'ben')
      assert.match(linked.page.title, ASKS)
      assert.match(linked.page.html, /ben@example\.com/)
      assert.match(linked.page.html, /Replace <bdi>ana@example\.com<\/bdi>/)
      assert.deepEqual(await labelsOf(id), [ANA])
      assert.match((await choose(linked, 'add')).title, /is connected/)
      assert.deepEqual(await labelsOf(id), [ANA, BEN])
      assert.deepEqual(await changes(id), ['credential.created', 'credential.created'])
    })

    it('replace: keeps the credential ID, and the label follows the account', async () => {
      const id = await linkedUser()
      const original = await firstId(id)
      assert.match((await choose(await link(id, 'ben'), original)).title, /is connected/)
      const [only, ...others] = await accountsOf(id)
      assert.deepEqual([only.credential_id, only.label, only.account, others], [original, BEN, BEN, []])
      const [, replaced] = (await t.events(id)).filter(({ type }) => type.startsWith('credential.'))
      assert.deepEqual([replaced?.type, replaced?.payload.account_changed], ['credential.replaced', true])
    })

    it('replace: another account ends the sharing, and the page says so before', async () => {
      const share = async (userId: string) => {
        const guest = await t.createUser()
        const credentialId = await firstId(userId)
        const path = `/api/v1/registered-users/${userId}/credentials/${credentialId}/access`
        const { status } = await t.call('PUT', path, { body: { registered_user_ids: [guest.id] } })
        assert.equal(status, 200)
        return { guest: guest.id, credentialId }
      }
      const reach = async (guest: string) =>
        (await t.mcp(guest, 'tools/call', { name: `${NOTES}__list_notes`, arguments: {} })).body.result
          .structuredContent
      const sharedWith = async (userId: string) => (await accountsOf(userId))[0].shared_with
      const lastChange = async (userId: string) =>
        (await t.events(userId)).findLast(({ type }) => type === 'credential.replaced')?.payload

      const id = await linkedUser()
      const { guest, credentialId } = await share(id)
      const again = await link(id, 'ana')
      assert.match(again.page.title, /is connected/)
      assert.deepEqual((await sharedWith(id)).registered_user_ids, [guest], 'the same account stays shared')
      assert.equal((await lastChange(id)).sharing_ended, false)
      assert.ok((await reach(guest)).notes)

      const linked = await link(id, 'ben')
      assert.match(linked.page.html, /If you replace it, the new account will not be shared/)
      await choose(linked, credentialId)
      assert.deepEqual((await accountsOf(id))[0].account, BEN)
      assert.deepEqual((await sharedWith(id))?.registered_user_ids ?? [], [])
      assert.equal((await lastChange(id)).sharing_ended, true)
      assert.equal((await reach(guest)).type, 'authenticate_meta')

      const other = await linkedUser()
      const target = await share(other)
      const body = { account: 'replace', credential_id: target.credentialId } as const
      const { magic_link_url } = await t.mint(other, { connector: NOTES, ...body })
      const consent = await createBrowserUser().open(magic_link_url)
      assert.match(consent.html, /If you replace it, the new account will not be shared/)
      assert.match((await link(other, 'ben', body)).page.title, /is connected/)
      assert.equal((await reach(target.guest)).type, 'authenticate_meta')
    })

    it('replace: a label that the user has chosen stays', async () => {
      const id = await linkedUser()
      const original = await firstId(id)
      const path = `/api/v1/registered-users/${id}/credentials/${original}`
      await t.call('PATCH', path, { body: { label: 'Work' } })
      const linked = await link(id, 'ben')
      assert.match(linked.page.html, /Replace <bdi>Work<\/bdi>/)
      await choose(linked, original)
      assert.deepEqual(await labelsOf(id), ['Work'])
    })

    it('an API key is asked about in the same way', async () => {
      const { id } = await t.createUser()
      assert.match((await linkKey(id, 'ana')).page.title, /is connected/)
      assert.match((await linkKey(id, 'ana')).page.title, /is connected/)
      const linked = await linkKey(id, 'ben')
      assert.match(linked.page.title, ASKS)
      assert.match((await choose(linked, 'add')).title, /is connected/)
      assert.deepEqual(await labelsOf(id), [ANA, BEN])
    })

    it('code mode: the answer is kept until the code is confirmed', async () => {
      const id = await linkedUser()
      const original = await firstId(id)
      const body = { callback_url: 'https://app.example.com/done', state: 'abc' }
      const confirm = async (browser: BrowserUser) => {
        const code = new URL(browser.lastLocation as string).searchParams.get('code')
        return t.call('POST', '/api/v1/link-token/confirm', { body: { code } })
      }
      const added = await link(id, 'ben', body)
      assert.match(added.page.title, ASKS)
      await choose(added, 'add')
      assert.deepEqual(await labelsOf(id), [ANA])
      const confirmed = await confirm(added.browser)
      assert.equal(confirmed.status, 200, confirmed.text)
      assert.notEqual(confirmed.body.credential_id, original)
      assert.deepEqual(await labelsOf(id), [ANA, BEN])
      await t.call('DELETE', `/api/v1/registered-users/${id}/credentials/${confirmed.body.credential_id}`)
      const replaced = await link(id, 'ben', body)
      await choose(replaced, original)
      assert.equal((await confirm(replaced.browser)).body.credential_id, original)
      const active = (await accountsOf(id)).filter(({ status }) => status === 'active')
      assert.deepEqual(
        active.map(each => [each.credential_id, each.account]),
        [[original, BEN]],
      )
    })

    it('the request for the link decides: nothing is asked', async () => {
      const id = await linkedUser()
      const original = await firstId(id)
      const added = await link(id, 'ben', { account: 'add', account_label: 'Private' })
      assert.match(added.page.title, /is connected/)
      assert.deepEqual(await labelsOf(id), ['Private', ANA])
      const replaced = await link(await linkedUser(), 'ben', {})
      assert.match(replaced.page.title, ASKS)
      const other = await linkedUser()
      const target = await firstId(other)
      const { page } = await link(other, 'ben', { account: 'replace', credential_id: target })
      assert.match(page.title, /is connected/)
      assert.deepEqual([await firstId(other), await labelsOf(other)], [target, [BEN]])
      assert.notEqual(original, target)
    })

    it('reconnect: the same account is not asked about, another one is', async () => {
      const id = await linkedUser()
      const original = await firstId(id)
      await t.query(`update credentials set status = 'needs_reauth' where id = $1`, [original])
      const { body } = await t.mcp(id, 'tools/call', { name: `${NOTES}__list_notes`, arguments: {} })
      const { magic_link_url } = body.result.structuredContent
      const browser = createBrowserUser()
      const page = await linkNotes(browser, magic_link_url, { account: 'ben' })
      assert.match(page.title, ASKS)
      await browser.submit(page, /\/cancel$/)
      const again = await linkNotes(createBrowserUser(), magic_link_url, { account: 'ana' })
      assert.match(again.title, /is connected/)
      assert.deepEqual(
        (await accountsOf(id)).map(each => [each.credential_id, each.status]),
        [[original, 'active']],
      )
    })

    it('mint: rejects contradictions and credentials of others', async () => {
      const id = await linkedUser()
      const credential_id = await firstId(id)
      const stranger = await firstId(await linkedUser())
      const mint = async (body: object) => {
        const answer = await t.call('POST', `/api/v1/registered-users/${id}/link-token`, { body })
        return [answer.status, answer.body.error?.code, answer.body.error?.param]
      }
      const invalid = (param: string) => [400, 'invalid_request', param]
      const missing = [404, 'credential_not_found', 'credential_id']
      assert.deepEqual(await mint({ connector: NOTES, account: 'replace' }), invalid('credential_id'))
      assert.deepEqual(
        await mint({ connector: NOTES, account: 'add', credential_id }),
        invalid('credential_id'),
      )
      assert.deepEqual(await mint({ credential_id }), invalid('connector_slug'))
      assert.deepEqual(await mint({ connector: NOTES, account_label: 'a\nb' }), invalid('account_label'))
      assert.deepEqual(await mint({ connector: NOTES, credential_id: 'x' }), missing)
      assert.deepEqual(await mint({ connector: NOTES, credential_id: stranger }), missing)
      assert.deepEqual(await mint({ connector: VAULT, credential_id }), missing)
      assert.equal((await mint({ connector: NOTES, credential_id }))[0], 201)
    })

    it('the answer is accepted once, and only from the browser that has signed in', async () => {
      const id = await linkedUser()
      const linked = await link(id, 'ben')
      const other = createBrowserUser()
      assert.doesNotMatch((await other.open(linked.page.url)).title, ASKS)
      const invalid = await choose(linked, 'nobody')
      assert.deepEqual([invalid.status, ASKS.test(invalid.title)], [422, true])
      assert.match((await linked.browser.open(linked.page.url)).title, ASKS)
      const answers = await Promise.all([
        choose(linked, 'add'),
        choose(linked, await firstId(id)),
        choose(linked, 'add'),
      ])
      for (const { title } of answers) assert.match(title, /is connected/)
      assert.equal((await changes(id)).length, 2)
    })

    it('canceling stores nothing, revokes the grant and shows in the timeline', async () => {
      const id = await linkedUser()
      const { browser, page } = await link(id, 'ben')
      assert.match((await browser.submit(page, /\/cancel$/)).title, /You canceled/)
      assert.deepEqual(await labelsOf(id), [ANA])
      await eventually(async () =>
        assert.deepEqual(
          await t.query('select reason, outcome from revocations where registered_user_id = $1', [id]),
          [{ reason: 'choice_not_made', outcome: 'revoked' }],
        ),
      )
      const { body } = await t.call('GET', `/api/v1/registered-users/${id}/link-sessions`)
      const steps = body.data[0].timeline.map(({ step }: { step: string }) => step)
      assert.deepEqual(steps.slice(-3), ['left', 'choosing_account', 'cancelled'])
    })

    it('a question without an answer ends with its session, and the grant is revoked', async () => {
      const id = await linkedUser()
      const linked = await link(id, 'ben')
      await t.moveClock(31 * MINUTE)
      try {
        assert.match((await choose(linked, 'add')).title, /has expired/)
        await endOverdueSecrets(t.service.features.db)
      } finally {
        await t.moveClock(0)
      }
      assert.deepEqual(await labelsOf(id), [ANA])
      assert.deepEqual(await t.query('select reason from revocations where registered_user_id = $1', [id]), [
        { reason: 'choice_not_made' },
      ])
    })

    it('an account that was disconnected meanwhile cannot be replaced', async () => {
      const id = await linkedUser()
      const original = await firstId(id)
      const linked = await link(id, 'ben')
      await t.call('DELETE', `/api/v1/registered-users/${id}/credentials/${original}`)
      const again = await choose(linked, original)
      assert.deepEqual([again.status, ASKS.test(again.title)], [422, true])
      assert.match((await choose(linked, 'add')).title, /is connected/)
    })

    it('a user who is deactivated before the answer is not linked', async () => {
      const id = await linkedUser()
      const linked = await link(id, 'ben')
      await t.call('PATCH', `/api/v1/registered-users/${id}`, { body: { is_active: false } })
      assert.doesNotMatch((await choose(linked, 'add')).title, /is connected/)
      const statuses = (await accountsOf(id)).map(({ status }) => status)
      assert.deepEqual(statuses, ['revoked'])
    })

    it('concurrent confirmations of the same account store it once', async () => {
      const { id } = await t.createUser()
      const body = { callback_url: 'https://app.example.com/done', state: 'abc' }
      const linked = []
      for (const account of ['ana', 'ben', 'ana', 'ben', 'ana']) linked.push(await link(id, account, body))
      const confirmed = await Promise.all(
        linked.map(({ browser }) => {
          const code = new URL(browser.lastLocation as string).searchParams.get('code')
          return t.call('POST', '/api/v1/link-token/confirm', { body: { code } })
        }),
      )
      assert.deepEqual(
        confirmed.map(({ status }) => status),
        linked.map(() => 200),
      )
      assert.deepEqual(await labelsOf(id), [ANA, BEN])
    })
  })
