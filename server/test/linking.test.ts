import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from './support/databases.ts'
import { createPerson, linkNotes } from './support/person.ts'
import { startTestService, type TestService } from './support/test-service.ts'

for (const engine of engines) {
  describe(`linking on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await startTestService(engine)
    })
    after(() => t.stop())

    it('a magic link without state stores the credential and ends on the completion page', async () => {
      const user = await t.createUser()
      const { magic_link_url } = await t.mint(user.id)
      const page = await linkNotes(createPerson(), magic_link_url)
      assert.equal(page.status, 200)
      assert.match(page.html, /ana@example\.com/)
      const linked = await t.call('GET', `/api/v1/registered-users/${user.id}`)
      assert.deepEqual(linked.body.linked_connectors, ['sandbox-notes'])
    })

    it('code mode stores nothing before confirm, and confirm stores the credential', async () => {
      await t.allowOrigin('https://app.example.com')
      const user = await t.createUser()
      const { magic_link_url } = await t.mint(user.id, {
        Connector: 'sandbox-notes',
        callback_url: 'https://app.example.com/done?x=1#f',
        state: 'st at&e',
      })
      const person = createPerson()
      await linkNotes(person, magic_link_url)
      const location = new URL(person.lastLocation as string)
      assert.equal(location.searchParams.get('status'), 'success')
      assert.equal(location.searchParams.get('state'), 'st at&e')
      const code = location.searchParams.get('code') as string
      assert.deepEqual(
        (await t.call('GET', `/api/v1/registered-users/${user.id}`)).body.linked_connectors,
        [],
      )
      const confirmed = await t.call('POST', '/api/v1/link-token/confirm/', { body: { code } })
      assert.equal(confirmed.status, 200, confirmed.text)
      assert.equal(confirmed.body.registered_user_id, user.id)
      assert.deepEqual((await t.call('GET', `/api/v1/registered-users/${user.id}`)).body.linked_connectors, [
        'sandbox-notes',
      ])
      const again = await t.call('POST', '/api/v1/link-token/confirm/', { body: { code } })
      assert.equal(again.body.error.code, 'invalid_authorization_code')
    })

    it('a tool call answers authenticate_meta first, and succeeds after linking', async () => {
      const user = await t.createUser()
      const call = () =>
        t.mcp(user.id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: { limit: 2 } })
      const first = await call()
      assert.equal(first.body.result.structuredContent.type, 'authenticate_meta', first.text)
      await linkNotes(createPerson(), first.body.result.structuredContent.magic_link_url)
      const second = await call()
      assert.equal(second.body.result.structuredContent.notes.length, 2, second.text)
    })
  })
}
