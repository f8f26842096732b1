import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { roles } from '@carabiner/contract/permissions'
import { newUuid } from '../../src/core/uuid.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { type PersonSession, signInPerson } from '../support/person-session.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const BASE = '/dashboard/installation'
const SERVICE_CHAIN = '00000000-0000-0000-0000-000000000000'

/** Every route of the operator, with a body that is valid. A new route is added here on purpose. */
const routesFor = (
  organizationId: string,
  personId: string,
): [method: string, path: string, body?: object][] => [
  ['GET', '/organizations'],
  ['GET', `/organizations/${organizationId}`],
  ['POST', '/organizations', { name: 'Intruder' }],
  ['PATCH', `/organizations/${organizationId}`, { plan: 'free', call_limit: null }],
  ['POST', `/organizations/${organizationId}/suspend`],
  ['POST', `/organizations/${organizationId}/activate`],
  ['GET', '/people'],
  ['PATCH', `/people/${personId}`, { is_operator: true }],
  ['POST', `/people/${personId}/sign-out`],
  ['GET', '/health'],
]

for (const engine of flowEngines)
  describe(`routes of operators (${engine})`, () => {
    let t: TestService
    let operator: PersonSession
    before(async () => {
      t = await startTestService(engine)
      operator = await signInPerson(t, { isOperator: true, name: 'Olga Op' })
    })
    after(() => t.stop())

    const own = (method: string, path: string, body?: object) => operator.own(method, BASE + path, body)
    const entriesOf = (organizationId: string) =>
      t.query(
        'select action, outcome, actor_type, actor_id, actor_hint, target_id, changes from audit_entries where organization_id = $1 order by sequence',
        [organizationId],
      )
    const lastEntry = async (organizationId: string) => (await entriesOf(organizationId)).at(-1)

    it('are denied to every role, and each denied change is recorded by the service', async () => {
      for (const role of roles) {
        const person = await signInPerson(t, { role, name: `A ${role}` })
        const routes = routesFor(t.organization.id, person.id)
        for (const [method, path, body] of routes) {
          const { status, body: answer } = await person.own(method, BASE + path, body)
          assert.deepEqual([status, answer.error.code], [403, 'operator_required'], `${role} ${path}`)
        }
        const denied = (await entriesOf(SERVICE_CHAIN)).filter(entry => entry.actor_id === person.id)
        assert.equal(denied.length, routes.filter(([method]) => method !== 'GET').length)
        assert.ok(
          denied.every(({ outcome, actor_hint }) => outcome === 'denied' && actor_hint === `A ${role}`),
        )
      }
      assert.ok((await entriesOf(t.organization.id)).every(({ outcome }) => outcome === 'done'))
    })

    it('need a session: API keys, no cookie and other origins are rejected', async () => {
      for (const [method, path, body] of routesFor(t.organization.id, operator.id)) {
        const options = { headers: { origin: t.baseUrl }, ...(body && { body }) }
        const withKey = await t.call(method, BASE + path, options)
        assert.deepEqual([withKey.status, withKey.body.error.code], [401, 'session_expired'], path)
        const foreign = await t.call(method, BASE + path, {
          ...options,
          key: null,
          headers: { cookie: operator.cookie, origin: 'https://evil.example.com' },
        })
        assert.deepEqual([foreign.status, foreign.body.error.code], [403, 'cross_site_request'], path)
      }
    })

    it('reject malformed input, unknown IDs and unknown fields', async () => {
      const cases: [string, string, object | undefined, number][] = [
        ['GET', '/organizations?limit=0', undefined, 400],
        ['GET', '/organizations?cursor=nothing', undefined, 400],
        ['GET', '/organizations?state=gone', undefined, 400],
        ['GET', `/organizations?search=${'x'.repeat(201)}`, undefined, 400],
        ['GET', '/organizations?other=1', undefined, 400],
        ['GET', '/organizations/x', undefined, 404],
        ['GET', `/organizations/${newUuid()}`, undefined, 404],
        ['POST', '/organizations', {}, 400],
        ['POST', '/organizations', { name: '   ' }, 400],
        ['POST', '/organizations', { name: 'x'.repeat(256) }, 400],
        ['POST', '/organizations', { name: 'A', plan: 'gold' }, 400],
        ['POST', '/organizations', { name: 'A', call_limit: -1 }, 400],
        ['POST', '/organizations', { name: 'A', call_limit: 2_000_000_001 }, 400],
        ['POST', '/organizations', { name: 'A', state: 'active' }, 400],
        ['PATCH', `/organizations/${t.organization.id}`, { plan: 'free' }, 400],
        ['PATCH', `/organizations/${t.organization.id}`, { plan: 'free', call_limit: 1.5 }, 400],
        ['PATCH', `/organizations/${newUuid()}`, { plan: 'free', call_limit: null }, 404],
        ['PATCH', '/organizations/x', { plan: 'free', call_limit: null }, 404],
        ['POST', `/organizations/${newUuid()}/suspend`, undefined, 404],
        ['POST', '/organizations/x/activate', undefined, 404],
        ['PATCH', '/people/x', { is_operator: true }, 404],
        ['PATCH', `/people/${newUuid()}`, { is_operator: true }, 404],
        ['PATCH', `/people/${operator.id}`, { is_operator: 'yes' }, 400],
        ['POST', `/people/${newUuid()}/sign-out`, undefined, 404],
      ]
      const known = (await entriesOf(SERVICE_CHAIN)).length
      for (const [method, path, body, status] of cases)
        assert.equal(
          (await own(method, path, body)).status,
          status,
          `${method} ${path} ${JSON.stringify(body)}`,
        )
      assert.equal((await entriesOf(SERVICE_CHAIN)).length, known, 'rejected requests leave no entries')
      assert.deepEqual(await t.query('select from audit_intents'), [])
    })

    it('create: returns the keys once, which work, and records the person in both trails', async () => {
      const { status, body } = await own('POST', '/organizations', {
        name: '  Kepler ',
        plan: 'business',
        call_limit: 5000,
      })
      assert.equal(status, 201)
      assert.deepEqual(
        [body.name, body.state, body.plan, body.call_limit],
        ['Kepler', 'active', 'business', 5000],
      )
      for (const key of [body.production_key, body.test_key])
        assert.equal((await t.call('GET', '/api/v1/registered-users', { key })).status, 200)
      const [first] = await entriesOf(body.id)
      assert.deepEqual(
        [first?.action, first?.actor_type, first?.actor_hint],
        ['organization.created', 'person', 'Olga Op'],
      )
      const created = await lastEntry(SERVICE_CHAIN)
      assert.deepEqual([created?.action, created?.target_id], ['organization.created', body.id])
      assert.ok(!JSON.stringify(await entriesOf(SERVICE_CHAIN)).includes('cb_sk_'))
      const listed = await own('GET', '/organizations?search=kepl')
      assert.ok(!listed.text.includes('cb_sk_'))
      assert.deepEqual(
        listed.body.data.map(({ id, cycle_limit }: any) => [id, cycle_limit]),
        [[body.id, 5000]],
      )
    })

    it('list: pages by cursor, newest first, and finds by name, ID and state', async () => {
      const made: string[] = []
      for (let number = 1; number <= 5; number++)
        made.unshift((await own('POST', '/organizations', { name: `Paged 100%_${number}` })).body.id)
      const first = (await own('GET', '/organizations?search=PAGED%20100%25_&limit=3')).body
      assert.deepEqual(
        first.data.map(({ id }: any) => id),
        made.slice(0, 3),
      )
      const second = (
        await own('GET', `/organizations?search=paged&limit=3&cursor=${first.next_cursor as string}`)
      ).body
      assert.deepEqual([second.data.map(({ id }: any) => id), second.next_cursor], [made.slice(3), null])
      assert.equal((await own('GET', `/organizations?search=${made[0]}`)).body.data.length, 1)
      await own('POST', `/organizations/${made[0]}/suspend`)
      assert.deepEqual(
        (await own('GET', '/organizations?state=suspended')).body.data.map(({ id }: any) => id),
        [made[0]],
      )
    })

    it('list: counts members, users and the calls of the cycle', async () => {
      const { id } = await t.createUser()
      await linkNotes(createBrowserUser(), (await t.mint(id, { Connector: 'sandbox-notes' })).magic_link_url)
      await t.mcp(id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
      const read = async () => (await own('GET', `/organizations/${t.organization.id}`)).body
      const first = await read()
      assert.deepEqual(
        [first.cycle_calls, first.cycle_limit, first.members, first.registered_users],
        [1, null, roles.length, 1],
      )
      await t.moveClock(30 * 60_000)
      await t.query('select sum_usage()')
      await t.mcp(id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
      assert.equal((await read()).cycle_calls, 2)
    })

    it('plan: sets the plan and the limit, and records the previous values', async () => {
      const { id } = t.organization
      await own('PATCH', `/organizations/${id}`, { plan: 'starter', call_limit: 7 })
      const { body } = await own('PATCH', `/organizations/${id}`, { plan: 'business', call_limit: null })
      assert.deepEqual([body.plan, body.call_limit], ['business', null])
      const entry = await lastEntry(id)
      assert.deepEqual(
        [entry?.action, entry?.actor_hint, entry?.changes],
        [
          'organization.plan_set',
          'Olga Op',
          [
            { field: 'call_limit', from: 7, to: null },
            { field: 'plan', from: 'starter', to: 'business' },
          ],
        ],
      )
      assert.equal((await t.call('GET', '/api/v1/organization')).body.plan, 'business')
    })

    it('suspend and activate: have effect at once, and are in the trail of the organization', async () => {
      const { id } = t.organization
      const suspended = await own('POST', `/organizations/${id}/suspend`)
      assert.deepEqual([suspended.status, suspended.body.state], [200, 'suspended'])
      const rejected = await t.call('GET', '/api/v1/registered-users')
      assert.deepEqual([rejected.status, rejected.body.error.code], [403, 'organization_suspended'])
      assert.equal((await own('POST', `/organizations/${id}/suspend`)).status, 200)
      assert.equal((await own('POST', `/organizations/${id}/activate`)).body.state, 'active')
      assert.equal((await t.call('GET', '/api/v1/registered-users')).status, 200)
      const entries = (await entriesOf(id)).slice(-3)
      assert.deepEqual(
        entries.map(({ action, actor_id, changes }) => [action, actor_id, changes]),
        [
          ['organization.suspended', operator.id, [{ field: 'state', from: 'active', to: 'suspended' }]],
          ['organization.suspended', operator.id, []],
          ['organization.activated', operator.id, [{ field: 'state', from: 'suspended', to: 'active' }]],
        ],
      )
      await t.query("update organizations set state = 'leaving' where id = $1", [id])
      for (const [method, path, body] of [
        ['POST', 'suspend', undefined],
        ['POST', 'activate', undefined],
        ['PATCH', '', { plan: 'free', call_limit: null }],
      ] as const) {
        const answer = await own(method, `/organizations/${id}/${path}`.replace(/\/$/, ''), body)
        assert.deepEqual([answer.status, answer.body.error.code], [409, 'organization_busy'])
      }
      await t.query("update organizations set state = 'active' where id = $1", [id])
    })

    const signInAgain = (at = 'app_now()') =>
      t.query(`update people_sessions set created_at = ${at} where user_id = $1`, [operator.id])

    it('people: making an operator needs a sign-in within the last ten minutes', async () => {
      const person = await signInPerson(t, { role: 'admin' })
      await signInAgain("app_now() - interval '11 minutes'")
      for (const is_operator of [true, false]) {
        const { status, body } = await own('PATCH', `/people/${person.id}`, { is_operator })
        assert.deepEqual([status, body.error.code], [403, 'recent_sign_in_required'])
      }
    })

    it('people: are found, made operators, and signed out everywhere', async () => {
      const person = await signInPerson(t, { role: 'read_only', name: 'Zoe Quist' })
      await signInAgain()
      const listed = (await own('GET', '/people?search=QUIST')).body
      assert.deepEqual(
        listed.data.map(({ id, is_operator, organizations, sessions }: any) => [
          id,
          is_operator,
          organizations,
          sessions,
        ]),
        [[person.id, false, 1, 1]],
      )
      const invited = await operator.call('POST', '/api/v1/members', {
        body: { email: 'unverified@example.com', role: 'admin' },
      })
      const promoted = await own('PATCH', `/people/${invited.body.id}`, { is_operator: true })
      assert.equal(promoted.body.error.code, 'address_not_verified')
      assert.equal((await own('PATCH', `/people/${person.id}`, { is_operator: true })).body.is_operator, true)
      assert.equal((await person.own('GET', `${BASE}/health`)).status, 200)
      const entry = await lastEntry(SERVICE_CHAIN)
      assert.deepEqual(
        [entry?.action, entry?.target_id, entry?.changes],
        ['person.updated', person.id, [{ field: 'is_operator', from: false, to: true }]],
      )
      await own('PATCH', `/people/${person.id}`, { is_operator: false })
      assert.equal((await person.own('GET', `${BASE}/health`)).body.error.code, 'operator_required')
      assert.equal((await own('POST', `/people/${person.id}/sign-out`)).body.sessions, 0)
      assert.equal((await person.own('GET', '/dashboard/session')).status, 401)
      assert.equal((await lastEntry(SERVICE_CHAIN))?.action, 'person.signed_out')
    })

    it('people: concurrent removals leave one operator', async () => {
      const others = [
        await signInPerson(t, { isOperator: true }),
        await signInPerson(t, { isOperator: true }),
      ]
      await signInAgain()
      const all = [operator, ...others]
      const answers = await Promise.all(
        all.map(person => person.own('PATCH', `${BASE}/people/${person.id}`, { is_operator: false })),
      )
      assert.deepEqual(
        answers.toSorted((a, b) => a.status - b.status).map(({ status, body }) => [status, body.error?.code]),
        [
          [200, undefined],
          [200, undefined],
          [409, 'last_operator'],
        ],
      )
      const [left] = await t.query<{ operators: number }>(
        'select count(*)::integer as operators from operators',
      )
      assert.equal(left?.operators, 1)
      await t.query('insert into operators (person_id) values ($1) on conflict do nothing', [operator.id])
    })
  })
