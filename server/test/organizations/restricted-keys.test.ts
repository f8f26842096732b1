import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import { guardedGroups, type KeyGroup, keyGroups, keyMay } from '@carabiner/contract/key-groups'
import { requireMayGive } from '../../src/features/organizations/api-keys.ts'
import { signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

/** What each group allows besides reading. A new operation is added here on purpose. */
const GROUPS: Record<Exclude<KeyGroup, 'read'>, string[]> = {
  users: [
    'delete /registered-users/{id}',
    'delete /registered-users/{id}/credentials/{credential_id}',
    'patch /registered-users/{id}',
    'patch /registered-users/{id}/credentials/{credential_id}',
    'post /link-token/confirm',
    'post /organization-accounts/link-token',
    'post /registered-users',
    'post /registered-users/{id}/connections-link',
    'post /registered-users/{id}/credentials/{credential_id}/pause',
    'post /registered-users/{id}/credentials/{credential_id}/resume',
    'post /registered-users/{id}/credentials/{credential_id}/test',
    'post /registered-users/{id}/link-token',
    'put /registered-users/{id}/credentials/{credential_id}/access',
  ],
  // A caller that creates an MCP key or approves a sign-in can call tools with it.
  tools: [
    'delete /approval-grants/{id}',
    'delete /registered-users/{id}/grants/{grant_id}',
    'delete /registered-users/{id}/mcp-keys/{key_id}',
    'post /approvals/{id}/withdraw',
    'post /registered-users/{id}/connectors/{slug}/requests',
    'post /registered-users/{id}/mcp-keys',
    'post /sign-in/requests/{id}/approve',
    'post /tool-calls',
  ],
  settings: [
    'delete /callback-origins',
    'delete /connectors/{slug}',
    'delete /connectors/{slug}/oauth-app',
    'delete /link-customization/logo/{theme}',
    'delete /sign-in',
    'delete /tool-packs/{id}',
    'delete /tool-packs/{id}/security-rules',
    'delete /webhook-endpoints/{id}',
    'patch /connectors/{slug}',
    'patch /link-customization',
    'patch /organization',
    'patch /policy-rules/{id}',
    'patch /security-rules',
    'patch /tool-packs/{id}',
    'patch /webhook-endpoints/{id}',
    'post /callback-origins',
    'post /connectors',
    'post /connectors/{slug}/oauth-app/test',
    'post /connectors/{slug}/tools/accept',
    'post /connectors/{slug}/tools/check',
    'post /link-customization/preview',
    'post /policy-rules',
    'post /policy-rules/{id}/test-hook',
    'post /tool-packs',
    'post /webhook-deliveries/{id}/replay',
    'post /webhook-endpoints',
    'post /webhook-endpoints/{id}/replay',
    'post /webhook-endpoints/{id}/rotate-secret',
    'post /webhook-endpoints/{id}/test',
    'put /connectors/{slug}/oauth-app',
    'put /link-customization/logo/{theme}',
    'put /policy',
    'put /security-rules',
    'put /sign-in',
    'put /tool-packs/{id}',
    'put /tool-packs/{id}/security-rules',
  ],
  // A key that chooses the provider where users sign in chooses who decides about calls.
  policies: [
    'delete /policy-rules/{id}',
    'patch /policy-rules/{id}',
    'post /policy-rules',
    'post /policy-rules/{id}/rotate-hook-secret',
    'post /policy-rules/{id}/test-hook',
    'put /policy',
    'put /sign-in',
  ],
  approvals: ['get /approvals/{id}/receipt', 'post /approvals/confirm', 'post /approvals/{id}/link'],
}
/** What no restricted key can do. */
const NONE = [
  'delete /api-keys/{id}',
  'delete /members/{id}',
  'get /approvals/{id}/call',
  'get /approvals/{id}/passkeys',
  'patch /members/{id}',
  'post /api-keys',
  'post /api-keys/{id}/end',
  'post /api-keys/{id}/regenerate',
  'post /api-keys/{id}/roll',
  'post /approvals/{id}/decision',
  'post /members',
  'post /members/{id}/sign-in-link',
]
/** Requests that change nothing, although they are not GETs. */
const READS = [
  'post /callback-origins/test',
  'post /explain',
  'post /links/find',
  'post /policy-rules/test',
  'post /security-rules/test',
  'post /tool-calls/{tool_call_id}/view',
  'post /tool-packs/{id}/tools/estimate',
]

type Operation = { name: string; method: string; path: string; groups: (KeyGroup | null)[] }

describe('restricted API keys', () => {
  let t: TestService
  let operations: Operation[]
  before(async () => {
    t = await joinTestService()
    const { body } = await t.call('GET', '/api/v1/openapi.json')
    operations = Object.entries<Record<string, { 'x-key-group': KeyGroup | KeyGroup[] | null }>>(
      body.paths,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method} ${path.replace(/^\/api\/v1/, '')}`,
        method: method.toUpperCase(),
        path: path.replace(/\{[^}]+\}/g, '00000000-0000-4000-8000-000000000000'),
        groups: [operation['x-key-group']].flat(),
      })),
    )
  })
  after(() => t.stop())

  const create = async (groups: readonly KeyGroup[], mode = 'production'): Promise<string> => {
    const { status, text, body } = await t.call('POST', '/api/v1/api-keys', { body: { mode, groups } })
    assert.equal(status, 201, text)
    assert.deepEqual(body.groups, groups)
    return body.key
  }
  const storedKey = async (groups: readonly KeyGroup[]) => {
    const { body } = await t.call('POST', '/api/v1/api-keys', { body: { mode: 'production' } })
    await t.query('update api_keys set groups = $1::text[] where id = $2', [groups, body.id])
    return body as { id: string; key: string }
  }
  const manage = async (
    name: string,
    key: string,
    { query = '', args = {} }: { query?: string; args?: object } = {},
  ) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
    return (await t.call('POST', `/api/v1/mcp${query}`, { key, body })).body.result
  }

  it('every operation belongs to the group that the table says [key.groups]', () => {
    const ofGroup = (group: KeyGroup | null) =>
      operations.filter(each => each.groups.includes(group)).map(({ name }) => name)
    for (const [group, names] of Object.entries(GROUPS))
      assert.deepEqual(ofGroup(group as KeyGroup).toSorted(), names, group)
    assert.deepEqual(ofGroup(null).toSorted(), NONE)
    assert.deepEqual(
      ofGroup('read')
        .filter(name => !name.startsWith('get '))
        .toSorted(),
      READS,
    )
    const others = [...NONE, ...GROUPS.approvals]
    const gets = operations.filter(({ method, name }) => method === 'GET' && !others.includes(name))
    assert.ok(gets.length > 30 && gets.every(({ groups }) => groups.join() === 'read'))
  })

  it('each operation is accepted from a key with its group only, and rejected from one without it [key.groups]', async () => {
    const wrong: string[] = []
    const others = new Map<string, string>()
    const keyWithout = async (groups: readonly (KeyGroup | null)[]): Promise<string> => {
      const known = others.get(groups.join())
      if (known !== undefined) return known
      const { key } = await storedKey(keyGroups.filter(each => !groups.includes(each)))
      others.set(groups.join(), key)
      return key
    }
    for (const group of ['read', 'users', 'tools', 'settings', 'policies'] as const) {
      const { key } = await storedKey([group])
      for (const { name, method, path, groups } of operations.filter(each => each.groups.includes(group))) {
        if (path.endsWith('/stream')) continue
        // Not a valid body: what is allowed fails later, and changes nothing.
        const body = method === 'GET' ? {} : { body: { nothing_like_this: true } }
        const accepted = await t.call(method, path, { key, ...body })
        const denied = await t.call(method, path, { key: await keyWithout(groups), ...body })
        if (accepted.body?.error?.code === 'key_group_required')
          wrong.push(`${name} needs more than ${group}`)
        const { code, message } = denied.body.error
        if (denied.status !== 403 || code !== 'key_group_required' || !message.includes(`\`${group}\``))
          wrong.push(`${name} without ${group}: ${denied.status} ${code} ${message}`)
      }
    }
    assert.deepEqual(wrong, [])
  })

  it('a restricted key cannot create, roll, regenerate, end or revoke keys, whatever its groups [key.groups]', async () => {
    const { id, key } = await storedKey(keyGroups)
    for (const [method, path] of [
      ['POST', ''],
      ['POST', `/${id}/roll`],
      ['POST', `/${id}/regenerate`],
      ['POST', `/${id}/end`],
      ['DELETE', `/${id}`],
    ] as const) {
      const { status, body } = await t.call(method, `/api/v1/api-keys${path}`, { key })
      assert.deepEqual([status, body.error.code], [403, 'unrestricted_key_required'], `${method} ${path}`)
    }
    assert.equal((await t.call('GET', '/api/v1/api-keys', { key })).status, 200)
    const { body } = await t.call('GET', `/api/v1/audit-entries?actor=${id}`)
    assert.deepEqual(
      new Set(body.data.map(({ outcome }: { outcome: string }) => outcome)),
      new Set(['denied']),
    )
  })

  it('the MCP endpoint needs the group `tools`; restricted test keys use test data only', async () => {
    const user = await t.createUser()
    const [tools, users] = [await create(['tools']), await create(['users', 'read'])]
    assert.equal((await t.mcp(user.id, 'tools/list', {}, { key: tools })).status, 200)
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', { name: 'sandbox-notes__list_notes', arguments: {} }],
    ] as const) {
      const { status, body } = await t.mcp(user.id, method, params, { key: users })
      assert.deepEqual([status, body.error.code], [403, 'key_group_required'], method)
      assert.match(body.error.message, /`tools`/)
    }
    const testKey = await create(['read', 'settings'], 'test')
    const { body } = await t.call('PATCH', '/api/v1/organization', { key: testKey, body: {} })
    assert.equal(body.error.code, 'production_key_required')
  })

  it('tools of the management MCP server are restricted like the requests that they make', async () => {
    const reader = await create(['read'])
    assert.equal((await manage('list_connectors', reader)).isError, false)
    const denied = await manage('save_registered_user', reader, {
      query: '?access=write',
      args: { origin_user_id: 'by-reader' },
    })
    assert.equal(denied.structuredContent.error.code, 'key_group_required')
    const tools = await create(['tools'])
    assert.equal((await manage('list_connectors', tools)).structuredContent.error.code, 'key_group_required')
  })

  it('a key that only reads sees the origin of webhook URLs, because the rest is often secret', async () => {
    const url = 'http://127.0.0.1:9/T0/secret-path'
    await t.call('POST', '/api/v1/webhook-endpoints', { body: { url } })
    const urls = async (key: string) =>
      (await t.call('GET', '/api/v1/webhook-endpoints', { key })).body.data.map((each: any) => each.url)
    assert.deepEqual(await urls(await create(['read'])), ['http://127.0.0.1:9/…'])
    assert.deepEqual(await urls(await create(['read', 'settings'])), [url])
  })

  it('only an administrator with a recent sign-in gives a key `policies` or `approvals`, or replaces such a key', async () => {
    const body = { mode: 'production', name: 'Approver', groups: ['approvals'] }
    const byKey = await t.call('POST', '/api/v1/api-keys', { body })
    assert.deepEqual([byKey.status, byKey.body.error.code], [403, 'person_required'])
    const [admin, developer] = [
      await signInPerson(t, { role: 'admin', name: 'Ada Min' }),
      await signInPerson(t, { role: 'developer' }),
    ]
    const byDeveloper = await developer.call('POST', '/api/v1/api-keys', { body })
    assert.equal(byDeveloper.body.error.code, 'permission_denied')
    const created = await admin.call('POST', '/api/v1/api-keys', { body })
    assert.deepEqual([created.status, created.body.created_by.hint], [201, 'Ada Min'])
    const replace = [
      `/api/v1/api-keys/${created.body.id}/roll`,
      `/api/v1/api-keys/${created.body.id}/regenerate`,
    ]
    for (const path of replace)
      assert.equal((await t.call('POST', path)).body.error.code, 'person_required', path)
    await t.moveClock(11 * 60_000)
    for (const path of ['/api/v1/api-keys', ...replace]) {
      const late = await admin.call('POST', path, path.endsWith('keys') ? { body } : {})
      assert.equal(late.body.error.code, 'recent_sign_in_required', path)
    }
    const harmless = await admin.call('POST', '/api/v1/api-keys', { body: { groups: ['read'] } })
    assert.equal(harmless.status, 201)
    await t.moveClock(-11 * 60_000)
    assert.equal((await t.call('GET', '/api/v1/link-sessions/x', { key: created.body.key })).status, 403)
    assert.equal((await admin.call('POST', replace[0] as string)).status, 201)
  })
})

