import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { newUuid } from '../../src/core/uuid.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { type PlainMcp, startPlainMcp } from '../support/plain-mcp.ts'
import {
  type Answer,
  SANDBOX_CONNECTORS,
  startTestService,
  type TestService,
} from '../support/test-service.ts'

const PATH = '/api/v1/tool-packs'

const SEARCH = {
  name: 'search',
  description: 'Searches.',
  inputSchema: {
    type: 'object',
    properties: {
      folder: { enum: ['inbox', 'archive'] },
      limit: { type: 'integer', maximum: 10 },
      text: { type: 'string' },
    },
    required: ['folder', 'text'],
  },
}
const LOOK = { name: 'look', description: 'Looks.' }

const refuses = (answer: Answer, status: number, code: string, param?: string): void => {
  assert.equal(answer.status, status, answer.text)
  assert.deepEqual([answer.body.error.code, answer.body.error.param], [code, param], answer.text)
}

for (const engine of flowEngines) {
  describe(`Tool Packs on ${engine}`, () => {
    let t: TestService
    let plain: PlainMcp
    before(async () => {
      // Without jobs, whose statements would be counted.
      t = await startTestService(
        engine,
        { CONNECTORS: `${SANDBOX_CONNECTORS} gmail sendgrid` },
        { withJobs: false },
      )
      plain = await startPlainMcp()
      plain.tools = [SEARCH, LOOK]
      await addServer('mail')
      plain.requiredHeader = ['authorization', 'Bearer mine']
      await addServer('locked', { authentication: 'user_secret' })
      plain.requiredHeader = null
    })
    after(async () => {
      await t.stop()
      await plain.stop()
    })
    beforeEach(() => {
      plain.tools = [SEARCH, LOOK]
      plain.calls.length = 0
    })

    const addServer = async (slug: string, more = {}) => {
      const added = await t.call('POST', '/api/v1/connectors', {
        body: { slug, name: slug, url: plain.url, ...more },
      })
      assert.equal(added.status, 201, added.text)
    }
    const create = (body: Record<string, unknown>) =>
      t.call('POST', PATH, { body: { name: 'Pack', ...body } })
    const make = async (connectors: unknown, more = {}): Promise<string> => {
      const created = await create({ connectors, ...more })
      assert.equal(created.status, 201, created.text)
      return created.body.id
    }
    const list = async (userId: string, packId: string) =>
      (await t.mcp(userId, 'tools/list', {}, { packId })).body.result.tools
    const names = async (userId: string, packId: string) =>
      (await list(userId, packId)).map(({ name }: { name: string }) => name)
    const run = async (userId: string, packId: string, name: string, args = {}) =>
      (await t.mcp(userId, 'tools/call', { name, arguments: args }, { packId })).body.result
    const records = async (userId: string) =>
      (
        await t.query(
          'select outcome, error_code from tool_calls where registered_user_id = $1 order by id',
          [userId],
        )
      ).map(({ outcome, error_code }) => [outcome, error_code])

    it('the connectors that can be linked in a pack are exactly those that a link is created for', async () => {
      await addServer('open')
      const { id: userId } = await t.createUser()
      const linkable = async (pack: string): Promise<string[]> =>
        (await t.call('GET', `/api/v1/connectors?linkable_in=${pack}`)).body.data.map(
          ({ slug }: { slug: string }) => slug,
        )
      const { body } = await t.call('GET', '/api/v1/connectors')
      const slugs: string[] = body.data.map(({ slug }: { slug: string }) => slug)
      const packId = await make(['sandbox-notes', 'open'])
      for (const pack of [packId, t.organization.toolPackId]) {
        const accepted = []
        for (const connector of slugs) {
          const { status } = await t.call('POST', `/api/registered-users/${userId}/link-token`, {
            body: { connector, tool_pack_id: pack },
          })
          if (status === 201) accepted.push(connector)
        }
        assert.deepEqual((await linkable(pack)).toSorted(), accepted.toSorted(), pack)
      }
      assert.deepEqual(
        await linkable(packId),
        ['sandbox-notes'],
        'a server without authentication needs no link',
      )
      assert.deepEqual(await linkable('default'), await linkable(t.organization.toolPackId))
      for (const pack of [newUuid(), 'x'])
        assert.deepEqual(
          [(await t.call('GET', `/api/v1/connectors?linkable_in=${pack}`)).body.error.code],
          ['tool_pack_not_found'],
        )
      const open = body.data.find(({ slug }: { slug: string }) => slug === 'open')
      assert.equal(open.needs_account, false)
    })

    it('list their tools as a model sees them, with sizes, in pages, for any user', async () => {
      const id = await make(
        [
          {
            slug: 'mail',
            tools: [{ name: 'search', description: 'Finds.', inputs: { folder: { fixed: 'inbox' } } }],
          },
          'sandbox-notes',
        ],
        { explain_access: true },
      )
      const user = await t.createUser()
      const listed = await list(user.id, id)
      const whole = (await t.call('GET', `${PATH}/${id}/tools?limit=100`)).body
      assert.deepEqual(
        whole.data.map(({ name, description, input_schema }: any) => [name, description, input_schema]),
        listed.map(({ name, description, inputSchema }: any) => [name, description, inputSchema]),
      )
      assert.deepEqual(
        whole.data.map(({ definition_bytes }: any) => definition_bytes),
        listed.map((tool: object) => Buffer.byteLength(JSON.stringify(tool))),
      )
      assert.equal(whole.total_tools, listed.length)
      assert.equal(
        whole.total_definition_bytes,
        whole.data.reduce((sum: number, tool: any) => sum + tool.definition_bytes, 0),
      )
      const connectorOf = Object.fromEntries(whole.data.map((tool: any) => [tool.name, tool.connector]))
      assert.equal(connectorOf.mail__search, 'mail')
      assert.equal(connectorOf.explain_access, null)
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: any = (await t.call('GET', `${PATH}/${id}/tools?limit=2${cursor && `&cursor=${cursor}`}`))
          .body
        seen.push(...page.data.map(({ name }: any) => name))
        assert.equal(page.total_tools, listed.length)
        cursor = page.next_cursor
      }
      assert.deepEqual(
        seen,
        listed.map(({ name }: any) => name),
      )
      refuses(await t.call('GET', `${PATH}/${newUuid()}/tools`), 404, 'tool_pack_not_found')
      refuses(await t.call('GET', `${PATH}/${id}/tools?cursor=!`), 400, 'invalid_cursor', 'cursor')
      refuses(await t.call('GET', `${PATH}/${id}/tools?limit=0`), 400, 'invalid_request', 'limit')
      const other = await t.createOrganization(`Other ${newUuid()}`)
      refuses(await t.call('GET', `${PATH}/${id}/tools`, { key: other.key }), 404, 'tool_pack_not_found')
    })

    it('are created, read, listed in pages, replaced, changed and deleted, with an event each [pack.manage]', async () => {
      const packEvents = async () =>
        (
          await t.query(`select payload from events where type = 'tool_pack.updated' order by created_at`)
        ).map(({ payload }) => [payload.tool_pack_id, payload.name, payload.change])
      const created = await create({
        name: 'Support',
        description: 'For support agents',
        connectors: [
          'sandbox-vault',
          { slug: 'mail', tools: ['look', { name: 'search', description: 'Finds.' }] },
        ],
        result_limit: 5000,
        result_handles: true,
        explain_access: true,
      })
      assert.equal(created.status, 201, created.text)
      const { id, handle, created_at, updated_at, ...rest } = created.body
      assert.match(handle, /^\w{20,}$/)
      assert.deepEqual(rest, {
        name: 'Support',
        description: 'For support agents',
        is_default: false,
        connectors: [
          { slug: 'sandbox-vault', tools: null },
          { slug: 'mail', tools: [{ name: 'look' }, { name: 'search', description: 'Finds.' }] },
        ],
        result_limit: 5000,
        result_handles: true,
        explain_access: true,
        renewal_notices: false,
        tasks: true,
        daily_call_limit: null,
        serving: 'list',
        favorites: [],
        accounts: {},
      })
      assert.ok(!Number.isNaN(Date.parse(created_at) + Date.parse(updated_at)))
      assert.deepEqual((await t.call('GET', `${PATH}/${id}`, { key: t.organization.testKey })).body, {
        ...created.body,
        handle: `${handle}-test`,
      })

      const patched = await t.call('PATCH', `${PATH}/${id}`, { body: { name: 'Helpers' } })
      assert.deepEqual([patched.body.name, patched.body.connectors], ['Helpers', created.body.connectors])
      const replaced = await t.call('PUT', `${PATH}/${id}`, { body: { name: 'All' } })
      assert.deepEqual(
        [
          replaced.body.connectors,
          replaced.body.description,
          replaced.body.result_limit,
          replaced.body.result_handles,
          replaced.body.explain_access,
        ],
        [null, '', 100_000, false, false],
      )
      const pages = [await t.call('GET', `${PATH}?limit=1`)]
      while (pages.at(-1)?.body.next_cursor)
        pages.push(await t.call('GET', `${PATH}?limit=1&cursor=${pages.at(-1)?.body.next_cursor}`))
      const ids = pages.flatMap(({ body }) => body.data.map((pack: { id: string }) => pack.id))
      assert.ok(ids.includes(id) && ids.includes(t.organization.toolPackId))
      assert.equal(new Set(ids).size, ids.length)

      assert.equal((await t.call('DELETE', `${PATH}/${id}`)).status, 204)
      refuses(await t.call('GET', `${PATH}/${id}`), 404, 'tool_pack_not_found')
      assert.deepEqual(
        (await packEvents()).filter(([pack]) => pack === id),
        [
          [id, 'Support', 'created'],
          [id, 'Helpers', 'updated'],
          [id, 'All', 'updated'],
          [id, 'All', 'deleted'],
        ],
      )
    })

    it('null in a PATCH resets a field to its default, and is rejected for a field without one', async () => {
      const settings = {
        description: 'For support agents',
        connectors: [{ slug: 'mail', tools: ['look'] }],
        result_limit: 5000,
      }
      const { id, updated_at: _, ...created } = (await create({ ...settings, result_handles: true })).body
      const patch = (body: unknown) => t.call('PATCH', `${PATH}/${id}`, { body })
      const defaults = { description: '', connectors: null, result_limit: 100_000 }
      for (const [field, value] of Object.entries(defaults)) {
        const { status, body } = await patch({ [field]: null })
        const { updated_at: changed, ...rest } = body
        assert.ok(changed)
        assert.deepEqual([status, rest], [200, { id, ...created, [field]: value }], field)
        assert.equal((await patch({ [field]: settings[field as keyof typeof settings] })).status, 200)
      }
      const all = await patch({ description: null, connectors: null, result_limit: null })
      const { updated_at: __, ...cleared } = (await t.call('GET', `${PATH}/${id}`)).body
      assert.deepEqual([all.status, cleared], [200, { id, ...created, ...defaults }])
      const user = await t.createUser()
      assert.ok((await names(user.id, id)).includes('mail__search'), 'every tool is offered again')
      for (const field of ['name', 'is_default', 'result_handles', 'explain_access']) {
        refuses(await patch({ [field]: null }), 400, 'invalid_request', field)
        assert.equal((await t.call('GET', `${PATH}/${id}`)).body[field], cleared[field])
      }
    })

    it('are rejected with the invalid field and the reason, and nothing is stored', async () => {
      const count = async () => (await t.query('select count(*)::integer as n from tool_packs'))[0].n
      const earlier = await count()
      const search = (inputs: unknown) => [{ slug: 'mail', tools: ['look', { name: 'search', inputs }] }]
      const at = 'connectors.0.tools.1.inputs'
      for (const [connectors, code, param, message] of [
        [['sandbox-note'], 'unknown_connector', 'connectors.0', /did you mean "sandbox-notes"/],
        [['gmail'], 'connector_not_configured', 'connectors.0', /oauth-app/],
        [['mail', 'nothing-like-it'], 'unknown_connector', 'connectors.1', /no Connector/],
        [['mail', { slug: 'mail' }], 'duplicate_choice', 'connectors.1', /Duplicate entry/],
        [[{ slug: 'mail', tools: ['look', 'serch'] }], 'unknown_tool', 'connectors.0.tools.1', /"search"/],
        [
          [{ slug: 'mail', tools: ['look', { name: 'look' }] }],
          'duplicate_choice',
          'connectors.0.tools.1',
          /Duplicate entry/,
        ],
        [
          [{ slug: 'locked', tools: ['look'] }],
          'invalid_tool_choice',
          'connectors.0.tools',
          /unknown until an account is linked/,
        ],
        [search({ foldr: { fixed: 'inbox' } }), 'invalid_tool_choice', `${at}.foldr`, /"folder"/],
        [search({ folder: { fixed: 'outbox' } }), 'invalid_tool_choice', `${at}.folder`, /must be one of/],
        [search({ text: { hidden: true } }), 'invalid_tool_choice', `${at}.text`, /is required/],
        [search({ text: { fixed: 'x'.repeat(32_768) } }), 'invalid_tool_choice', 'connectors', /32768 bytes/],
        [search({ text: {} }), 'invalid_request', `${at}.text`, /fewer than 1/],
        [search({ text: { hidden: true, fixed: 1 } }), 'invalid_request', `${at}.text`, /more than 1/],
        [search({ text: { hidden: false } }), 'invalid_request', `${at}.text.hidden`, /./],
        [search({ text: { fixd: 1 } }), 'unknown_field', `${at}.text.fixd`, /./],
        [[{ slug: 'mail', tols: [] }], 'unknown_field', 'connectors.0.tols', /./],
        [
          [{ slug: 'mail', tools: [{ name: 'look', description: 'x'.repeat(2001) }] }],
          'invalid_request',
          'connectors.0.tools.0.description',
          /2000/,
        ],
        [[7], 'invalid_request', 'connectors.0', /./],
        ['mail', 'invalid_request', 'connectors', /./],
        [Array.from({ length: 1001 }, () => 'mail'), 'invalid_request', 'connectors', /1000/],
        [
          [{ slug: 'mail', tools: Array.from({ length: 501 }, () => 'look') }],
          'invalid_request',
          'connectors.0.tools',
          /500/,
        ],
      ] as const) {
        const answer = await create({ connectors })
        refuses(answer, 400, code, param)
        assert.match(answer.body.error.message, message)
      }
      refuses(await create({ description: 'x'.repeat(2001) }), 400, 'invalid_request', 'description')
      refuses(await create({ name: '' }), 400, 'invalid_request', 'name')
      refuses(await create({ result_limit: 999 }), 400, 'invalid_request', 'result_limit')
      refuses(await t.call('POST', PATH, { body: {} }), 400, 'invalid_request', 'name')
      for (const id of ['x', newUuid(), (await t.createOrganization('Other')).toolPackId])
        for (const [method, body] of [
          ['GET', undefined],
          ['PUT', { name: 'x' }],
          ['PATCH', { name: 'x' }],
          ['DELETE', undefined],
        ] as const)
          refuses(await t.call(method, `${PATH}/${id}`, { body }), 404, 'tool_pack_not_found')
      const asTest = await t.call('POST', PATH, { key: t.organization.testKey, body: { name: 'x' } })
      refuses(asTest, 403, 'production_key_required')
      assert.equal(await count(), earlier + 1, 'only the pack of the other organization was created')
    })

    it('list and run only the chosen tools, and calls of other tools leave no record [pack.choice]', async () => {
      const user = await t.createUser()
      const pack = await make([
        { slug: 'mail', tools: [{ name: 'look', description: 'Have a look.' }] },
        'sandbox-vault',
      ])
      const tools = await list(user.id, pack)
      assert.deepEqual(
        tools.map(({ name, description }: { name: string; description: string }) => [name, description]),
        [
          ['mail__look', 'Have a look.'],
          ['sandbox-vault__get_account', 'Returns the workspace and the account that the vault belongs to.'],
          [
            'sandbox-vault__list_items',
            'Lists the items in the vault with their ids, names and when they were last changed.',
          ],
        ],
      )
      assert.equal((await run(user.id, pack, 'mail__look')).isError, false)
      for (const name of ['mail__search', 'sandbox-notes__list_notes', 'mail__constructor'])
        assert.equal((await run(user.id, pack, name)).structuredContent.error.code, 'tool_not_found', name)
      assert.deepEqual(await records(user.id), [['success', null]])
      assert.deepEqual(
        plain.calls.map(({ tool }) => tool),
        ['look'],
      )
      assert.equal(
        (await run(user.id, t.organization.toolPackId, 'mail__search', { folder: 'inbox', text: 'a' }))
          .isError,
        false,
      )
      const none = await make([{ slug: 'mail', tools: [] }])
      assert.deepEqual(await names(user.id, none), [])
      assert.deepEqual(await names(user.id, await make([])), [])
    })

    it('hide inputs from the model and send fixed values [pack.inputs]', async () => {
      const user = await t.createUser()
      const pack = await make([
        {
          slug: 'mail',
          tools: [{ name: 'search', inputs: { folder: { fixed: 'inbox' }, limit: { hidden: true } } }],
        },
      ])
      const [tool] = await list(user.id, pack)
      assert.deepEqual(
        [Object.keys(tool.inputSchema.properties), tool.inputSchema.required],
        [['text'], ['text']],
      )
      assert.equal((await run(user.id, pack, 'mail__search', { text: 'ink' })).isError, false)
      assert.deepEqual(plain.calls[0]?.args, { text: 'ink', folder: 'inbox' })
      for (const args of [
        { text: 'a', folder: 'archive' },
        { text: 'a', folder: 'inbox' },
        { text: 'a', limit: 1 },
        {},
        { text: 1 },
      ]) {
        const { error } = (await run(user.id, pack, 'mail__search', args)).structuredContent
        assert.equal(error.code, 'invalid_arguments', JSON.stringify(args))
      }
      assert.equal(plain.calls.length, 1)
    })

    it('fix input values of catalog tools as well', async () => {
      const user = await t.createUser()
      await linkNotes(createBrowserUser(), (await t.mint(user.id)).magic_link_url)
      const pack = await make([
        {
          slug: 'sandbox-notes',
          tools: [{ name: 'create_note', inputs: { title: { fixed: 'From the agent' } } }, 'list_notes'],
        },
      ])
      assert.deepEqual(await names(user.id, pack), [
        'sandbox-notes__create_note',
        'sandbox-notes__list_notes',
      ])
      const created = await run(user.id, pack, 'sandbox-notes__create_note', { text: 'ink' })
      assert.equal(created.structuredContent.title, 'From the agent', JSON.stringify(created))
      const rejected = await run(user.id, pack, 'sandbox-notes__create_note', { text: 'ink', title: 'Mine' })
      assert.deepEqual(
        [rejected.structuredContent.error.code, rejected.structuredContent.error.param],
        ['invalid_arguments', 'title'],
      )
      assert.deepEqual(rejected.structuredContent.error.errors[0].known_fields, ['text'], 'not the fixed one')
    })

    it('a tool that changed so that its setting no longer fits is not listed and not called', async () => {
      const user = await t.createUser()
      await addServer('changing', { tool_changes: 'auto' })
      const pack = await make([
        {
          slug: 'changing',
          tools: [
            'look',
            { name: 'search', inputs: { folder: { fixed: 'inbox' }, limit: { hidden: true } } },
          ],
        },
      ])
      const call = async () => run(user.id, pack, 'changing__search', { text: 'a' })
      assert.equal((await call()).isError, false)
      const { properties, required } = SEARCH.inputSchema
      const { folder: _, ...without } = properties
      for (const inputSchema of [
        { ...SEARCH.inputSchema, properties: { ...properties, folder: { enum: ['archive'] } } },
        { ...SEARCH.inputSchema, properties: without, required: ['text'] },
        { ...SEARCH.inputSchema, required: [...required, 'limit'] },
      ]) {
        plain.tools = [LOOK, { ...SEARCH, inputSchema }]
        await t.call('POST', '/api/v1/connectors/changing/tools/check')
        plain.calls.length = 0
        assert.deepEqual(await names(user.id, pack), ['changing__look'])
        const { error } = (await call()).structuredContent
        assert.equal(error.code, 'tool_not_found')
        assert.match(error.message, /no longer fit/)
        assert.deepEqual(plain.calls, [])
      }
      plain.tools = [LOOK]
      await t.call('POST', '/api/v1/connectors/changing/tools/check')
      assert.deepEqual(await names(user.id, pack), ['changing__look'])
      assert.equal((await call()).structuredContent.error.code, 'tool_not_found')
      plain.tools = [LOOK, SEARCH]
      await t.call('POST', '/api/v1/connectors/changing/tools/check')
      assert.deepEqual(await names(user.id, pack), ['changing__look', 'changing__search'])
      assert.equal((await call()).isError, false)
    })

    it('a change applies to the next list and call', async () => {
      const user = await t.createUser()
      const pack = await make([{ slug: 'mail', tools: ['look'] }])
      assert.equal((await run(user.id, pack, 'mail__look')).isError, false)
      await t.call('PATCH', `${PATH}/${pack}`, {
        body: { connectors: [{ slug: 'mail', tools: ['search'] }] },
      })
      assert.deepEqual(await names(user.id, pack), ['mail__search'])
      assert.equal((await run(user.id, pack, 'mail__look')).structuredContent.error.code, 'tool_not_found')
      await t.call('PUT', `${PATH}/${pack}`, { body: { name: 'All' } })
      assert.equal((await run(user.id, pack, 'mail__look')).isError, false)
    })

    it('allow linking a server whose tools are chosen, and one whose tools are not known yet', async () => {
      const user = await t.createUser()
      const pack = await make(['locked', { slug: 'mail', tools: ['look'] }])
      assert.deepEqual(await names(user.id, pack), ['authenticate_locked', 'mail__look'])
      const meta = (await run(user.id, pack, 'authenticate_locked')).structuredContent
      assert.deepEqual([meta.type, meta.Connector], ['authenticate_meta', 'locked'])
      plain.requiredHeader = ['authorization', 'Bearer mine']
      const browser = createBrowserUser()
      await browser.submit(await browser.open(meta.magic_link_url), /\/api-key$/, { secret: 'mine' })
      plain.requiredHeader = null
      const chosen = await make([{ slug: 'locked', tools: ['look'] }])
      assert.deepEqual(await names(user.id, chosen), ['locked__look'])
      assert.equal((await run(user.id, chosen, 'authenticate_locked')).structuredContent.connected, true)
      const unlinked = await t.createUser()
      const challenged = await run(unlinked.id, chosen, 'locked__look')
      assert.equal(challenged.structuredContent.type, 'authenticate_meta')
      assert.equal((await run(unlinked.id, chosen, 'locked__search')).isError, true)
    })

    it('the picker lists the connectors with a tool in the pack', async () => {
      const user = await t.createUser()
      const offered = async (connectors: unknown) => {
        const minted = await t.mint(user.id, { tool_pack_id: await make(connectors) })
        const { html } = await createBrowserUser().open(minted.magic_link_url)
        return ['locked', 'sandbox-notes', 'sandbox-vault', 'sendgrid'].filter(slug =>
          new RegExp(`[/=]${slug}["?&]`).test(html),
        )
      }
      assert.deepEqual(await offered(null), ['locked', 'sandbox-notes', 'sandbox-vault'])
      assert.deepEqual(await offered(['sendgrid', 'sandbox-notes', 'sandbox-vault']), [
        'sandbox-notes',
        'sandbox-vault',
      ])
      assert.deepEqual(
        await offered([
          { slug: 'sandbox-notes', tools: [] },
          { slug: 'locked', tools: [] },
          { slug: 'sandbox-vault', tools: ['list_items'] },
          'mail',
        ]),
        ['sandbox-vault'],
      )
    })

    it('GET /connectors counts the tools, and the tools of every connector can be listed', async () => {
      const { data } = (await t.call('GET', '/api/v1/connectors')).body
      const counts = new Map(data.map((one: any) => [one.slug, one.tool_count]))
      assert.equal(counts.has('sendgrid'), false)
      for (const [slug, count] of [
        ['sandbox-notes', 2],
        ['sandbox-vault', 2],
        ['mail', 2],
      ] as const) {
        assert.equal(counts.get(slug), count, slug)
        const { status, body } = await t.call('GET', `/api/v1/connectors/${slug}/tools`)
        assert.deepEqual([status, body.tools.length], [200, count], slug)
      }
      const { tools, pending } = (await t.call('GET', '/api/v1/connectors/sandbox-notes/tools')).body
      assert.equal(pending, null)
      const created = tools.find((tool: any) => tool.name === 'create_note')
      assert.deepEqual(
        [created.title, created.annotations.readOnlyHint, created.input_schema.required],
        ['Create a note', false, ['title', 'text']],
      )
      refuses(await t.call('GET', '/api/v1/connectors/no-such/tools'), 404, 'connector_not_found')
    })

    it('a connector without tools is not usable, but a pack may allow raw requests to it', async () => {
      const { data } = (await t.call('GET', '/api/v1/connectors?include=not_configured')).body
      const sendgrid = data.find((one: any) => one.slug === 'sendgrid')
      assert.deepEqual([sendgrid.is_usable, sendgrid.tool_count, sendgrid.methods], [false, 0, ['api_key']])
      const pack = await make([{ slug: 'sendgrid', requests: { paths: ['/v3/templates'] } }])
      const { body } = await t.call('GET', `/api/v1/tool-packs/${pack}/tools`)
      assert.ok(body.data.some((tool: any) => tool.name === 'sendgrid__request'))
    })

    it('deleted: the MCP endpoint returns 404, and open links offer nothing', async () => {
      const user = await t.createUser()
      const pack = await make(['sandbox-vault'])
      const minted = await t.mint(user.id, { tool_pack_id: pack })
      const picker = await createBrowserUser().open(minted.magic_link_url)
      assert.match(picker.html, /sandbox-vault/)
      assert.doesNotMatch(picker.html, /sandbox-notes/)
      const mint = (body: object) =>
        t.call('POST', `/api/v1/registered-users/${user.id}/link-token`, { body })
      refuses(
        await mint({ tool_pack_id: pack, connector: 'sandbox-notes' }),
        400,
        'connector_not_in_tool_pack',
        'connector',
      )
      await t.call('DELETE', `${PATH}/${pack}`)
      const later = await createBrowserUser().open(minted.magic_link_url)
      assert.doesNotMatch(later.html, /sandbox-(vault|notes)/)
      refuses(await mint({ tool_pack_id: pack }), 404, 'tool_pack_not_found', 'tool_pack_id')
      assert.equal((await t.mcp(user.id, 'tools/list', {}, { packId: pack })).status, 404)
    })

    it('exactly one is the default, and it can only be replaced by another', async () => {
      const { toolPackId: first } = t.organization
      refuses(await t.call('DELETE', `${PATH}/${first}`), 409, 'default_tool_pack_required')
      refuses(
        await t.call('PATCH', `${PATH}/${first}`, { body: { is_default: false } }),
        409,
        'default_tool_pack_required',
        'is_default',
      )
      assert.equal(
        (await t.call('PUT', `${PATH}/${first}`, { body: { name: 'Default' } })).body.is_default,
        true,
      )
      const second = await make(['sandbox-vault'], { is_default: true })
      assert.equal((await t.call('GET', `${PATH}/${first}`)).body.is_default, false)
      const user = await t.createUser()
      const picker = await createBrowserUser().open((await t.mint(user.id)).magic_link_url)
      assert.doesNotMatch(picker.html, /sandbox-notes/)
      await t.call('PATCH', `${PATH}/${first}`, { body: { is_default: true } })
      assert.equal((await t.call('DELETE', `${PATH}/${second}`)).status, 204)
    })

    it('exactly one is the default while 50 concurrent requests set it', async () => {
      const packs = await Promise.all(Array.from({ length: 10 }, () => make([])))
      const counts = new Set<number>()
      const done = new AbortController()
      const watch = async () => {
        while (!done.signal.aborted) {
          const [row] = await t.query(
            'select count(*)::integer as n from tool_packs where organization_id = $1 and is_default',
            [t.organization.id],
          )
          counts.add(row.n)
          await setImmediate()
        }
      }
      const watching = watch()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          t.call('PUT', `${PATH}/${packs[index % 10]}`, { body: { name: `n${index}`, is_default: true } }),
        ),
      )
      done.abort()
      await watching
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
      assert.deepEqual([...counts], [1])
      await t.call('PATCH', `${PATH}/${t.organization.toolPackId}`, { body: { is_default: true } })
      for (const pack of packs) await t.call('DELETE', `${PATH}/${pack}`)
    })

    it('are limited to 100 per organization, also for concurrent requests', async () => {
      const { id, key } = await t.createOrganization('Collector')
      await t.query(
        `insert into tool_packs (organization_id, id, name) select $1, gen_random_uuid(), 'x' from generate_series(1, 96)`,
        [id],
      )
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => t.call('POST', PATH, { key, body: { name: 'One more' } })),
      )
      assert.deepEqual(
        [201, 409].map(wanted => answers.filter(({ status }) => status === wanted).length),
        [3, 5],
      )
    })

    it('are listed in pages, and an invalid cursor is rejected', async () => {
      const user = await t.createUser()
      const wrong = await t.mcp(user.id, 'tools/list', { cursor: 'nothing' })
      assert.ok(wrong.body.error, wrong.text)
      const cursor = Buffer.from('mail__look').toString('base64url')
      const rest = (await t.mcp(user.id, 'tools/list', { cursor })).body.result.tools
      assert.equal(rest[0].name, 'mail__search')
    })

    it('add no query to a call: one statement admits it and one settles it', async () => {
      const user = await t.createUser()
      const pack = await make([
        { slug: 'mail', tools: [{ name: 'search', inputs: { folder: { fixed: 'inbox' } } }] },
      ])
      const { db } = t.service.features
      const query = db.query.bind(db)
      const batch = db.batch.bind(db)
      const executed: string[] = []
      db.query = (statement, ...parameters) => {
        executed.push(statement.name)
        return query(statement, ...parameters)
      }
      db.batch = statements => {
        executed.push(statements.map(([{ name }]) => name).join(' + '))
        return batch(statements)
      }
      try {
        assert.equal((await run(user.id, pack, 'mail__search', { text: 'a' })).isError, false)
      } finally {
        Object.assign(db, { query, batch })
      }
      assert.deepEqual(executed, ['tools.admit_mcp', 'tools.settle_unheld'])
    })
  })
}
