import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { LinkTokenRequest } from '@carabiner/contract'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const ANA = 'ana@example.com'
const BEN = 'ben@example.com'
const LIST = 'sandbox-notes__list_notes'

for (const engine of flowEngines)
  describe(`calls that wait while access changes, on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    const link = async (userId: string, account: string, body: LinkTokenRequest = {}) =>
      linkNotes(
        createBrowserUser(),
        (await t.mint(userId, { connector: 'sandbox-notes', account: 'add', ...body })).magic_link_url,
        { account },
      )
    const newUser = async (...accounts: string[]): Promise<string> => {
      const { id } = await t.createUser()
      for (const account of accounts) await link(id, account)
      return id
    }
    const credentialOf = async (userId: string, label: string): Promise<string> => {
      const { data } = (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body
      return data.find((credential: any) => credential.label === label).credential_id
    }
    const expire = async (userId: string, label: string) =>
      t.query(
        `update credentials set status = 'needs_reauth', status_reason = 'expired'
         where registered_user_id = $1 and label = $2`,
        [userId, label],
      )
    const newPack = async (): Promise<string> =>
      (await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Waiting' } })).body.id
    const changePack = async (packId: string, body: object) => {
      const changed = await t.call('PATCH', `/api/v1/tool-packs/${packId}`, { body })
      assert.equal(changed.status, 200, changed.text)
    }
    const linksOf = async (userId: string): Promise<number> =>
      (await t.query('select 1 from link_sessions where registered_user_id = $1', [userId])).length
    const sinceNow = () => {
      const from = t.sandbox.ledger.length
      return () =>
        t.sandbox.ledger.slice(from).flatMap(({ kind, account }) => (kind === 'notes.list' ? account : []))
    }
    type Waiting = { seconds?: number; packId?: string; args?: object }
    /** Resolves when the call waits. Its result is a function, because a promise would be awaited too. */
    const startWaiting = async (userId: string, { seconds = 120, packId, args = {} }: Waiting = {}) => {
      const links = await linksOf(userId)
      const result = t
        .mcp(
          userId,
          'tools/call',
          { name: LIST, arguments: args },
          { query: `?wait=${seconds}`, ...(packId && { packId }) },
        )
        .then(({ body, text }) => {
          const { isError, structuredContent } = body.result ?? {}
          if (isError === undefined) return text
          return structuredContent.error?.code ?? structuredContent.reason ?? 'success'
        })
      await eventually(async () => assert.ok((await linksOf(userId)) > links))
      return () => result
    }

    it('named account is deleted: the call uses no other account, and succeeds when it is linked again', async () => {
      const userId = await newUser('ana', 'ben')
      await expire(userId, BEN)
      const called = sinceNow()
      const result = await startWaiting(userId, { args: { carabiner_account: BEN } })
      const path = `/api/v1/registered-users/${userId}/credentials/${await credentialOf(userId, BEN)}`
      assert.equal((await t.call('DELETE', path)).status, 204)
      await link(userId, 'ana')
      await link(userId, 'ben')
      assert.equal(await result(), 'success')
      assert.deepEqual(called(), ['ben'])
    })

    it('another account is added: the call must name one', async () => {
      const userId = await newUser('ana')
      await expire(userId, ANA)
      const called = sinceNow()
      const result = await startWaiting(userId)
      await link(userId, 'ben')
      assert.equal(await result(), 'account_required')
      assert.deepEqual(called(), [])
    })

    it('an account is shared with the user, who links one: the call must name one', async () => {
      const owner = await newUser('ben')
      const userId = await newUser()
      const called = sinceNow()
      const result = await startWaiting(userId)
      const path = `/api/v1/registered-users/${owner}/credentials/${await credentialOf(owner, BEN)}/access`
      const share = (access: object) => t.call('PUT', path, { body: access })
      assert.equal((await share({ registered_user_ids: [userId] })).status, 200)
      await link(userId, 'ana')
      assert.equal(await result(), 'account_required')
      assert.deepEqual(called(), [])
    })

    it('an account is shared and no longer shared: the call uses the account that the user links', async () => {
      const owner = await newUser('ben')
      const userId = await newUser()
      const called = sinceNow()
      const result = await startWaiting(userId)
      const path = `/api/v1/registered-users/${owner}/credentials/${await credentialOf(owner, BEN)}/access`
      for (const access of [{ everyone: true }, {}])
        assert.equal((await t.call('PUT', path, { body: access })).status, 200)
      await link(userId, 'ana')
      assert.equal(await result(), 'success')
      assert.deepEqual(called(), ['ana'])
    })

    it('the pack fixes an account: the call uses this one, not the one that was linked first', async () => {
      const [userId, packId] = [await newUser(), await newPack()]
      const called = sinceNow()
      const result = await startWaiting(userId, { packId })
      await changePack(packId, { accounts: { 'sandbox-notes': { fixed: 'Work' } } })
      await link(userId, 'ana')
      await link(userId, 'ben', { account_label: 'Work' })
      assert.equal(await result(), 'success')
      assert.deepEqual(called(), ['ben'])
    })

    it('the pack fixes an account by its ID: the call continues when this one is connected again', async () => {
      const [userId, packId] = [await newUser('ana', 'ben'), await newPack()]
      await changePack(packId, { accounts: { 'sandbox-notes': { fixed: await credentialOf(userId, BEN) } } })
      await expire(userId, BEN)
      const called = sinceNow()
      const result = await startWaiting(userId, { packId })
      await link(userId, 'ben')
      assert.equal(await result(), 'success')
      assert.deepEqual(called(), ['ben'])
    })

    it('the pack fixes an account of another user: the call is rejected after the link', async () => {
      const [owner, userId, packId] = [await newUser('ben'), await newUser(), await newPack()]
      const called = sinceNow()
      const result = await startWaiting(userId, { packId })
      await changePack(packId, { accounts: { 'sandbox-notes': { fixed: await credentialOf(owner, BEN) } } })
      await link(userId, 'ana')
      assert.equal(await result(), 'account_unavailable')
      assert.deepEqual(called(), [])
    })

    it('the pack loses the connector: the call is rejected after the link', async () => {
      const [userId, packId] = [await newUser(), await newPack()]
      const called = sinceNow()
      const result = await startWaiting(userId, { packId })
      await changePack(packId, { connectors: ['sandbox-vault'] })
      await link(userId, 'ana')
      assert.equal(await result(), 'tool_not_found')
      assert.deepEqual(called(), [])
    })

    it('other accounts than the fixed one are active: the call waits, and is not repeated', async () => {
      const [userId, packId] = [await newUser('ana'), await newPack()]
      await changePack(packId, { accounts: { 'sandbox-notes': { fixed: 'Work' } } })
      const links = await linksOf(userId)
      const result = await startWaiting(userId, { packId, seconds: 4 })
      assert.equal(await result(), 'never_linked')
      assert.equal(await linksOf(userId), links + 1)
    })
  })
