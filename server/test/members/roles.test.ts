import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { isAllowed, type Permission, type Role, roles } from '../../src/core/permission.ts'
import { addPerson } from '../../src/features/members/add-person.ts'
import { cookieOf, type PersonSession, sessionOf, signInPerson, tokenOf } from '../support/person-session.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

type Operation = { 'x-permission': Permission; parameters: { name: string; in: string }[] }

/** What each operation needs. A new operation is added here on purpose. */
const NEEDS: Record<Exclude<Permission, 'read' | 'build'>, string[]> = {
  protect: [
    'delete /tool-packs/{id}/security-rules',
    'patch /security-rules',
    'put /security-rules',
    'put /tool-packs/{id}/security-rules',
  ],
  audit: ['get /audit-entries', 'get /audit-entries/verification'],
  manage: [
    'delete /api-keys/{id}',
    'delete /callback-origins',
    'delete /members/{id}',
    'delete /sign-in',
    'patch /members/{id}',
    'patch /organization',
    'post /api-keys',
    'post /api-keys/{id}/regenerate',
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
  'post /security-rules/test',
  'post /tool-calls/{tool_call_id}/view',
]

describe('roles', () => {
  let t: TestService
  let operations: { name: string; method: string; path: string; permission: Permission }[]
  const people = new Map<Role, PersonSession>()
  before(async () => {
    t = await startTestService()
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
          actor: { type: 'person', id: person.id, hint: 'Rob Only' },
        },
      ],
    )
  })

  it('a changed role and a removed membership have effect at once', async () => {
    const person = await signInPerson(t, { role: 'developer', name: 'Dev' })
    const create = () => person.call('POST', '/api/v1/tool-packs', { body: { name: 'Pack' } })
    assert.equal((await create()).status, 201)
    const member = `/api/v1/members/${person.id}`
    assert.equal((await t.call('PATCH', member, { body: { role: 'read_only' } })).body.role, 'read_only')
    assert.equal((await create()).body.error.code, 'permission_denied')
    assert.equal((await t.call('DELETE', member)).status, 204)
    assert.equal((await person.call('GET', '/api/v1/tool-packs')).body.error.code, 'not_a_member')
    assert.equal((await t.call('DELETE', member)).body.error.code, 'member_not_found')
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
    assert.equal((await operator.own('GET', '/dashboard/session')).body.organizations.length, 2)
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

describe('members', () => {
  let t: TestService
  before(async () => {
    t = await startTestService()
  })
  after(() => t.stop())
  const invite = (email: string, role: Role = 'developer', key = t.organization.key) =>
    t.call('POST', '/api/v1/members', { key, body: { email, role } })

  it('an invitation returns a link once; the person is listed as invited', async () => {
    const { body } = await invite('Nora@Example.com')
    assert.match(body.sign_in_url, new RegExp(`^${t.baseUrl}/dashboard/sign-in#cb_in_`))
    assert.deepEqual(
      [body.email, body.name, body.status, body.mailed],
      ['nora@example.com', 'nora', 'invited', false],
    )
    assert.equal((await invite('nora@example.com')).body.error.code, 'already_a_member')
    const { data } = (await t.call('GET', '/api/v1/members')).body
    assert.deepEqual(
      data.map(({ email, role, status }: any) => [email, role, status]),
      [['nora@example.com', 'developer', 'invited']],
    )
    assert.equal(JSON.stringify(data).includes('cb_in_'), false)
  })

  it('an administrator of another organization gets no link for a known person', async () => {
    const person = await signInPerson(t, { role: 'developer' })
    const other = await t.createOrganization('Kepler')
    const invited = await invite(person.email, 'admin', other.key)
    assert.deepEqual([invited.status, invited.body.sign_in_url], [201, null])
    const link = (key: string) =>
      t.call('POST', `/api/v1/members/${person.id}/sign-in-link`, { key, body: {} })
    for (const key of [other.key, t.organization.key])
      assert.equal((await link(key)).body.error.code, 'sign_in_link_not_allowed')
    assert.equal(
      (await t.call('DELETE', `/api/v1/members/${person.id}`, { key: other.key })).body?.error.code,
      'last_admin',
    )
  })

  const signInWith = async (url: string, person: { id: string; email: string }) => {
    const answer = await t.call('POST', '/dashboard/sign-in-link', {
      key: null,
      headers: { origin: t.baseUrl },
      body: { token: tokenOf(url) },
    })
    assert.equal(answer.status, 204, answer.text)
    return sessionOf(t, { ...person, cookie: cookieOf(answer), organizationId: t.organization.id })
  }

  it('an administrator who uses the invitation of another person gets into no other organization', async () => {
    const invited = (await invite('victim@example.com')).body
    const impostor = await signInWith(invited.sign_in_url, invited)
    await impostor.own('POST', '/dashboard/password', { password: 'the impostor’s password' })
    const other = await t.createOrganization('Kepler')
    const join = () => invite('victim@example.com', 'admin', other.key)
    assert.equal((await join()).body.error.code, 'address_not_verified')
    assert.deepEqual((await t.call('GET', '/api/v1/members', { key: other.key })).body.data, [])

    await t.call('DELETE', `/api/v1/members/${invited.id}`)
    const joined = await join()
    assert.deepEqual([joined.status, joined.body.id], [201, invited.id])
    assert.equal((await impostor.own('GET', '/dashboard/session')).body.error.code, 'session_expired')
    const signIn = await t.call('POST', '/dashboard/auth/sign-in/email', {
      key: null,
      headers: { origin: t.baseUrl },
      body: { email: 'victim@example.com', password: 'the impostor’s password' },
    })
    assert.equal(signIn.status, 401, 'the password was removed')
    const victim = await signInWith(joined.body.sign_in_url, invited)
    assert.deepEqual(
      (await victim.own('GET', '/dashboard/session')).body.organizations.map(({ name }: any) => name),
      ['Kepler'],
    )
  })

  it('the operator vouches for an address: the person keeps the memberships and gets a new link', async () => {
    const invited = (await invite('ben@example.com')).body
    const first = await signInWith(invited.sign_in_url, invited)
    await first.own('POST', '/dashboard/password', { password: 'a first long password' })
    const other = await t.createOrganization('Vega')
    const membership = { organizationId: other.id, role: 'developer' } as const
    const { link } = await addPerson(t.service.features, { email: 'ben@example.com', membership })
    assert.equal((await first.own('GET', '/dashboard/session')).body.error.code, 'session_expired')
    const ben = await signInWith(link.url.reveal(), invited)
    const session = (await ben.own('GET', '/dashboard/session')).body
    assert.equal(session.person.has_password, false)
    assert.deepEqual(session.organizations.map(({ name }: any) => name).toSorted(), ['Orbit', 'Vega'])
    const third = await t.createOrganization('Lyra')
    assert.equal((await invite('ben@example.com', 'developer', third.key)).status, 201)
  })

  it('concurrent changes leave an administrator', async () => {
    const organization = await t.createOrganization('Race')
    const admins = await Promise.all(
      [1, 2, 3].map(
        async number => (await invite(`race-${number}@example.com`, 'admin', organization.key)).body.id,
      ),
    )
    const answers = await Promise.all(
      admins.map(id => t.call('DELETE', `/api/v1/members/${id}`, { key: organization.key })),
    )
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [204, 204, 409],
    )
    const left = (await t.call('GET', '/api/v1/members', { key: organization.key })).body.data
    assert.deepEqual(
      left.map(({ role }: any) => role),
      ['admin'],
    )
  })

  it('rejects invalid addresses and unknown roles, and a test key', async () => {
    for (const body of [
      { email: 'nobody', role: 'admin' },
      { email: 'a b@example.com', role: 'admin' },
      { email: `${'x'.repeat(300)}@example.com`, role: 'admin' },
      { email: 'a@example.com', role: 'owner' },
      { email: 'a@example.com' },
      { email: 'a@example.com', role: 'admin', password: 'x' },
    ])
      assert.equal((await t.call('POST', '/api/v1/members', { body })).status, 400, JSON.stringify(body))
    assert.equal(
      (await invite('a@example.com', 'admin', t.organization.testKey)).body.error.code,
      'production_key_required',
    )
  })
})
