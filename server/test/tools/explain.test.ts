import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Explanation } from '@carabiner/contract'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { readStoredSecret } from '../support/stored-secret.ts'
import { type StubMcp, startStubMcp } from '../support/stub-mcp.ts'
import {
  SANDBOX_CONNECTORS,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/test-service.ts'

const NOTES = 'sandbox-notes__list_notes'

describe('Explain', () => {
  let t: TestService
  let server: StubMcp
  before(async () => {
    t = await startTestService('postgres', { CONNECTORS: `${SANDBOX_CONNECTORS} dropbox` })
    server = await startStubMcp()
    const added = await t.call('POST', '/api/v1/connectors', {
      body: { name: 'Work', slug: 'work', url: server.url },
    })
    assert.equal(added.status, 201, added.text)
  })
  after(async () => {
    await t.stop()
    await server.stop()
  })

  const explain = async (body: object, key = t.organization.key): Promise<Explanation> => {
    const answer = await t.call('POST', '/api/v1/explain', { key, body })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const failedStep = ({ steps, first_failed: failed }: Explanation) =>
    steps.find(({ step }) => step === failed)!
  const link = async (userId: string, key = t.organization.key) =>
    linkNotes(
      createBrowserUser(),
      (await t.mint(userId, { connector_slug: 'sandbox-notes' }, key)).magic_link_url,
    )

  it('names the missing account in words, and the request that fixes it works', async () => {
    const user = await t.createUser()
    const explained = await explain({ registered_user_id: user.id, tool: NOTES })
    assert.equal(explained.allowed, false)
    assert.equal(explained.would, 'request_authentication')
    assert.equal(explained.first_failed, 'account')
    assert.equal(explained.summary, 'Ana Ruiz has no Notes account connected.')
    assert.deepEqual(explained.authentication, { connector: 'sandbox-notes', reason: 'never_linked' })
    assert.equal(explained.error, null)
    const { fix } = failedStep(explained)
    assert.equal(fix?.action, 'connect_account')
    const { method, path, body } = fix.request!
    const minted = await t.call(method, path, { body })
    assert.equal(minted.status, 201, minted.text)
    await linkNotes(createBrowserUser(), minted.body.magic_link_url)
    const again = await explain({ registered_user_id: user.id, tool: NOTES })
    assert.deepEqual([again.allowed, again.would, again.first_failed], [true, 'run', null])
    assert.deepEqual(
      again.steps.filter(({ status }) => status !== 'passed').map(({ step, status }) => [step, status]),
      [
        ['arguments', 'not_checked'],
        ['security_rules', 'not_checked'],
        ['provider', 'not_checked'],
      ],
    )
  })

  it('finds the user by origin_user_id, in the mode of the key first', async () => {
    const inProduction = await t.createUser({ origin_user_id: 'twice' })
    const inTest = await t.createUser({ origin_user_id: 'twice' }, t.organization.testKey)
    const body = { origin_user_id: 'twice', tool: NOTES }
    assert.equal((await explain(body)).registered_user?.id, inProduction.id)
    assert.equal((await explain(body, t.organization.testKey)).registered_user?.id, inTest.id)
  })

  it('tells a production key that a user is a test user, and a test key nothing about production', async () => {
    const inTest = await t.createUser({ origin_user_id: 'only-test' }, t.organization.testKey)
    const explained = await explain({ origin_user_id: 'only-test', tool: NOTES })
    assert.equal(explained.first_failed, 'mode')
    assert.equal(explained.registered_user?.id, inTest.id)
    assert.equal(failedStep(explained).fix?.action, 'use_key')
    assert.equal(explained.error?.code, 'registered_user_not_found')
    const inProduction = await t.createUser({ origin_user_id: 'only-production' })
    for (const user of [{ origin_user_id: 'only-production' }, { registered_user_id: inProduction.id }]) {
      const hidden = await explain({ ...user, tool: NOTES }, t.organization.testKey)
      assert.equal(hidden.first_failed, 'user')
      assert.equal(hidden.registered_user, null)
      assert.doesNotMatch(JSON.stringify(hidden), /Ana/)
    }
  })

  it('reveals nothing of another organization', async () => {
    const other = await t.createOrganization('Other')
    const user = await t.createUser({ origin_user_name: 'Zoe' }, other.key)
    const foreign = await explain({ registered_user_id: user.id, tool: NOTES })
    assert.equal(foreign.first_failed, 'user')
    assert.equal(foreign.registered_user, null)
    const own = await t.createUser()
    const pack = await explain({ registered_user_id: own.id, tool_pack_id: other.toolPackId, tool: NOTES })
    assert.equal(pack.first_failed, 'tool_pack')
    assert.equal(pack.tool_pack, null)
  })

  it('names the missing part of the pack: the OAuth app, the connector or the tool', async () => {
    const user = await t.createUser()
    const created = await t.call('POST', '/api/v1/tool-packs', {
      body: { name: 'Narrow', connectors: [{ slug: 'sandbox-notes', tools: ['create_note'] }] },
    })
    const fixOf = async (tool: string, packId?: string) => {
      const explained = await explain({
        registered_user_id: user.id,
        tool,
        ...(packId !== undefined && { tool_pack_id: packId }),
      })
      assert.equal(explained.error?.code, 'tool_not_found')
      return [explained.first_failed, failedStep(explained).fix?.action, explained.summary]
    }
    assert.deepEqual(await fixOf('dropbox__list_folder'), [
      'connector',
      'configure_connector',
      'Dropbox has no OAuth app in this organization.',
    ])
    assert.deepEqual(await fixOf('work__lookup', created.body.id), [
      'connector',
      'add_connector',
      'The Tool Pack “Narrow” does not contain Work.',
    ])
    assert.deepEqual(await fixOf(NOTES, created.body.id), [
      'tool',
      'add_tool',
      'The Tool Pack “Narrow” contains Notes, but not this tool.',
    ])
  })

  it('never contains a token of the credential', async () => {
    const user = await t.createUser()
    await link(user.id)
    const { text } = await t.call('POST', '/api/v1/explain', {
      body: { registered_user_id: user.id, tool: NOTES, arguments: {} },
    })
    const { secret } = await readStoredSecret(t, t.organization.id, user.id)
    assert.ok(secret.kind === 'oauth2' && secret.refreshToken)
    for (const token of [secret.accessToken, secret.refreshToken]) assert.ok(!text.includes(token.reveal()))
    assert.doesNotMatch(text, /access_token|refresh_token|sealed/)
  })

  it('lists the missing scopes next to those that were granted', async () => {
    const user = await t.createUser()
    await link(user.id)
    await t.query(`update credentials set scopes = array['notes:write'] where registered_user_id = $1`, [
      user.id,
    ])
    const explained = await explain({ registered_user_id: user.id, tool: NOTES })
    assert.equal(explained.first_failed, 'scopes')
    assert.deepEqual(failedStep(explained).detail, {
      required_scopes: [['notes:read']],
      granted_scopes: ['notes:write'],
      missing_scopes: ['notes:read'],
    })
    assert.deepEqual(explained.authentication?.missing_scopes, ['notes:read'])
  })

  describe('limits', () => {
    let organization: TestOrganization
    before(async () => {
      organization = await t.createOrganization('Limited')
      const body = { name: 'Work', slug: 'work', url: server.url }
      const added = await t.call('POST', '/api/v1/connectors', { key: organization.key, body })
      assert.equal(added.status, 201, added.text)
      await t.query(`update organizations set plan = 'business', call_limit = 2 where id = $1`, [
        organization.id,
      ])
    })
    const call = (userId: string) =>
      t.mcp(
        userId,
        'tools/call',
        { name: 'work__lookup' },
        { key: organization.key, packId: organization.toolPackId },
      )

    it('reports what remains, and when the limits allow the next call', async () => {
      const user = await t.createUser({ rate_limit_per_minute: 2 }, organization.key)
      const request = { registered_user_id: user.id, tool: 'work__lookup' }
      const detailOf = ({ steps }: Explanation, name: string) =>
        steps.find(({ step }) => step === name)?.detail
      const fresh = await explain(request, organization.key)
      assert.deepEqual(
        [detailOf(fresh, 'plan_limit')?.remaining, detailOf(fresh, 'rate_limit')?.remaining],
        [2, 2],
      )
      await call(user.id)
      const later = await explain(request, organization.key)
      assert.deepEqual(
        [detailOf(later, 'plan_limit')?.remaining, detailOf(later, 'rate_limit')?.remaining],
        [1, 1],
      )
      await call(user.id)
      const full = await explain(request, organization.key)
      assert.equal(full.first_failed, 'plan_limit')
      assert.equal(full.error?.code, 'billing_limit_reached')
      const cycle = await t.call('GET', '/api/v1/usage/cycle', { key: organization.key })
      assert.deepEqual(failedStep(full).detail, { limit: 2, remaining: 0, resets_at: cycle.body.ends_at })
      await t.query('update organizations set call_limit = 10 where id = $1', [organization.id])
      const limited = await explain(request, organization.key)
      assert.equal(limited.first_failed, 'rate_limit')
      const seconds = limited.error?.retry_after_seconds as number
      assert.ok(seconds > 0 && seconds <= 30, String(seconds))
      await t.moveClock(31_000)
      assert.equal((await explain(request, organization.key)).allowed, true)
    })
  })

  it('names the entity of a security rule, and neither its pattern nor the matched text', async () => {
    const organization = await t.createOrganization('Guarded')
    const user = await t.createUser({}, organization.key)
    await link(user.id, organization.key)
    const rules = await t.call('PUT', '/api/v1/security-rules', {
      key: organization.key,
      body: {
        custom_rules: [
          { label: 'PROJECT', pattern: 'orchid-[0-9]{4}', inbound_action: 'block', outbound_action: 'none' },
        ],
      },
    })
    assert.equal(rules.status, 200, rules.text)
    const { text, body } = await t.call('POST', '/api/v1/explain', {
      key: organization.key,
      body: { registered_user_id: user.id, tool: NOTES, arguments: { query: 'orchid-2041' } },
    })
    assert.equal(body.first_failed, 'security_rules')
    assert.deepEqual(failedStep(body).detail, { matches: [{ entity: 'PROJECT', action: 'block', count: 1 }] })
    assert.doesNotMatch(text, /orchid/)
    assert.ok(!t.logLines.some(line => line.includes('orchid-2041')))
    assert.deepEqual(
      await t.query('select 1 from rule_violations where organization_id = $1', [organization.id]),
      [],
    )
  })

  it('reports a changed definition of a server’s tool that waits for review', async () => {
    const user = await t.createUser()
    await t.query(
      `update mcp_connectors set pending_hash = 'other', pending_since = app_now(), pending_tools = jsonb_build_object(
         'problems', '[]'::jsonb, 'tools', (select jsonb_agg(definition || '{"description": "Changed"}') from mcp_tools
           where organization_id = $1) || (select jsonb_agg(definition || '{"name": "fresh", "upstreamName": "fresh"}') from mcp_tools
           where organization_id = $1 and name = 'lookup'))
       where organization_id = $1 and slug = 'work'`,
      [t.organization.id],
    )
    try {
      const changed = await explain({ registered_user_id: user.id, tool: 'work__lookup' })
      assert.equal(changed.allowed, true)
      assert.deepEqual(changed.steps.find(({ step }) => step === 'tool_definition')?.detail, {
        review_pending: true,
      })
      const fresh = await explain({ registered_user_id: user.id, tool: 'work__fresh' })
      assert.equal(fresh.first_failed, 'tool_definition')
      const { request } = failedStep(fresh).fix!
      assert.equal((await t.call(request!.method, request!.path)).status, 200)
    } finally {
      await t.query(
        `update mcp_connectors set pending_hash = null, pending_since = null, pending_tools = null where organization_id = $1`,
        [t.organization.id],
      )
    }
  })

  it('asks for an account of a server whose tools are unknown until one is connected', async () => {
    const organization = await t.createOrganization('Later')
    const body = { name: 'Later', slug: 'later', url: server.url, authentication: 'user_secret' }
    const added = await t.call('POST', '/api/v1/connectors', { key: organization.key, body })
    assert.equal(added.status, 201, added.text)
    await t.query('update mcp_connectors set tools_hash = null where organization_id = $1', [organization.id])
    await t.query('delete from mcp_tools where organization_id = $1', [organization.id])
    const user = await t.createUser({}, organization.key)
    const explained = await explain({ registered_user_id: user.id, tool: 'later__lookup' }, organization.key)
    assert.equal(explained.first_failed, 'tool')
    assert.equal(explained.summary, 'The tools of Later are unknown until an account is connected.')
    const { method, path, body: request } = failedStep(explained).fix!.request!
    assert.equal((await t.call(method, path, { key: organization.key, body: request })).status, 201)
  })

  it('rejects a request with two users, without a user, or with unknown fields', async () => {
    const rejected = async (body: object) => {
      const answer = await t.call('POST', '/api/v1/explain', { body })
      return [answer.status, answer.body.error.code]
    }
    assert.deepEqual(await rejected({ tool: NOTES }), [400, 'invalid_request'])
    assert.deepEqual(await rejected({ tool: NOTES, registered_user_id: 'a', origin_user_id: 'b' }), [
      400,
      'invalid_request',
    ])
    assert.deepEqual(await rejected({ tool: NOTES, registered_user_id: 'a', dry: true }), [
      400,
      'unknown_field',
    ])
    assert.deepEqual(await rejected({ tool: NOTES, registered_user_id: 'a', arguments: [] }), [
      400,
      'invalid_request',
    ])
  })

  describe('the tool explain_access', () => {
    let packId: string
    before(async () => {
      const created = await t.call('POST', '/api/v1/tool-packs', {
        body: { name: 'Explaining', connectors: ['sandbox-notes', 'work'], explain_access: true },
      })
      assert.equal(created.status, 201, created.text)
      assert.equal(created.body.explain_access, true)
      packId = created.body.id
    })
    const names = async (userId: string, pack: string): Promise<string[]> =>
      (await t.mcp(userId, 'tools/list', {}, { packId: pack })).body.result.tools.map(
        ({ name }: { name: string }) => name,
      )
    const ask = async (
      userId: string,
      args: object,
      options: { key?: string; packId?: string; query?: string } = {},
    ) =>
      (await t.mcp(userId, 'tools/call', { name: 'explain_access', arguments: args }, { packId, ...options }))
        .body.result

    it('is listed and callable only in a pack with the setting', async () => {
      const user = await t.createUser()
      assert.ok((await names(user.id, packId)).includes('explain_access'))
      assert.ok(!(await names(user.id, t.organization.toolPackId)).includes('explain_access'))
      const result = await ask(user.id, { tool: NOTES }, { packId: t.organization.toolPackId })
      assert.equal(result.structuredContent.error.code, 'tool_not_found')
      const patched = await t.call('PATCH', `/api/v1/tool-packs/${packId}`, {
        body: { explain_access: false },
      })
      assert.equal(patched.body.explain_access, false)
      assert.ok(!(await names(user.id, packId)).includes('explain_access'))
      await t.call('PATCH', `/api/v1/tool-packs/${packId}`, { body: { explain_access: true } })
    })

    it('explains a missing account to the model, and is recorded but not counted', async () => {
      const user = await t.createUser()
      const requests = server.received.length
      const { structuredContent: answer, isError } = await ask(user.id, { tool: NOTES })
      assert.equal(isError, false)
      assert.deepEqual(
        { ...answer, fix: undefined },
        {
          tool: NOTES,
          works: false,
          would: 'request_authentication',
          first_failed: 'account',
          summary: 'Ana Ruiz has no Notes account connected.',
          connector: 'sandbox-notes',
          reason: 'never_linked',
          fix: undefined,
        },
      )
      assert.match(answer.fix, /^Call sandbox-notes__list_notes\. It returns a link\./)
      assert.equal((await ask(user.id, { tool: 'work__lookup' })).structuredContent.works, true)
      assert.equal(server.received.length, requests, 'no provider is called')
      assert.deepEqual(
        await t.query(
          'select connector_slug, tool, outcome, counted from tool_calls where registered_user_id = $1 group by 1, 2, 3, 4',
          [user.id],
        ),
        [{ connector_slug: '', tool: 'explain_access', outcome: 'success', counted: false }],
      )
      assert.deepEqual(
        await t.query('select 1 from link_sessions where registered_user_id = $1', [user.id]),
        [],
      )
    })

    it('reveals no settings: a tool outside of the pack is as unknown as one that does not exist', async () => {
      const user = await t.createUser()
      const outside = (await ask(user.id, { tool: 'sandbox-vault__list_items' })).structuredContent
      const unknown = (await ask(user.id, { tool: 'sandbox-vault__list_itemx' })).structuredContent
      assert.deepEqual({ ...outside, tool: '' }, { ...unknown, tool: '' })
      assert.equal(outside.error_code, 'tool_not_found')
      const narrowed = await ask(user.id, { tool: NOTES }, { query: '?connectors=work' })
      assert.equal(narrowed.structuredContent.error_code, 'tool_not_found')
    })

    it('requires the key, the user and valid arguments as every call does', async () => {
      const user = await t.createUser()
      const other = await t.createUser()
      const created = await t.call('POST', `/api/v1/registered-users/${user.id}/mcp-keys`, {
        body: { name: 'Agent', tool_pack_ids: [packId] },
      })
      const { key } = created.body
      assert.equal((await ask(user.id, { tool: NOTES }, { key })).isError, false)
      const foreign = await t.mcp(
        other.id,
        'tools/call',
        { name: 'explain_access', arguments: { tool: NOTES } },
        { key, packId },
      )
      assert.equal(foreign.status, 404)
      for (const args of [
        {},
        { tool: 1 },
        { tool: '' },
        { tool: 'x'.repeat(129) },
        { tool: NOTES, user: other.id },
      ])
        assert.equal((await ask(user.id, args)).structuredContent.error.code, 'invalid_arguments')
      await t.call('PATCH', `/api/v1/registered-users/${user.id}`, { body: { is_active: false } })
      assert.equal((await ask(user.id, { tool: NOTES })).structuredContent.error.code, 'user_inactive')
    })
  })
})
