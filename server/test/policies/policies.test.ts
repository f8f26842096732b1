import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findAuthenticateMeta } from '@carabiner/contract'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const TOOLS = ['pay', 'read'].map(name => ({
  name,
  inputSchema: {
    type: 'object',
    properties: { amount: { type: 'number' }, to: { type: 'string' } },
  },
}))

for (const engine of flowEngines)
  describe(`policies on ${engine}`, () => {
    let t: TestService
    let server: HostileServer
    let received: number
    before(async () => {
      t = await joinTestService(engine)
      server = await startHostileMcp()
      server.reset({
        'tools/list': exchange => result(exchange, { tools: TOOLS }),
        'tools/call': exchange => {
          received++
          return result(exchange, { content: [{ type: 'text', text: 'done' }] })
        },
      })
    })
    after(async () => {
      await t.stop()
      await server.close()
    })

    let organizations = 0
    const open = async () => {
      received = 0
      const organization = await t.createOrganization(`Policies ${++organizations}`)
      const { key } = organization
      const added = await t.call('POST', '/api/v1/connectors', {
        key,
        body: { name: 'Theirs', slug: 'theirs', url: server.url },
      })
      assert.equal(added.status, 201, added.text)
      const { body: stored } = await t.call('POST', '/api/v1/api-keys', { key, body: { mode: 'production' } })
      // Only an administrator can create such a key.
      await t.query(`update api_keys set groups = '{policies}' where id = $1`, [stored.id])
      const policyKey: string = stored.key
      const user = await t.createUser({ metadata: { level: 'trainee' } }, key)
      const call = async (name: string, args = {}, packId = organization.toolPackId) => {
        const { body } = await t.mcp(user.id, 'tools/call', { name, arguments: args }, { key, packId })
        return body.result ?? body
      }
      const errorOf = async (...of: Parameters<typeof call>): Promise<string | null> =>
        (await call(...of)).structuredContent?.error?.code ?? null
      const add = (rule: object, by = policyKey) =>
        t.call('POST', '/api/v1/policy-rules', { key: by, body: { effect: 'deny', tools: ['*'], ...rule } })
      const explain = async (args?: object, tool = 'theirs__pay') => {
        const { body } = await t.call('POST', '/api/v1/explain', {
          key,
          body: { registered_user_id: user.id, tool, ...(args && { arguments: args }) },
        })
        return body.steps.find(({ step }: { step: string }) => step === 'policy')
      }
      return { organization, key, policyKey, user, call, errorOf, add, explain }
    }

    it('a tool is left out of the list only if every call of it is denied [policy.list]', async () => {
      const { key, user, organization, add } = await open()
      const listed = async () => {
        const { body } = await t.mcp(user.id, 'tools/list', {}, { key, packId: organization.toolPackId })
        const names: string[] = body.result.tools.map(({ name }: { name: string }) => name)
        return names.filter(name => /^(?:theirs|sandbox-vault)__|__request$/.test(name))
      }
      const all = await listed()
      assert.ok(all.includes('theirs__pay') && all.includes('theirs__read') && all.length > 3, all.join())
      await add({ name: 'Amounts', tools: ['theirs__pay'], when: 'has(args.amount) && args.amount > 1.0' })
      await add({ name: 'Users', when: 'user.metadata.level == "trainee"' })
      await add({ name: 'Asks', effect: 'ask', tools: ['theirs__pay'] })
      assert.deepEqual(await listed(), all, 'some calls may run, or run after an approval')
      await add({ name: 'Reads', tools: ['theirs__read'] })
      assert.deepEqual(
        await listed(),
        all.filter(name => name !== 'theirs__read'),
      )
      const patched = await t.call('PATCH', `/api/v1/tool-packs/${organization.toolPackId}`, {
        key,
        body: {
          connectors: [
            { slug: 'theirs' },
            { slug: 'sandbox-vault' },
            { slug: 'sandbox-notes', requests: { methods: ['GET', 'POST'], paths: ['/notes/api/*'] } },
          ],
        },
      })
      assert.equal(patched.status, 200, patched.text)
      await add({ name: 'Destructive', when: 'tool.destructive' })
      const left = await listed()
      assert.ok(left.includes('sandbox-notes__request'), 'a raw request can also read')
      assert.ok(!left.includes('theirs__pay') && left.length > 0, left.join())
    })

    it('a rule denies exactly the calls that its condition matches, from the next call on [policy.deny]', async () => {
      const { organization, errorOf, call, add } = await open()
      assert.equal(await errorOf('theirs__pay', { amount: 500 }), null)
      const rule = {
        name: 'Large payments',
        tools: ['theirs__pay'],
        when: 'has(args.amount) && int(args.amount) > 100',
      }
      const added = await add(rule)
      assert.equal(added.status, 201, added.text)
      assert.equal(await errorOf('theirs__pay', { amount: 100 }), null)
      assert.equal(await errorOf('theirs__pay', {}), null)
      assert.equal(await errorOf('theirs__read', { amount: 500 }), null)
      const reached = received
      const messageOf = async () => {
        const { isError, structuredContent } = await call('theirs__pay', { amount: 101 })
        assert.deepEqual([isError, structuredContent.error.code], [true, 'policy_denied'])
        return structuredContent.error.message as string
      }
      assert.equal(
        await messageOf(),
        'The organization’s policy denies this call (rule “Large payments”). The call was not made. Do not repeat it unchanged.',
      )
      // A condition that cannot be evaluated counts as a match of a rule that denies: the number does not fit into an integer.
      assert.equal(await errorOf('theirs__pay', { amount: 1e300 }), 'policy_denied')
      assert.equal(received, reached, 'a denied call reaches no provider')
      const admin = await signInPerson(t, { role: 'admin', organizationId: organization.id })
      const path = `/api/v1/policy-rules/${added.body.id}`
      const reworded = await admin.call('PATCH', path, { body: { reason: 'Ask Finance.' } })
      assert.deepEqual([reworded.status, reworded.body.made_by], [200, 'person'])
      assert.equal(
        await messageOf(),
        'The organization’s policy denies this call (rule “Large payments”): Ask Finance. The call was not made. Do not repeat it unchanged.',
      )
      assert.equal((await admin.call('DELETE', path)).status, 204)
      assert.equal(await errorOf('theirs__pay', { amount: 101 }), null)
      const records = await t.call('GET', '/api/v1/tool-calls?outcome=blocked', { key: organization.key })
      assert.deepEqual(
        records.body.data.map((each: any) => [each.error_code, each.ended_at_step, each.counted]),
        Array.from({ length: 3 }, () => ['policy_denied', 'policy', false]),
      )
    })

    it('deny beats allow, and the default applies only if no rule matches [policy.order]', async () => {
      const { errorOf, add, policyKey } = await open()
      const set = await t.call('PUT', '/api/v1/policy', { key: policyKey, body: { default: 'deny' } })
      assert.deepEqual([set.status, set.body.default], [200, 'deny'])
      assert.equal(await errorOf('theirs__read'), 'policy_denied')
      await add({ name: 'Reading', effect: 'allow', tools: ['theirs__read'] })
      assert.equal(await errorOf('theirs__read'), null)
      assert.equal(await errorOf('theirs__pay'), 'policy_denied')
      await add({ name: 'Not to Eve', tools: ['theirs__*'], when: 'has(args.to) && args.to == "eve"' })
      assert.equal(await errorOf('theirs__read', { to: 'eve' }), 'policy_denied')
      assert.equal(await errorOf('theirs__read', { to: 'ana' }), null)
    })

    it('a Tool Pack makes its organization’s policy stricter, never weaker [policy.packs]', async () => {
      const { organization, errorOf, add, policyKey, key } = await open()
      const other = await t.call('POST', '/api/v1/tool-packs', { key, body: { name: 'Other' } })
      const inPack = { tool_pack_id: organization.toolPackId }
      await add({ ...inPack, name: 'No payments here', tools: ['theirs__pay'] })
      assert.equal(await errorOf('theirs__pay'), 'policy_denied')
      assert.equal(await errorOf('theirs__pay', {}, other.body.id), null)
      await add({ name: 'No reading', tools: ['theirs__read'] })
      await add({ ...inPack, name: 'Reading', effect: 'allow', tools: ['theirs__read'] })
      assert.equal(await errorOf('theirs__read'), 'policy_denied')
      const { body } = await t.call('GET', `/api/v1/policy-rules?tool_pack_id=${organization.toolPackId}`, {
        key: policyKey,
      })
      assert.equal(body.error.code, 'key_group_required')
      const listed = await t.call('GET', `/api/v1/policy-rules?tool_pack_id=${organization.toolPackId}`, {
        key,
      })
      assert.deepEqual(
        listed.body.data.map(({ name }: { name: string }) => name),
        ['No payments here', 'Reading'],
      )
      // A deleted pack takes its policy with it.
      await add({ tool_pack_id: other.body.id, name: 'Gone soon' })
      assert.equal((await t.call('DELETE', `/api/v1/tool-packs/${other.body.id}`, { key })).status, 204)
      const left = await t.query(
        `select 1 from policy_rules where organization_id = $1 and name = 'Gone soon'`,
        [organization.id],
      )
      assert.equal(left.length, 0)
    })

    it('rules read the user, the client and the mode of a call; a name that a client gives itself is not one of them', async () => {
      const { errorOf, add } = await open()
      await add({ name: 'Trainees', tools: ['theirs__pay'], when: 'user.metadata.level == "trainee"' })
      assert.equal(await errorOf('theirs__pay'), 'policy_denied')
      await add({
        name: 'Keys',
        tools: ['theirs__read'],
        when: 'client.type != "api_key" || mode != "production"',
      })
      assert.equal(await errorOf('theirs__read'), null)
      const named = await add({ name: 'Named', when: 'client.name == "Claude"' })
      assert.deepEqual(
        [named.status, named.body.error.code, named.body.error.param],
        [400, 'invalid_condition', 'when'],
      )
    })

    it('Explain shows which rule decides, and does not guess arguments [policy.explain]', async () => {
      const { add, explain } = await open()
      assert.deepEqual((await explain({ amount: 1 })).summary, 'No policy applies to the call.')
      const { body: rule } = await add({
        name: 'Large',
        tools: ['theirs__pay'],
        when: 'has(args.amount) && args.amount > 100.0',
      })
      const failed = await explain({ amount: 101 })
      assert.deepEqual(
        [failed.status, failed.fix.action, failed.detail.policy_rules],
        ['failed', 'change_policy', [{ id: rule.id, name: 'Large', effect: 'deny', status: 'matched' }]],
      )
      assert.equal((await explain({ amount: 1 })).status, 'passed')
      assert.equal((await explain()).status, 'not_checked')
      await add({ name: 'All payments', tools: ['theirs__pay'] })
      assert.equal((await explain()).status, 'failed')
    })

    it('a raw request takes the rules of the tool with the same operation, and a rule about the account waits for one', async () => {
      const { key, user, add, call } = await open()
      const pack = await t.call('POST', '/api/v1/tool-packs', {
        key,
        body: {
          name: 'Raw',
          connectors: [
            { slug: 'sandbox-notes', requests: { methods: ['GET', 'POST'], paths: ['/notes/api/*'] } },
          ],
        },
      })
      assert.equal(pack.status, 201, pack.text)
      const request = (args: object) => call('sandbox-notes__request', args, pack.body.id)
      const outcomeOf = (answer: any) =>
        answer.structuredContent.error?.code ?? (findAuthenticateMeta(answer) ? 'authenticate' : 'done')
      const write = { method: 'POST', path: '/notes/api/notes', body: { text: 'Hello' } }
      const read = { path: '/notes/api/notes' }
      await add({
        name: 'Work only',
        tools: ['sandbox-notes__*'],
        when: '!account.identity.endsWith("@work.example")',
      })
      assert.equal(outcomeOf(await request(read)), 'authenticate')
      await add({ name: 'No new notes', tools: ['sandbox-notes__create_note'] })
      assert.equal(outcomeOf(await request(write)), 'policy_denied')
      assert.equal(outcomeOf(await request(read)), 'authenticate')
      await add({ name: 'No writing', when: 'tool.connector == "sandbox-notes" && tool.destructive' })
      assert.equal(outcomeOf(await request({ ...write, path: '/notes/api/unknown' })), 'policy_denied')
      assert.equal(outcomeOf(await call('sandbox-notes__list_notes', {}, pack.body.id)), 'authenticate')
      const link = await t.mint(user.id, { connector_slug: 'sandbox-notes' }, key)
      await linkNotes(createBrowserUser(), link.magic_link_url)
      const linked = await call('sandbox-notes__list_notes', {}, pack.body.id)
      assert.equal(outcomeOf(linked), 'policy_denied', 'the account is not one of work.example')
    })

    it('an unrestricted key can only make a policy stricter [policy.keys]', async () => {
      const { key, add, errorOf } = await open()
      const rules = '/api/v1/policy-rules'
      const denyAll = await add({ name: 'Payments', tools: ['theirs__pay'], reason: 'Trust me.' }, key)
      assert.deepEqual([denyAll.status, denyAll.body.made_by], [201, 'key'])
      const path = `${rules}/${denyAll.body.id}`
      const refused: [string, string, object?][] = [
        ['POST', rules, { name: 'Open', effect: 'allow', tools: ['*'] }],
        ['PATCH', path, { effect: 'allow' }],
        ['PATCH', path, { effect: 'deny', when: 'false' }],
        ['PATCH', path, { tools: ['theirs__read'] }],
        ['PATCH', path, { reason: 'Another' }],
        ['DELETE', path],
      ]
      for (const [method, url, body] of refused) {
        const answer = await t.call(method, url, { key, ...(body && { body }) })
        assert.deepEqual(
          [answer.status, answer.body.error.code],
          [403, 'key_group_required'],
          `${method} ${JSON.stringify(body)}`,
        )
        assert.match(answer.body.error.message, /`policies`/)
      }
      assert.equal(await errorOf('theirs__pay'), 'policy_denied')
      assert.equal((await t.call('PUT', '/api/v1/policy', { key, body: { default: 'deny' } })).status, 200)
      const back = await t.call('PUT', '/api/v1/policy', { key, body: { default: 'allow' } })
      assert.equal(back.body.error.code, 'key_group_required')
      // A test key and the management MCP server change nothing either.
      const { body: testKey } = await t.call('POST', '/api/v1/api-keys', { key, body: { mode: 'test' } })
      assert.equal((await t.call('DELETE', path, { key: testKey.key })).status, 403)
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
      const managed = await t.call('POST', '/api/v1/mcp?access=write', { key, body: list })
      const tools: { name: string; annotations: { readOnlyHint: boolean } }[] = managed.body.result.tools
      assert.deepEqual(
        tools
          .filter(({ name }) => name.includes('policy'))
          .map(each => [each.name, each.annotations.readOnlyHint]),
        [
          ['get_policy', true],
          ['list_policy_rules', true],
        ],
      )
    })

    it('names are unique, tools must exist, and conditions are checked', async () => {
      const { add, organization } = await open()
      const code = async (rule: object) => {
        const { status, body } = await add(rule)
        return status === 201 ? null : [body.error.code, body.error.param]
      }
      assert.equal(await code({ name: 'One' }), null)
      assert.deepEqual(await code({ name: 'One' }), ['policy_rule_name_taken', 'name'])
      assert.deepEqual(await code({ name: 'Typo', tools: ['theirs__pai'] }), ['invalid_request', 'tools.0'])
      assert.deepEqual(await code({ name: 'Typo', tools: ['nobody__*'] }), ['invalid_request', 'tools.0'])
      assert.deepEqual(await code({ name: 'All', when: 'args.amount > 1' }), ['invalid_condition', 'when'])
      assert.deepEqual(await code({ name: 'Wrong', tools: ['theirs__pay'], when: 'args.amount >' }), [
        'invalid_condition',
        'when',
      ])
      assert.deepEqual(await code({ name: 'Wrong', tools: ['theirs__pay'], when: 'args.amuont > 1' }), [
        'invalid_condition',
        'when',
      ])
      const created = await Promise.all(
        Array.from({ length: 20 }, () => add({ name: 'Raced', tools: ['theirs__read'] })),
      )
      assert.equal(created.filter(({ status }) => status === 201).length, 1)
      await t.query(
        `insert into policy_rules (organization_id, id, name, effect, tools, made_by)
         select $1, gen_random_uuid(), 'n' || n, 'allow', '{*}', 'key' from generate_series(1, 98) n`,
        [organization.id],
      )
      assert.deepEqual(await code({ name: 'Too many' }), ['policy_rule_limit_reached', undefined])
      const first = await t.call('GET', '/api/v1/policy-rules?limit=60', { key: organization.key })
      const second = await t.call('GET', `/api/v1/policy-rules?limit=60&cursor=${first.body.next_cursor}`, {
        key: organization.key,
      })
      assert.deepEqual([first.body.data.length, second.body.data.length], [60, 40])
    })
  })
