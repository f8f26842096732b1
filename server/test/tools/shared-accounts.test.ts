import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newUuid } from '../../src/core/uuid.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const ANA = 'ana@example.com'
const BEN = 'ben@example.com'
const LIST = 'sandbox-notes__list_notes'
const NOTES = { connector: 'sandbox-notes' }

for (const engine of flowEngines)
  describe(`shared accounts on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    const link = async (userId: string, account: string) =>
      linkNotes(createBrowserUser(), (await t.mint(userId, NOTES)).magic_link_url, { account })
    const credentialOf = async (userId: string): Promise<string> =>
      (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data[0].credential_id
    const newOwner = async (account = 'ben') => {
      const { id } = await t.createUser()
      await link(id, account)
      return { id, credentialId: await credentialOf(id) }
    }
    type Owner = { id: string; credentialId: string }
    const share = (owner: Owner, access: object, key = t.organization.key) =>
      t.call('PUT', `/api/v1/registered-users/${owner.id}/credentials/${owner.credentialId}/access`, {
        body: access,
        key,
      })
    const newUser = async () => (await t.createUser()).id
    const callNotes = async (userId: string, args = {}, options = {}) => {
      const { body } = await t.mcp(userId, 'tools/call', { name: LIST, arguments: args }, options)
      const content = body.result?.structuredContent ?? {}
      return content.error?.code ?? content.reason ?? (body.result ? 'success' : body.error?.message)
    }
    const calledAccounts = (since: number) =>
      t.sandbox.ledger.slice(since).flatMap(({ kind, account }) => (kind === 'notes.list' ? account : []))

    it('a user of the access list calls with the account, and the record names it', async () => {
      const owner = await newOwner()
      const userId = await newUser()
      assert.equal(await callNotes(userId), 'never_linked')
      const shared = await share(owner, { registered_user_ids: [userId] })
      assert.equal(shared.status, 200, shared.text)
      assert.deepEqual(shared.body.shared_with, {
        everyone: false,
        registered_user_ids: [userId],
        tool_pack_ids: [],
      })
      const since = t.sandbox.ledger.length
      assert.equal(await callNotes(userId), 'success')
      assert.deepEqual(calledAccounts(since), ['ben'])
      const { data } = (await t.call('GET', `/api/v1/tool-calls?registered_user_id=${userId}`)).body
      assert.deepEqual([data[0].credential_id, data[0].account_label], [owner.credentialId, BEN])
      assert.equal(await callNotes(await newUser()), 'never_linked')
      const connected = await t.mcp(userId, 'tools/list', {}, { query: '?authenticated_only=true' })
      assert.ok(connected.body.result.tools.some(({ name }: any) => name === LIST))
      assert.equal((await share(owner, {})).status, 200)
      assert.equal(await callNotes(userId), 'never_linked')
    })

    it('own and shared accounts: a call names one, and both are offered', async () => {
      const owner = await newOwner()
      const userId = await newUser()
      await link(userId, 'ana')
      await share(owner, { registered_user_ids: [userId] })
      assert.equal(await callNotes(userId), 'account_required')
      const { tools } = (await t.mcp(userId, 'tools/list')).body.result
      const { inputSchema } = tools.find(({ name }: any) => name === LIST)
      assert.deepEqual(inputSchema.properties.carabiner_account.enum, [ANA, BEN])
      const since = t.sandbox.ledger.length
      assert.equal(await callNotes(userId, { carabiner_account: BEN }), 'success')
      assert.equal(await callNotes(userId, { carabiner_account: ANA }), 'success')
      assert.deepEqual(calledAccounts(since), ['ben', 'ana'])
    })

    it('own and shared accounts with the same label: only the ID names one', async () => {
      const owner = await newOwner('ana')
      const userId = await newUser()
      await link(userId, 'ana')
      await share(owner, { everyone: true })
      const own = await credentialOf(userId)
      assert.equal(await callNotes(userId, { carabiner_account: ANA }), 'account_required')
      assert.equal(await callNotes(userId, { carabiner_account: own }), 'success')
      const { tools } = (await t.mcp(userId, 'tools/list')).body.result
      const { inputSchema } = tools.find(({ name }: any) => name === LIST)
      assert.deepEqual(inputSchema.properties.carabiner_account.enum, [own, owner.credentialId].toSorted())
      await share(owner, {})
    })

    it('a Tool Pack of the access list: only calls through it use the account', async () => {
      const owner = await newOwner()
      const pack = (await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Shared' } })).body
      await share(owner, { tool_pack_ids: [pack.id] })
      const userId = await newUser()
      assert.equal(await callNotes(userId), 'never_linked')
      assert.equal(await callNotes(userId, {}, { packId: pack.id }), 'success')
      const fixed = { accounts: { 'sandbox-notes': { fixed: owner.credentialId } } }
      await t.call('PATCH', `/api/v1/tool-packs/${pack.id}`, { body: fixed })
      await link(userId, 'ana')
      const since = t.sandbox.ledger.length
      assert.equal(await callNotes(userId, {}, { packId: pack.id }), 'success')
      assert.deepEqual(calledAccounts(since), ['ben'])
      await share(owner, {})
      assert.equal(await callNotes(userId, {}, { packId: pack.id }), 'account_unavailable')
    })

    it('everyone: users of the other mode and of other organizations have no access', async () => {
      const owner = await newOwner()
      await share(owner, { everyone: true })
      assert.equal(await callNotes(await newUser()), 'success')
      const key = t.organization.testKey
      const tester = await t.createUser({}, key)
      assert.equal(await callNotes(tester.id, {}, { key }), 'never_linked')
      const other = await t.createOrganization('Other')
      const foreign = await t.createUser({}, other.key)
      const options = { key: other.key, packId: other.toolPackId }
      assert.equal(await callNotes(foreign.id, {}, options), 'never_linked')
      const named = { carabiner_account: owner.credentialId }
      assert.equal(await callNotes(foreign.id, named, options), 'never_linked')
      assert.equal((await share(owner, { everyone: true }, other.key)).status, 404)
      await share(owner, {})
    })

    it('access ends when the account is deleted, or its owner is deactivated or deleted', async () => {
      const userId = await newUser()
      const ends = [
        ({ id, credentialId }: Owner) =>
          t.call('DELETE', `/api/v1/registered-users/${id}/credentials/${credentialId}`),
        ({ id }: Owner) => t.call('PATCH', `/api/v1/registered-users/${id}`, { body: { is_active: false } }),
        ({ id }: Owner) => t.call('DELETE', `/api/v1/registered-users/${id}`),
      ]
      for (const end of ends) {
        const owner = await newOwner()
        await share(owner, { registered_user_ids: [userId] })
        assert.equal(await callNotes(userId), 'success')
        assert.ok((await end(owner)).status < 300)
        assert.equal(await callNotes(userId), 'never_linked')
        const shares = await t.query('select 1 from credential_shares where credential_id = $1', [
          owner.credentialId,
        ])
        assert.deepEqual(shares, [])
      }
    })

    it('an account that is linked again after its deletion is not shared any more', async () => {
      const owner = await newOwner()
      const userId = await newUser()
      await share(owner, { registered_user_ids: [userId] })
      await t.call('DELETE', `/api/v1/registered-users/${owner.id}/credentials/${owner.credentialId}`)
      await link(owner.id, 'ben')
      assert.equal(await credentialOf(owner.id), owner.credentialId)
      assert.equal(await callNotes(userId), 'never_linked')
    })

    it('the user of a shared account cannot read, rename, revoke, share or relink it', async () => {
      const owner = await newOwner()
      const userId = await newUser()
      await share(owner, { registered_user_ids: [userId] })
      const path = `/api/v1/registered-users/${userId}/credentials`
      assert.deepEqual((await t.call('GET', path)).body.data, [])
      const requests = [
        ['GET', ''],
        ['PATCH', '', { label: 'Mine' }],
        ['DELETE', ''],
        ['POST', '/test'],
        ['POST', '/pause', {}],
        ['PUT', '/access', { everyone: true }],
      ] as const
      for (const [method, rest, body] of requests) {
        const answer = await t.call(method, `${path}/${owner.credentialId}${rest}`, { ...(body && { body }) })
        assert.equal(answer.status, 404, `${method} ${rest}`)
      }
      const relink = { ...NOTES, credential_id: owner.credentialId }
      const minted = await t.call('POST', `/api/v1/registered-users/${userId}/link-token`, { body: relink })
      assert.equal(minted.body.error.code, 'credential_not_found')
    })

    it('a shared account that must be connected again: its user gets no link', async () => {
      const owner = await newOwner()
      const userId = await newUser()
      await share(owner, { registered_user_ids: [userId] })
      await t.query(
        `update credentials set status = 'needs_reauth', status_reason = 'expired' where id = $1`,
        [owner.credentialId],
      )
      assert.equal(await callNotes(userId), 'account_unavailable')
      assert.equal(await callNotes(owner.id), 'expired')
      const body = { registered_user_id: userId, tool: LIST }
      const explained = (await t.call('POST', '/api/v1/explain', { body })).body
      assert.deepEqual([explained.would, explained.error.code], ['reject', 'account_unavailable'])
    })

    it('an expired token of a shared account is refreshed for its owner', async () => {
      const owner = await newOwner()
      const userId = await newUser()
      await share(owner, { registered_user_ids: [userId] })
      t.sandbox.endAccessTokens()
      const results = await Promise.all([callNotes(userId), callNotes(owner.id), callNotes(userId)])
      assert.deepEqual(results, ['success', 'success', 'success'])
      const types = (await t.events(owner.id)).map(({ type }) => type)
      assert.equal(types.filter(type => type === 'credential.refreshed').length, 1)
    })

    it('access removed while a call is in flight: the next call is rejected', async () => {
      const owner = await newOwner()
      const userId = await newUser()
      await share(owner, { registered_user_ids: [userId] })
      const release = t.sandbox.hold('notes')
      const since = t.sandbox.ledger.length
      const running = callNotes(userId)
      await eventually(async () => {
        const [row] = await t.query(
          'select count(*)::int as n from calls_in_flight where registered_user_id = $1',
          [userId],
        )
        assert.equal(row.n, 1)
      })
      await share(owner, {})
      assert.equal(await callNotes(userId), 'never_linked')
      release()
      assert.equal(await running, 'success')
      assert.deepEqual(calledAccounts(since), ['ben'])
    })

    it('access list: rejects users and packs that do not exist or belong to others', async () => {
      const owner = await newOwner()
      const other = await t.createOrganization('Stranger')
      const foreign = await t.createUser({}, other.key)
      const codeOf = async (access: object) => (await share(owner, access)).body.error?.code
      assert.equal(await codeOf({ registered_user_ids: [foreign.id] }), 'registered_user_not_found')
      assert.equal(await codeOf({ tool_pack_ids: [other.toolPackId] }), 'tool_pack_not_found')
      assert.equal(await codeOf({ nobody: true }), 'unknown_field')
    })

    it('access list: rejects a malformed ID with the name of its field, before it reads the credential', async () => {
      const id = newUuid()
      const owner = { id: (await t.createUser()).id, credentialId: newUuid() }
      for (const malformed of ['x', '', `${id}0`, `urn:uuid:${id}`, `{${id}}`])
        for (const field of ['registered_user_ids', 'tool_pack_ids']) {
          const { status, body } = await share(owner, { [field]: [id, malformed] })
          assert.deepEqual(
            [status, body.error.code, body.error.param],
            [400, 'invalid_request', `${field}.1`],
            malformed,
          )
        }
      assert.equal((await share(owner, { tool_pack_ids: [id.toUpperCase()] })).status, 404)
    })

    it('an account of the organization is linked once, hidden from lists, and used when it is shared', async () => {
      const none = (await t.call('GET', '/api/v1/organization-accounts')).body
      assert.deepEqual(none, { registered_user_id: null, data: [] })
      const minted = await t.call('POST', '/api/v1/organization-accounts/link-token', { body: NOTES })
      assert.equal(minted.status, 201, minted.text)
      const page = await linkNotes(createBrowserUser(), minted.body.magic_link_url, { account: 'ben' })
      assert.match(page.title, /is connected/)
      const { registered_user_id: id, data } = (await t.call('GET', '/api/v1/organization-accounts')).body
      assert.deepEqual(
        data.map((each: any) => [each.label, each.status]),
        [[BEN, 'active']],
      )
      for (const query of ['', '&search=Organization', '&search=o'])
        for (const { id: listed } of (await t.call('GET', `/api/v1/registered-users?limit=100${query}`)).body
          .data)
          assert.notEqual(listed, id)
      const userId = await newUser()
      assert.equal(await callNotes(userId), 'never_linked')
      await share({ id, credentialId: data[0].credential_id }, { everyone: true })
      const since = t.sandbox.ledger.length
      assert.equal(await callNotes(userId), 'success')
      assert.deepEqual(calledAccounts(since), ['ben'])
      const other = await t.createOrganization('Another')
      const foreign = (await t.call('GET', '/api/v1/organization-accounts', { key: other.key })).body
      assert.deepEqual(foreign, { registered_user_id: null, data: [] })
    })
  })
