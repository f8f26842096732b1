import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { LinkTokenRequest } from '@carabiner/contract'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type PlainMcp, startPlainMcp } from '../support/plain-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const ANA = 'ana@example.com'
const BEN = 'ben@example.com'
const LIST = 'sandbox-notes__list_notes'

for (const engine of flowEngines)
  describe(`several accounts on ${engine}`, () => {
    let t: TestService
    let plain: PlainMcp
    before(async () => {
      t = await joinTestService(engine)
      plain = await startPlainMcp()
    })
    after(async () => {
      await t.stop()
      await plain.stop()
    })

    const link = async (userId: string, account: string, body: LinkTokenRequest = {}) =>
      linkNotes(
        createBrowserUser(),
        (await t.mint(userId, { connector: 'sandbox-notes', ...body })).magic_link_url,
        { account },
      )
    const credentialsOf = async (userId: string) =>
      (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data as any[]
    const withAccounts = async (...accounts: string[]) => {
      const { id } = await t.createUser()
      for (const account of accounts) await link(id, account, { account: 'add' })
      const credentials = Object.fromEntries((await credentialsOf(id)).map(each => [each.label, each]))
      return { id, credentials }
    }
    const callNotes = async (userId: string, args = {}, query = '') =>
      (await t.mcp(userId, 'tools/call', { name: LIST, arguments: args }, { query })).body.result
    const listed = async (userId: string) =>
      (await t.mcp(userId, 'tools/list')).body.result.tools.find(({ name }: any) => name === LIST)
    const calledAccounts = (since: number) =>
      t.sandbox.ledger
        .slice(since)
        .filter(({ kind }) => kind === 'notes.list')
        .map(({ account }) => account)

    it('one account: lists and results have no trace of accounts', async () => {
      const { id, credentials } = await withAccounts('ana')
      const { id: unlinked } = await t.createUser()
      assert.deepEqual(await listed(id), await listed(unlinked))
      const result = await callNotes(id)
      assert.equal(result.isError, false)
      assert.doesNotMatch(JSON.stringify(result), /carabiner_account/)
      const again = await callNotes(id, { carabiner_account: credentials[ANA].credential_id })
      assert.deepEqual(again, result)
    })

    it('tools/list: offers the labels to a user with two accounts, and only at their connector', async () => {
      const { id } = await withAccounts('ana', 'ben')
      const { inputSchema } = await listed(id)
      assert.deepEqual(inputSchema.properties.carabiner_account.enum, [ANA, BEN])
      assert.ok(!inputSchema.required?.includes('carabiner_account'))
      const { tools } = (await t.mcp(id, 'tools/list')).body.result
      for (const { name, inputSchema: schema } of tools)
        assert.equal('carabiner_account' in schema.properties, name.startsWith('sandbox-notes__'), name)
    })

    it('a call names the account by label or ID, and the record has both', async () => {
      const { id, credentials } = await withAccounts('ana', 'ben')
      const since = t.sandbox.ledger.length
      assert.equal((await callNotes(id, { carabiner_account: BEN })).isError, false)
      const { credential_id } = credentials[ANA]
      assert.equal((await callNotes(id, { carabiner_account: credential_id })).isError, false)
      assert.deepEqual(calledAccounts(since), ['ben', 'ana'])
      const { data } = (await t.call('GET', `/api/v1/tool-calls?registered_user_id=${id}`)).body
      assert.deepEqual(
        data.map((call: any) => [call.outcome, call.credential_id, call.account_label]),
        [
          ['success', credential_id, ANA],
          ['success', credentials[BEN].credential_id, BEN],
        ],
      )
    })

    it('a call without an account lists the choices, and nothing is called', async () => {
      const { id, credentials } = await withAccounts('ana', 'ben')
      await t.call(
        'POST',
        `/api/v1/registered-users/${id}/credentials/${credentials[BEN].credential_id}/pause`,
        {
          body: {},
        },
      )
      const since = t.sandbox.ledger.length
      const results = [
        await callNotes(id),
        await callNotes(id, { carabiner_account: null }),
        await callNotes(id, {}, '?wait=5'),
      ]
      for (const result of results) {
        assert.equal(result.isError, true)
        const { code, param, accounts, message } = result.structuredContent.error
        assert.deepEqual([code, param], ['account_required', 'carabiner_account'])
        assert.deepEqual(accounts, [
          {
            label: ANA,
            credential_id: credentials[ANA].credential_id,
            account: ANA,
            status: 'active',
            shared: false,
          },
          {
            label: BEN,
            credential_id: credentials[BEN].credential_id,
            account: BEN,
            status: 'paused',
            shared: false,
          },
        ])
        assert.match(
          message,
          /has 2 Notes accounts.*Nothing was called.*"ana@example.com", "ben@example.com"/,
        )
      }
      assert.equal(t.sandbox.ledger.length, since)
      const { data } = (await t.call('GET', `/api/v1/tool-calls?registered_user_id=${id}`)).body
      assert.deepEqual(
        data.map((call: any) => [call.outcome, call.error_code, call.counted, call.credential_id]),
        results.map(() => ['error', 'account_required', false, null]),
      )
    })

    it('a call that names another account is not made', async () => {
      const { id } = await withAccounts('ana', 'ben')
      const { credentials: foreign } = await withAccounts('ana')
      const since = t.sandbox.ledger.length
      const names = [
        'nobody',
        '',
        7,
        { label: ANA },
        'a\u0000b',
        'x'.repeat(5_000),
        foreign[ANA].credential_id,
      ]
      for (const carabiner_account of names) {
        const { code, accounts } = (await callNotes(id, { carabiner_account })).structuredContent.error
        assert.deepEqual([code, accounts.length], ['account_not_found', 2], String(carabiner_account))
      }
      assert.equal(t.sandbox.ledger.length, since)
    })

    it('a deleted account is not found on the next call, and the other one needs no name', async () => {
      const { id, credentials } = await withAccounts('ana', 'ben')
      const path = `/api/v1/registered-users/${id}/credentials/${credentials[ANA].credential_id}`
      assert.equal((await t.call('DELETE', path)).status, 204)
      const { code, accounts } = (await callNotes(id, { carabiner_account: ANA })).structuredContent.error
      assert.deepEqual([code, accounts.map(({ label }: any) => label)], ['account_not_found', [BEN]])
      const since = t.sandbox.ledger.length
      assert.equal((await callNotes(id)).isError, false)
      assert.deepEqual(calledAccounts(since), ['ben'])
      assert.deepEqual(
        Object.keys((await listed(id)).inputSchema.properties).includes('carabiner_account'),
        false,
      )
    })

    it('the named account expires: the link is for this account, and the call that waits uses it', async () => {
      const { id, credentials } = await withAccounts('ana', 'ben')
      const { credential_id } = credentials[BEN]
      await t.query(
        `update credentials set status = 'needs_reauth', status_reason = 'expired' where id = $1`,
        [credential_id],
      )
      assert.equal((await callNotes(id, { carabiner_account: ANA })).isError, false)
      const { reason, magic_link_url } = (await callNotes(id, { carabiner_account: BEN })).structuredContent
      assert.equal(reason, 'expired')
      const waiting = callNotes(id, { carabiner_account: BEN }, '?wait=60')
      // The other account changes meanwhile; the call keeps waiting for its own.
      await link(id, 'ana')
      const since = t.sandbox.ledger.length
      await linkNotes(createBrowserUser(), magic_link_url, { account: 'ben' })
      assert.equal((await waiting).isError, false)
      assert.deepEqual(calledAccounts(since), ['ben'])
      assert.deepEqual(
        (await credentialsOf(id)).map(each => [each.credential_id, each.label, each.status]),
        [ANA, BEN].map(label => [credentials[label].credential_id, label, 'active']),
      )
    })

    it('an idempotency key belongs to the account of its call', async () => {
      const { id } = await withAccounts('ana', 'ben')
      const call = async (account: string) =>
        (
          await t.mcp(id, 'tools/call', {
            name: LIST,
            arguments: { carabiner_account: account },
            _meta: { 'Idempotency-Key': 'once' },
          })
        ).body.result
      const first = await call(ANA)
      assert.equal(first.isError, false)
      assert.deepEqual(await call(ANA), first)
      assert.equal((await call(BEN)).structuredContent.error.code, 'idempotency_key_reused')
    })

    it('labels: unique regardless of case, spaces and Unicode form, without invisible characters', async () => {
      const { id, credentials } = await withAccounts('ana', 'ben')
      const rename = (account: string, label: string) =>
        t.call('PATCH', `/api/v1/registered-users/${id}/credentials/${credentials[account].credential_id}`, {
          body: { label },
        })
      assert.equal((await rename(ANA, 'Work  \u00c4')).status, 200)
      for (const label of ['work \u00c4', 'WORK \u00e4', 'Work A\u0308', '\uff37ork \u00c4'])
        assert.equal((await rename(BEN, label)).body.error?.code, 'account_label_taken', label)
      assert.equal(
        (await rename(ANA, 'work \u00e4')).body.label,
        'work \u00e4',
        'its own label in another case',
      )
      for (const code of ['200b', '202e', '2066', '00ad', '3164', 'fe0f', '2028', 'e0041']) {
        const label = `A${String.fromCodePoint(Number.parseInt(code, 16))}B`
        const { body, status } = await rename(BEN, label)
        assert.deepEqual([status, body.error?.param], [400, 'label'], code)
        const minted = await t.call('POST', `/api/v1/registered-users/${id}/link-token`, {
          body: { connector: 'sandbox-notes', account_label: label },
        })
        assert.deepEqual([minted.status, minted.body.error?.param], [400, 'account_label'], code)
        const pack = { name: 'Fixed', accounts: { 'sandbox-notes': { fixed: label } } }
        const packed = await t.call('POST', '/api/v1/tool-packs', { body: pack })
        assert.deepEqual([packed.status, packed.body.error?.param], [400, 'accounts.sandbox-notes.fixed'])
        const [named] = await t.query('select account_name_label($1) as label', [` ${label}`])
        assert.match(named.label, /^A ?B$/, 'the name of a provider loses them')
      }
      const [free] = await t.query(`select free_account_label('work', array['Work', 'WORK (2)']) as label`)
      assert.equal(free.label, 'work (3)')
    })

    it('rename: tool calls use the new label; a label of another account is rejected', async () => {
      const { id, credentials } = await withAccounts('ana', 'ben')
      const path = `/api/v1/registered-users/${id}/credentials/${credentials[ANA].credential_id}`
      const rename = (label: string) => t.call('PATCH', path, { body: { label } })
      assert.equal((await rename(' Work ')).body.label, 'Work')
      assert.equal((await callNotes(id, { carabiner_account: 'Work' })).isError, false)
      assert.equal(
        (await callNotes(id, { carabiner_account: ANA })).structuredContent.error.code,
        'account_not_found',
      )
      assert.deepEqual((await rename(BEN)).body.error.code, 'account_label_taken')
      for (const label of ['', '  ', 'a\nb', credentials[BEN].credential_id, 'x'.repeat(101)])
        assert.equal((await rename(label)).status, 400, label)
      const foreign = await t.createOrganization('Other')
      assert.equal((await t.call('PATCH', path, { body: { label: 'Mine' }, key: foreign.key })).status, 404)
      await t.call('DELETE', path)
      assert.equal((await rename('Gone')).status, 404)
    })

    const newPack = async (accounts: object): Promise<string> => {
      const body = { name: `Accounts ${Math.random()}`, accounts }
      const created = await t.call('POST', '/api/v1/tool-packs', { body })
      assert.deepEqual([created.status, created.body.accounts], [201, accounts], created.text)
      return created.body.id
    }
    const inPack = (packId: string, userId: string) => ({
      call: async (args = {}) =>
        (await t.mcp(userId, 'tools/call', { name: LIST, arguments: args }, { packId })).body.result,
      schema: async () =>
        (await t.mcp(userId, 'tools/list', {}, { packId })).body.result.tools.find(
          ({ name }: any) => name === LIST,
        ).inputSchema,
    })

    it('a pack that requires a choice: a call names the account, even if there is one', async () => {
      const { id } = await withAccounts('ana')
      const pack = inPack(await newPack({ 'sandbox-notes': { required: true } }), id)
      const schema = await pack.schema()
      assert.deepEqual(schema.properties.carabiner_account.enum, [ANA])
      assert.deepEqual(schema.required, ['carabiner_account'])
      const { code, accounts } = (await pack.call()).structuredContent.error
      assert.deepEqual([code, accounts.length], ['account_required', 1])
      assert.equal((await pack.call({ carabiner_account: ANA })).isError, false)
      const { id: unlinked } = await t.createUser()
      const none = await t.mcp(unlinked, 'tools/call', { name: LIST, arguments: {} })
      assert.equal(none.body.result.structuredContent.reason, 'never_linked')
    })

    it('a pack that fixes an account: no argument, and calls use only this one', async () => {
      const { id, credentials } = await withAccounts('ana', 'ben')
      for (const fixed of [BEN, credentials[BEN].credential_id]) {
        const pack = inPack(await newPack({ 'sandbox-notes': { fixed } }), id)
        assert.equal((await pack.schema()).properties.carabiner_account, undefined)
        const since = t.sandbox.ledger.length
        assert.equal((await pack.call()).isError, false)
        assert.equal((await pack.call({ carabiner_account: BEN })).isError, false)
        assert.deepEqual(calledAccounts(since), ['ben', 'ben'])
        const { code, accounts } = (await pack.call({ carabiner_account: ANA })).structuredContent.error
        assert.deepEqual([code, accounts.map(({ label }: any) => label)], ['account_not_found', [BEN]])
        assert.deepEqual(calledAccounts(since), ['ben', 'ben'])
      }
    })

    it('a fixed label that no account has: the link adds an account under this label', async () => {
      const { id } = await withAccounts('ana')
      const pack = inPack(await newPack({ 'sandbox-notes': { fixed: 'Team' } }), id)
      const { reason, magic_link_url } = (await pack.call()).structuredContent
      assert.equal(reason, 'never_linked')
      await linkNotes(createBrowserUser(), magic_link_url, { account: 'ben' })
      const since = t.sandbox.ledger.length
      assert.equal((await pack.call()).isError, false)
      assert.deepEqual(calledAccounts(since), ['ben'])
      assert.deepEqual(
        (await credentialsOf(id)).map(({ label }) => label),
        ['Team', ANA],
      )
    })

    it('a fixed credential that the user cannot use: the call is rejected without a link', async () => {
      const { id } = await withAccounts('ana')
      const { credentials: foreign } = await withAccounts('ben')
      const pack = inPack(await newPack({ 'sandbox-notes': { fixed: foreign[BEN].credential_id } }), id)
      assert.equal((await pack.call()).structuredContent.error.code, 'account_unavailable')
    })

    it('rules of a pack are validated, and null removes them', async () => {
      const packId = await newPack({ 'sandbox-notes': { fixed: 'Work' } })
      const patch = (accounts: unknown) =>
        t.call('PATCH', `/api/v1/tool-packs/${packId}`, { body: { accounts } })
      for (const accounts of [
        { 'Sandbox Notes': { required: true } },
        { 'sandbox-notes': {} },
        { 'sandbox-notes': { required: false } },
        { 'sandbox-notes': { fixed: '' } },
        { 'sandbox-notes': { fixed: 'a', required: true } },
      ])
        assert.equal((await patch(accounts)).status, 400, JSON.stringify(accounts))
      assert.deepEqual((await patch(null)).body.accounts, {})
    })

    it('a tool that has an input of this name keeps it', async () => {
      plain.tools = [
        {
          name: 'own',
          description: 'Has the input.',
          inputSchema: { type: 'object', properties: { carabiner_account: { type: 'string' } } },
        },
        { name: 'any', description: 'Accepts every argument.', inputSchema: { type: 'object' } },
      ]
      const slug = `own-${engine}`
      const created = await t.call('POST', '/api/v1/connectors', {
        body: { slug, name: 'Own', url: plain.url, authentication: 'user_secret' },
      })
      assert.equal(created.status, 201, created.text)
      const { id } = await t.createUser()
      const linkKey = async (key: string) => {
        const browser = createBrowserUser()
        const { magic_link_url } = await t.mint(id, { connector: slug, account: 'add', account_label: key })
        const page = await browser.submit(await browser.open(magic_link_url), /\/api-key$/, { secret: key })
        assert.match(page.title, /is connected/)
      }
      const call = async (tool: string, args: object) =>
        (await t.mcp(id, 'tools/call', { name: `${slug}__${tool}`, arguments: args })).body.result
      await linkKey('one')
      plain.calls.length = 0
      assert.equal((await call('own', { carabiner_account: 'theirs' })).isError, false)
      assert.equal((await call('any', { carabiner_account: 'one', more: 1 })).isError, false)
      assert.deepEqual(
        plain.calls.map(({ args }) => args),
        [{ carabiner_account: 'theirs' }, { more: 1 }],
      )
      await linkKey('two')
      assert.equal(
        (await call('own', { carabiner_account: 'two' })).structuredContent.error.code,
        'account_required',
      )
      assert.equal((await call('any', { carabiner_account: 'two' })).isError, false)
      assert.match(String(plain.calls.at(-1)?.headers.authorization), /two/)
      const { tools } = (await t.mcp(id, 'tools/list')).body.result
      const schemaOf = (tool: string) =>
        tools.find(({ name }: any) => name === `${slug}__${tool}`).inputSchema
      assert.equal(schemaOf('own').properties.carabiner_account.enum, undefined)
      assert.deepEqual(schemaOf('any').properties.carabiner_account.enum, ['one', 'two'])
    })

    it('explain: names the account and why it is used, and the choices otherwise', async () => {
      const { id, credentials } = await withAccounts('ana', 'ben')
      const explain = async (args?: object) => {
        const body = { registered_user_id: id, tool: LIST, ...(args && { arguments: args }) }
        return (await t.call('POST', '/api/v1/explain', { body })).body
      }
      const stepOf = (explanation: any) => explanation.steps.find(({ step }: any) => step === 'account')
      const unnamed = await explain()
      assert.deepEqual([unnamed.allowed, unnamed.error.code], [false, 'account_required'])
      assert.deepEqual(stepOf(unnamed).detail.account_labels, [ANA, BEN])
      const named = await explain({ carabiner_account: BEN })
      assert.equal(named.allowed, true)
      assert.partialDeepStrictEqual(stepOf(named).detail, {
        credential_id: credentials[BEN].credential_id,
        account_label: BEN,
        account_choice: 'named',
      })
      assert.equal((await explain({ carabiner_account: 'nobody' })).error.code, 'account_not_found')
    })

    it('events of credentials and calls contain the label', async () => {
      const { id } = await withAccounts('ana', 'ben')
      const labels = (await t.events(id))
        .filter(({ type }) => type === 'credential.created')
        .map(({ payload }) => payload.label)
      assert.deepEqual(labels, [ANA, BEN])
      await callNotes(id, { carabiner_account: BEN })
      await eventually(async () => {
        const { data } = (
          await t.call('GET', `/api/v1/events?registered_user_id=${id}&type=tool_call.completed`)
        ).body
        assert.deepEqual(
          data.map((event: any) => event.data.account_label),
          [BEN],
        )
      })
    })
  })
