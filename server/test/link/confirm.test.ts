import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MINUTE } from '../../src/core/duration.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const CALLBACK = 'https://app.example.com/cb'

for (const engine of flowEngines) {
  describe(`authorization codes on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
      await t.allowOrigin('https://app.example.com')
    })
    after(() => t.stop())

    const issueCode = async (userId: string, key = t.organization.key): Promise<string> => {
      const browser = createBrowserUser()
      const { magic_link_url } = await t.mint(
        userId,
        { Connector: 'sandbox-notes', callback_url: CALLBACK, state: 's' },
        key,
      )
      await linkNotes(browser, magic_link_url)
      return new URL(browser.lastLocation as string).searchParams.get('code') as string
    }
    const confirm = (code: string, options: { key?: string; registered_user_id?: string } = {}) =>
      t.call('POST', '/api/v1/link-token/confirm/', {
        ...(options.key && { key: options.key }),
        body: { code, ...(options.registered_user_id && { registered_user_id: options.registered_user_id }) },
      })
    const refused = async (
      answer: ReturnType<typeof confirm>,
      status: number,
      code: string,
    ): Promise<void> => {
      const { status: actual, body, text } = await answer
      assert.equal(actual, status, text)
      assert.equal(body.error.code, code)
    }
    const activeGrants = async (): Promise<number> => {
      const { grants } = (await (await fetch(`${t.sandbox.url}/_control/grants`)).json()) as {
        grants: { active: boolean }[]
      }
      return grants.filter(grant => grant.active).length
    }

    it('a valid code stores the credential and is consumed [session.confirm] [confirm.path] [credential.fields] [session.code-used-or-unknown]', async () => {
      const user = await t.createUser()
      const code = await issueCode(user.id)
      const { status, body } = await confirm(code)
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body).toSorted(), [
        'connector_slug',
        'credential_id',
        'registered_user_id',
      ])
      assert.equal(body.connector_slug, 'sandbox-notes')
      assert.equal(body.registered_user_id, user.id)
      assert.match(body.credential_id, /^[0-9a-f-]{36}$/)
      await refused(confirm(code), 400, 'invalid_authorization_code')
    })

    it('an unknown, malformed or mistyped code is invalid_authorization_code [session.code-used-or-unknown]', async () => {
      const real = await issueCode((await t.createUser()).id)
      const mistyped = `${real.slice(0, -1)}${real.endsWith('a') ? 'b' : 'a'}`
      for (const code of ['x', 'cb_code_', mistyped, `cb_code_${'a'.repeat(49)}`])
        await refused(confirm(code), 400, 'invalid_authorization_code')
      assert.equal((await confirm(real)).status, 200)
    })

    it('after 5 minutes: authorization_code_expired; the pending credential is deleted and revoked [session.code-expired] [limit.code-lifetime] [session.refusals-terminal]', async () => {
      const user = await t.createUser()
      const [early, late] = [await issueCode(user.id), await issueCode((await t.createUser()).id)]
      await t.moveClock(5 * MINUTE - 5000)
      assert.equal((await confirm(early)).status, 200)
      const earlier = await activeGrants()
      await t.moveClock(6000)
      await refused(confirm(late), 400, 'authorization_code_expired')
      await t.service.queue.wake('expire-codes')
      await eventually(async () => assert.equal(await activeGrants(), earlier - 1))
      await refused(confirm(late), 400, 'authorization_code_expired')
      const [{ waiting }] = await t.query(
        `select count(*) as waiting from pending_secrets where expires_at < app_now()`,
      )
      assert.equal(waiting, 0)
    })

    it('confirming with another organization’s key is rejected and invalidates the code [session.code-foreign] [confirm.backend-only] [session.refusals-terminal]', async () => {
      const other = await t.createOrganization('Other')
      const user = await t.createUser()
      const code = await issueCode(user.id)
      const earlier = await activeGrants()
      await refused(confirm(code, { key: other.key }), 403, 'code_does_not_belong_to_organization')
      await refused(confirm(code), 400, 'invalid_authorization_code')
      await refused(confirm(code, { key: other.key }), 403, 'code_does_not_belong_to_organization')
      await eventually(async () => assert.equal(await activeGrants(), earlier - 1))
      assert.equal(
        (await t.call('POST', '/api/v1/link-token/confirm', { key: null, body: { code } })).status,
        401,
      )
    })

    it('input that is not a code is invalid_authorization_code, at any length', async () => {
      for (const code of ['cb_code_\0', '\0', '\ud800'])
        await refused(confirm(code), 400, 'invalid_authorization_code')
      for (const code of ['', 'x', 'x'.repeat(257), 'x'.repeat(100_000)])
        await refused(confirm(code), 400, 'invalid_authorization_code')
    })

    it('a reopened link does not claim a connection before the code is confirmed', async () => {
      const user = await t.createUser()
      const minted = await t.mint(user.id, {
        Connector: 'sandbox-notes',
        callback_url: CALLBACK,
        state: 'reopened',
      })
      const browser = createBrowserUser()
      await linkNotes(browser, minted.magic_link_url)
      const reopen = async () => {
        const { status, html } = await createBrowserUser().open(minted.magic_link_url)
        assert.equal(status, 410)
        return html
      }
      const unconfirmed = await reopen()
      assert.doesNotMatch(unconfirmed, /used to connect/)
      assert.match(unconfirmed, /isn’t connected yet/)
      const code = new URL(browser.lastLocation as string).searchParams.get('code') as string
      assert.equal((await confirm(code)).status, 200)
      assert.match(await reopen(), /used to connect/)
    })

    it('a key of the other mode gets an unknown code, and the code stays valid', async () => {
      const code = await issueCode((await t.createUser()).id)
      await refused(confirm(code, { key: t.organization.testKey }), 400, 'invalid_authorization_code')
      assert.equal((await confirm(code)).status, 200)
    })

    it('a user ID that does not match invalidates the code', async () => {
      const [victim, attacker] = [await t.createUser(), await t.createUser()]
      const code = await issueCode(attacker.id)
      await refused(confirm(code, { registered_user_id: victim.id }), 409, 'registered_user_mismatch')
      await refused(confirm(code, { registered_user_id: attacker.id }), 400, 'invalid_authorization_code')
      const matching = await issueCode(attacker.id)
      assert.equal((await confirm(matching, { registered_user_id: attacker.id })).status, 200)
      await refused(
        confirm(await issueCode(attacker.id), { registered_user_id: 'unknown' }),
        409,
        'registered_user_mismatch',
      )
    })

    it('after deactivation: user_inactive; after deletion: unknown; after reactivation: still invalid', async () => {
      const user = await t.createUser()
      const code = await issueCode(user.id)
      await t.call('PATCH', `/api/v1/registered-users/${user.id}`, { body: { is_active: false } })
      await refused(confirm(code), 409, 'user_inactive')
      await t.call('PATCH', `/api/v1/registered-users/${user.id}`, { body: { is_active: true } })
      await refused(confirm(code), 400, 'invalid_authorization_code')
      const second = await issueCode(user.id)
      await t.call('DELETE', `/api/v1/registered-users/${user.id}`)
      await refused(confirm(second), 400, 'invalid_authorization_code')
    })

    it('a re-link replaces the credential in place and does not revoke the grant that it uses', async () => {
      const user = await t.createUser()
      const first = (await confirm(await issueCode(user.id))).body
      const second = (await confirm(await issueCode(user.id))).body
      assert.equal(second.credential_id, first.credential_id)
      const types = (await t.events(user.id)).map(({ type }) => type)
      assert.equal(types.filter(type => type === 'credential.created').length, 1)
      assert.equal(types.filter(type => type === 'credential.replaced').length, 1)
      const sequences = (await t.events(user.id)).map(({ sequence }) => sequence)
      assert.deepEqual(
        sequences,
        sequences.map((_, index) => index + 1),
      )
    })

    it('200 concurrent confirmations of one code: exactly one succeeds [limit.code-lifetime]', async () => {
      const code = await issueCode((await t.createUser()).id)
      const answers = await Promise.all(Array.from({ length: 200 }, () => confirm(code)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      for (const { status, body } of answers)
        if (status !== 200) assert.equal(body.error.code, 'invalid_authorization_code')
    })

    it('a code is in no event, log line or completion page of another session [code.only-in-callback]', async () => {
      const user = await t.createUser()
      const code = await issueCode(user.id)
      await confirm(code)
      assert.doesNotMatch(JSON.stringify(await t.events()), /cb_code_/)
      assert.doesNotMatch(t.logLines.join(''), /cb_code_/)
    })
  })
}
