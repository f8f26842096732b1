import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { LinkTokenRequest } from '@carabiner/contract'
import { registerAtSandbox } from '../support/acme-connectors.ts'
import { consentAtSandbox, createBrowserUser } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { liftPageLimits, startTestService, type TestService } from '../support/test-service.ts'

const TASKS = 'sandbox-tasks'
const READ = 'tasks:read'
const WRITE = 'tasks:write'

for (const engine of flowEngines)
  describe(`scopes of links, on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await startTestService(engine, { CONNECTORS: `${TASKS} sandbox-vault` })
      liftPageLimits(t)
    })
    after(() => t.stop())

    /** Follows a link, and returns the scopes that it requested and Link's consent page. */
    const follow = async (url: string, declined = false) => {
      const browser = createBrowserUser()
      const landing = await browser.open(url)
      const picked = /\/start"/.test(landing.html)
        ? landing
        : await browser.follow(landing, /connector=sandbox-tasks/)
      const signIn = await browser.submit(picked, /\/start$/)
      const done = await consentAtSandbox(browser, signIn, declined ? { scopes: ['none'] } : {})
      assert.match(done.title, /is connected/)
      const asked = t.sandbox.ledger.findLast(({ kind }) => kind === 'authorize')?.detail?.requested
      return { requested: [...(asked as string[])].toSorted(), page: picked.html }
    }
    const link = async (userId: string, body: LinkTokenRequest = {}) =>
      follow((await t.mint(userId, { connector: TASKS, ...body })).magic_link_url)
    const createPack = async (connectors: unknown) =>
      (await t.call('POST', '/api/v1/tool-packs', { body: { name: crypto.randomUUID(), connectors } })).body
        .id as string
    const callTool = async (userId: string, name: string, args = {}, packId?: string) =>
      (
        await t.mcp(
          userId,
          'tools/call',
          { name: `${TASKS}__${name}`, arguments: args },
          packId ? { packId } : {},
        )
      ).body.result
    const refused = async (userId: string, body: object) => {
      const { status, body: answer } = await t.call('POST', `/api/v1/registered-users/${userId}/link-token`, {
        body,
      })
      assert.equal(status, 400, JSON.stringify(answer))
      return [answer.error.code, answer.error.param, answer.error.message]
    }

    it('default pack that nobody edited: a link requests the required scopes only', async () => {
      const { id } = await t.createUser()
      const { requested, page } = await link(id)
      assert.deepEqual(requested, [READ])
      assert.doesNotMatch(page, /Add a task/)
    })

    it('chosen tools: a link requests their scopes in one consent, also if the user picks the connector', async () => {
      const all = await createPack([TASKS])
      const { id } = await t.createUser()
      const { requested, page } = await link(id, { tool_pack_id: all })
      assert.deepEqual(requested, [READ, WRITE])
      assert.match(page, /Add a task/)
      assert.equal((await callTool(id, 'add_task', { title: 'Call Marta' }, all)).isError, false)
      const picked = await t.createUser()
      const { magic_link_url } = await t.mint(picked.id, {
        tool_pack_id: await createPack([TASKS, 'sandbox-vault']),
      })
      assert.deepEqual((await follow(magic_link_url)).requested, [READ, WRITE])
      const reading = await createPack([{ slug: TASKS, tools: ['list_tasks'] }])
      const reader = await t.createUser()
      assert.deepEqual((await link(reader.id, { tool_pack_id: reading })).requested, [READ])
    })

    it('tools and scopes: one consent covers what the request names, with or without prefix', async () => {
      for (const body of [
        { tools: ['list_tasks', 'sandbox-tasks__add_task'] },
        { tools: ['add_task'] },
        { scopes: [WRITE] },
      ]) {
        const { id } = await t.createUser()
        assert.deepEqual((await link(id, body)).requested, [READ, WRITE], JSON.stringify(body))
        assert.equal((await callTool(id, 'add_task', { title: 'Sweep' })).isError, false)
      }
      const all = await createPack([TASKS])
      for (const body of [{ tools: ['list_tasks'] }, { tools: [] }, { scopes: [READ] }]) {
        const { id } = await t.createUser()
        assert.deepEqual((await link(id, { ...body, tool_pack_id: all })).requested, [READ])
      }
    })

    it('tools: a later link keeps the scopes that were granted before, unless it adds an account', async () => {
      const { id } = await t.createUser()
      await link(id, { tools: ['add_task'] })
      assert.deepEqual((await link(id, { tools: ['list_tasks'] })).requested, [READ, WRITE])
      assert.deepEqual((await link(id, { tools: ['list_tasks'], account: 'add' })).requested, [READ])
    })

    it('call: a link at runtime requests what the called tool needs, then what it lacks', async () => {
      const { id } = await t.createUser()
      const meta = (await callTool(id, 'add_task', { title: 'x' })).structuredContent
      assert.equal(meta.reason, 'never_linked')
      assert.deepEqual((await follow(meta.magic_link_url)).requested, [READ, WRITE])
      assert.equal((await callTool(id, 'add_task', { title: 'x' })).isError, false)

      const reader = await t.createUser()
      const first = (await callTool(reader.id, 'list_tasks')).structuredContent
      assert.deepEqual((await follow(first.magic_link_url)).requested, [READ])
      const second = (await callTool(reader.id, 'add_task', { title: 'x' })).structuredContent
      assert.equal(second.reason, 'insufficient_scope')
      const { requested, page } = await follow(second.magic_link_url)
      assert.deepEqual(requested, [READ, WRITE])
      assert.doesNotMatch(page, /List tasks/, 'the second consent shows what is added')
    })

    it('call: a scope that the user declined in a larger consent is offered once more by itself', async () => {
      const { id } = await t.createUser()
      const { magic_link_url } = await t.mint(id, { connector: TASKS, tools: ['add_task'] })
      await follow(magic_link_url, true)
      const again = (await callTool(id, 'add_task', { title: 'x' })).structuredContent
      assert.equal(again.reason, 'insufficient_scope')
      await follow(again.magic_link_url, true)
      const last = (await callTool(id, 'add_task', { title: 'x' })).structuredContent
      assert.equal(last.error?.code, 'third_party_forbidden')
    })

    it('tools and scopes: unknown ones, and those outside of the pack, are rejected by name', async () => {
      const { id } = await t.createUser()
      assert.deepEqual(await refused(id, { tools: ['add_task'] }), [
        'invalid_request',
        'connector_slug',
        '"connector_slug" is required with "tools".',
      ])
      assert.deepEqual(await refused(id, { connector: TASKS, tools: ['list_tasks', 'ad_task'] }), [
        'unknown_tool',
        'tools.1',
        'Tasks has no tool "ad_task"; did you mean "add_task"?',
      ])
      assert.deepEqual(await refused(id, { connector: TASKS, scopes: ['tasks:wirte'] }), [
        'unknown_scope',
        'scopes.0',
        'Tasks cannot request the scope "tasks:wirte": the Connector does not list it. Did you mean "tasks:write"?',
      ])
      assert.equal((await refused(id, { connector: 'sandbox-vault', scopes: [READ] }))[0], 'unknown_scope')
      const tool_pack_id = await createPack([{ slug: TASKS, tools: ['list_tasks'] }])
      assert.deepEqual(await refused(id, { connector: TASKS, tools: ['add_task'], tool_pack_id }), [
        'tool_not_in_tool_pack',
        'tools',
        'The Tool Pack does not offer the tool "add_task".',
      ])
    })

    it('OAuth app: its configured scopes bound what tools and scopes may request', async () => {
      const { key, testKey } = await t.createOrganization('Bounded')
      const path = `/api/v1/connectors/${TASKS}/oauth-app`
      const { redirect_uri } = (await t.call('GET', path, { key })).body
      const app = await registerAtSandbox(t.sandbox.url, redirect_uri)
      assert.equal((await t.call('PUT', path, { key, body: { ...app, scopes: [READ] } })).status, 200)
      const pack = await t.call('POST', '/api/v1/tool-packs', {
        key,
        body: { name: 'All', connectors: [TASKS] },
      })
      const user = await t.createUser({}, testKey)
      const mint = (body: object) =>
        t.call('POST', `/api/v1/registered-users/${user.id}/link-token`, {
          key: testKey,
          body: { connector: TASKS, ...body },
        })
      const { body } = await mint({ tool_pack_id: pack.body.id })
      assert.deepEqual((await follow(body.magic_link_url)).requested, [READ])
      for (const wish of [{ tools: ['add_task'] }, { scopes: [WRITE] }]) {
        const rejected = await mint(wish)
        assert.equal(rejected.body.error.code, 'unknown_scope')
        assert.match(rejected.body.error.message, /"tasks:write".* its OAuth app is not configured with it/)
      }
    })

    it('organization account: its link requests the scopes of the named tools', async () => {
      const { status, body } = await t.call('POST', '/api/v1/organization-accounts/link-token', {
        body: { connector: TASKS, tools: ['add_task'] },
      })
      assert.equal(status, 201)
      assert.deepEqual((await follow(body.magic_link_url)).requested, [READ, WRITE])
    })
  })
