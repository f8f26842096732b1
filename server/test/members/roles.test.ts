import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { isAllowed, type Permission, type Role, roles } from '@carabiner/contract/permissions'
import { type PersonSession, signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

type Operation = { 'x-permission': Permission; parameters: { name: string; in: string }[] }

/** What each operation needs. A new operation is added here on purpose. */
const NEEDS: Record<Exclude<Permission, 'read' | 'build'>, string[]> = {
  protect: [
    'delete /policy-rules/{id}',
    'delete /tool-packs/{id}/security-rules',
    'patch /policy-rules/{id}',
    'patch /security-rules',
    'post /policy-rules',
    'post /policy-rules/{id}/rotate-hook-secret',
    'post /policy-rules/{id}/test-hook',
    'put /policy',
    'put /security-rules',
    'put /tool-packs/{id}/security-rules',
  ],
  approve: ['get /approvals/{id}/call', 'get /approvals/{id}/passkeys', 'post /approvals/{id}/decision'],
  audit: ['get /audit-entries', 'get /audit-entries/verification'],
  manage: [
    'delete /api-keys/{id}',
    'delete /callback-origins',
    'delete /members/{id}',
    'delete /sign-in',
    'patch /members/{id}',
    'patch /organization',
    'post /api-keys',
    'post /api-keys/{id}/end',
    'post /api-keys/{id}/regenerate',
    'post /api-keys/{id}/roll',
    'post /callback-origins',
    'post /members',
    'post /members/{id}/sign-in-link',
    'put /sign-in',
  ],
}
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

describe('roles', () => {
  let t: TestService
  let operations: { name: string; method: string; path: string; permission: Permission }[]
  const people = new Map<Role, PersonSession>()
  before(async () => {
    t = await joinTestService()
    const { body } = await t.call('GET', '/api/v1/openapi.json')
    operations = Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method} ${path.replace(/^\/api\/v1/, '')}`,
        method: method.toUpperCase(),
        path: path.replace(/\{[^}]+\}/g, '00000000-0000-4000-8000-000000000000'),
        permission: operation['x-permission'],
      })),
    )
    for (const role of roles) people.set(role, await signInPerson(t, { role }))
  })
  after(() => t.stop())

  it('every operation needs the permission that the table says', () => {
    const withPermission = (permission: Permission) =>
      operations.filter(each => each.permission === permission).map(({ name }) => name)
    for (const permission of ['protect', 'audit', 'manage'] as const)
      assert.deepEqual(withPermission(permission).toSorted(), NEEDS[permission])
    assert.deepEqual(
      withPermission('read')
        .filter(name => !name.startsWith('get '))
        .toSorted(),
      READS,
    )
    assert.deepEqual(
      withPermission('build').filter(name => name.startsWith('get ')),
      [],
    )
  })

  for (const role of roles)
    it(`${role}: each operation is allowed or answers 403 permission_denied`, async () => {
      const person = people.get(role) as PersonSession
      const wrong: string[] = []
      for (const { name, method, path, permission } of operations) {
        if (path.endsWith('/stream')) continue
        const { status, body } = await person.call(method, path, {
          // Not a valid body: what is allowed fails later, and changes nothing.
          ...(method !== 'GET' && { body: { nothing_like_this: true } }),
        })
        const isDenied = status === 403 && body?.error.code === 'permission_denied'
        if (isDenied === isAllowed(role, permission)) wrong.push(`${name}: ${status} ${body?.error?.code}`)
      }
      assert.deepEqual(wrong, [])
    })

  it('webhook endpoints: roles that cannot change them see only the origin of the URL', async () => {
    const url = 'http://127.0.0.1:9/T0/secret-path?token=secret'
    const created = await t.call('POST', '/api/v1/webhook-endpoints', { body: { url } })
    assert.equal(created.status, 201, created.text)
    const { id } = created.body
    for (const role of roles) {
      const person = people.get(role) as PersonSession
      const expected = isAllowed(role, 'build') ? url : 'http://127.0.0.1:9/…'
      const { body: one } = await person.call('GET', `/api/v1/webhook-endpoints/${id}`)
      const { body: list } = await person.call('GET', '/api/v1/webhook-endpoints')
      assert.deepEqual([one.url, list.data[0].url], [expected, expected], role)
    }
    assert.equal((await t.call('GET', `/api/v1/webhook-endpoints/${id}`)).body.url, url)
  })

  it('the event stream can be read by each role', async () => {
    for (const person of people.values()) {
      const response = await fetch(`${t.baseUrl}/api/v1/events/stream`, {
        headers: { cookie: person.cookie, 'carabiner-organization': t.organization.id },
      })
      assert.equal(response.status, 200)
      await response.body?.cancel()
    }
  })

  it('a denied change is in the audit trail with the name of the person', async () => {
    const person = await signInPerson(t, { role: 'read_only', name: 'Rob Only' })
    await person.call('PATCH', '/api/v1/organization', { body: { name: 'Mine' } })
    const { body } = await t.call('GET', `/api/v1/audit-entries?actor=${person.id}`)
    assert.deepEqual(
      body.data.map(({ action, outcome, actor }: any) => ({ action, outcome, actor })),
      [
        {
          action: 'organization.updated',
          outcome: 'denied',
          actor: { type: 'person', id: person.id, hint: 'Rob Only', name: 'Rob Only' },
        },
      ],
    )
  })

  it('denied attempts add a limited number of entries to the audit trail, which is never deleted', async () => {
    const person = await signInPerson(t, { role: 'read_only' })
    for (let attempt = 0; attempt < 40; attempt++)
      await person.call('PATCH', '/api/v1/organization', { body: { name: 'Mine' } })
    const [{ entries }] = await t.query(
      'select count(*)::integer as entries from audit_entries where actor_id = $1',
      [person.id],
    )
    assert.equal(entries, 30)
  })

  it('a changed role and a removed membership have effect at once', async () => {
    const person = await signInPerson(t, { role: 'developer', name: 'Dev' })
    const create = () => person.call('POST', '/api/v1/tool-packs', { body: { name: 'Pack' } })
    assert.equal((await create()).status, 201)
    const member = `/api/v1/members/${person.id}`
    const admin = people.get('admin') as PersonSession
    assert.equal((await admin.call('PATCH', member, { body: { role: 'read_only' } })).body.role, 'read_only')
    assert.equal((await create()).body.error.code, 'permission_denied')
    assert.equal((await admin.call('DELETE', member)).status, 204)
    assert.equal((await person.call('GET', '/api/v1/tool-packs')).body.error.code, 'not_a_member')
    assert.equal((await admin.call('DELETE', member)).body.error.code, 'member_not_found')
  })

  it('a member of one organization has no access to another one', async () => {
    const other = await t.createOrganization('Kepler')
    const person = people.get('admin') as PersonSession
    for (const organizationId of [other.id, '00000000-0000-4000-8000-000000000000', 'x'])
      assert.equal(
        (await person.call('GET', '/api/v1/organization', { organizationId })).body.error.code,
        'not_a_member',
      )
    const operator = await signInPerson(t, { isOperator: true })
    assert.equal(
      (await operator.call('GET', '/api/v1/organization', { organizationId: other.id })).body.id,
      other.id,
    )
    const { body } = await operator.own('GET', '/dashboard/session')
    const listed = new Set(body.organizations.map(({ id }: { id: string }) => id))
    assert.ok(listed.has(t.organization.id) && listed.has(other.id))
  })

  it('a page that was opened for another person gets no data and changes nothing, even if both may access the organization', async () => {
    const [admin, developer] = [people.get('admin'), people.get('developer')] as [
      PersonSession,
      PersonSession,
    ]
    const stranger = await signInPerson(t)
    for (const session of [developer, stranger])
      for (const [method, path] of [
        ['GET', '/api/v1/organization'],
        ['POST', '/api/v1/registered-users'],
      ] as const) {
        const body = method === 'POST' ? { body: { origin_user_id: 'typed-by-another' } } : {}
        const answer = await session.call(method, path, {
          ...body,
          headers: { 'carabiner-person': admin.id },
        })
        assert.deepEqual([answer.status, answer.body.error.code], [401, 'session_expired'])
      }
    const found = await t.call('GET', '/api/v1/registered-users?origin_user_id=typed-by-another')
    assert.deepEqual(found.body.data, [])
    const own = { headers: { 'carabiner-person': admin.id } }
    assert.equal((await admin.call('GET', '/api/v1/organization', own)).status, 200)
  })

  it('the mode of a request is the one that the dashboard names', async () => {
    const person = people.get('developer') as PersonSession
    const body = { origin_user_id: 'mode-user' }
    const created = await person.call('POST', '/api/v1/registered-users', { body, mode: 'test' })
    assert.equal(created.status, 201)
    const list = async (mode: string) =>
      (await person.call('GET', '/api/v1/registered-users?origin_user_id=mode-user', { mode })).body.data
        .length
    assert.deepEqual([await list('test'), await list('production')], [1, 0])
    const wrong = await person.call('GET', '/api/v1/registered-users', { mode: 'both' })
    assert.equal(wrong.body.error.param, 'Carabiner-Mode')
  })
})