test('keyMay: an unrestricted key has every group except the guarded ones, a restricted key only its own', () => {
  const needs = [...keyGroups, null]
  assert.deepEqual(guardedGroups, ['policies', 'approvals'])
  assert.deepEqual(
    needs.filter(needed => keyMay(null, needed)),
    ['read', 'users', 'tools', 'settings', null],
  )
  for (const group of keyGroups)
    assert.deepEqual(
      needs.filter(needed => keyMay([group], needed)),
      [group],
    )
  assert.equal(keyMay(keyGroups, null), false)
})

test('requireMayGive: keys and operators cannot give guarded groups, people only after a recent sign-in', () => {
  const person = { type: 'person', id: 'p', hint: null } as const
  const key = { type: 'api_key', id: 'k', hint: null } as const
  const codeOf = (caller: Parameters<typeof requireMayGive>[0], groups: KeyGroup[] | null) => {
    try {
      requireMayGive(caller, groups)
      return null
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  for (const group of guardedGroups) {
    assert.equal(codeOf({ actor: key }, ['read', group]), 'person_required')
    assert.equal(codeOf({ actor: person, hasRecentSignIn: false }, [group]), 'recent_sign_in_required')
    assert.equal(codeOf({ actor: person }, [group]), 'recent_sign_in_required')
    assert.equal(codeOf({ actor: person, hasRecentSignIn: true }, [group]), null)
  }
  for (const groups of [null, keyGroups.filter(group => !guardedGroups.includes(group))])
    assert.equal(codeOf({ actor: key }, groups), null)
})
