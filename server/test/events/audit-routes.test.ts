import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ACTIONS } from '../../../dashboard/src/pages/settings/audit/audit-words.ts'
import { makeApiDocument } from '../../../scripts/api-document.ts'
import { auditedRequests, CANARIES, type Prepared } from '../support/audited-requests.ts'
import { flowEngines } from '../support/databases.ts'
import { type PlainMcp, startPlainMcp } from '../support/plain-mcp.ts'
import { type Answer, joinTestService, type TestService } from '../support/test-service.ts'

type Operation = { 'x-audit-action'?: string }
const document = (await makeApiDocument()) as { paths: Record<string, Record<string, Operation>> }
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method} ${path}`,
    action: operation['x-audit-action'],
  })),
)
const audited = operations.filter(({ action }) => action !== undefined)

const USER_AGENT = `walker/1 ${'x'.repeat(300)}`

it('the dashboard offers every action of the API document as a filter', () => {
  const offered: readonly string[] = ACTIONS
  const missing = audited.filter(({ action }) => !offered.includes(action as string))
  assert.deepEqual(missing, [])
  assert.deepEqual(offered, offered.toSorted())
})

// This file covers every route that changes data, so it runs on both flowEngines.
for (const engine of flowEngines)
  describe(`audit log of every route that changes data, on ${engine}`, () => {
    let t: TestService
    let plain: PlainMcp
    let requests: Record<string, () => Promise<Prepared>>
    /** All issued keys, links and tokens. */
    const issued: string[] = []
    before(async () => {
      t = await joinTestService(engine)
      plain = await startPlainMcp()
      plain.tools = [{ name: 'look', description: 'Looks.' }]
      requests = auditedRequests(t, plain)
      issued.push(t.organization.key, t.organization.testKey)
    })
    after(async () => {
      await t.stop()
      await plain.stop()
    })

    const entriesAfter = (sequence: number) =>
      t.query('select * from audit_entries where organization_id = $1 and sequence > $2 order by sequence', [
        t.organization.id,
        sequence,
      ])
    const last = async (): Promise<number> => (await entriesAfter(0)).at(-1)?.sequence ?? 0
    const send = async (
      name: string,
      { path, body, raw, as, by }: Prepared,
      key = by?.key,
    ): Promise<Answer> => {
      const method = name.split(' ')[0]?.toUpperCase() as string
      const headers = { 'user-agent': USER_AGENT }
      if (as) return as.call(method, path, { body, headers })
      if (!raw) return t.call(method, path, { body, headers, ...(key && { key }) })
      const response = await fetch(t.baseUrl + path, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${key ?? t.organization.key}`,
          'content-type': 'image/png',
          'x-forwarded-for': t.address,
        },
        body: new Uint8Array(raw),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
    }
    const valueOf = <T>(expected: T | ((answer: any) => T), answer: Answer): T =>
      typeof expected === 'function' ? (expected as (answer: any) => T)(answer.body) : expected

    it('every audited operation of the API document has a request here [audit.every-change]', () => {
      assert.deepEqual(Object.keys(requests).toSorted(), audited.map(({ name }) => name).toSorted())
      assert.deepEqual(
        operations
          .filter(({ name, action }) => !name.startsWith('get ') && !action)
          .map(({ name }) => name)
          .toSorted(),
        [
          'post /api/v1/callback-origins/test',
          'post /api/v1/connectors/{slug}/oauth-app/test',
          'post /api/v1/link-customization/preview',
          'post /api/v1/policy-rules/test',
          'post /api/v1/policy-rules/{id}/test-hook',
          'post /api/v1/security-rules/test',
          'post /api/v1/tool-packs/{id}/tools/estimate',
          'post /api/v1/sign-in/requests/{id}/approve',
          'post /api/v1/registered-users/{id}/credentials/{credential_id}/test',
          'post /api/v1/registered-users/{id}/link-token',
          'post /api/v1/link-token/confirm',
          'post /api/v1/links/find',
          'post /api/v1/registered-users/{id}/connections-link',
          'post /api/v1/explain',
          'post /api/v1/tool-calls',
          'post /api/v1/registered-users/{id}/connectors/{slug}/requests',
          'post /api/v1/tool-calls/{tool_call_id}/view',
          'post /api/v1/webhook-endpoints/{id}/test',
        ].toSorted(),
        'only these operations change data without an entry',
      )
    })

    for (const { name, action } of audited)
      it(`${name} adds one entry: ${action}, with actor and source address`, async () => {
        const prepared = await (requests[name] as () => Promise<Prepared>)()
        const earlier = await last()
        const answer = await send(name, prepared)
        assert.ok(answer.status < 300, answer.text)
        for (const secret of [answer.body?.key, answer.body?.secret]) if (secret) issued.push(secret)
        const [entry, ...more] = await entriesAfter(earlier)
        assert.equal(more.length, 0)
        const [key] = await t.query(
          `select id, hint from api_keys where organization_id = $1 and mode = 'production' and revoked_at is null and groups is null`,
          [t.organization.id],
        )
        assert.deepEqual(
          [entry.action, entry.outcome, entry.target_type, entry.target_id, entry.registered_user_id],
          [
            action,
            'done',
            action?.split('.')[0],
            valueOf(prepared.target, answer),
            valueOf(prepared.user ?? null, answer),
          ],
        )
        assert.deepEqual(
          [entry.actor_type, entry.actor_id, entry.actor_hint],
          prepared.as
            ? ['person', prepared.as.id, 'Ada Min']
            : ['api_key', (prepared.by ?? key).id, (prepared.by ?? key).hint],
        )
        assert.equal(entry.address, t.address)
        assert.equal(entry.user_agent, USER_AGENT.slice(0, 200))
        assert.equal(entry.request_id, answer.headers.get('x-request-id'))
        if (prepared.changes) assert.deepEqual(entry.changes, valueOf(prepared.changes, answer))
        assert.deepEqual(await t.query('select 1 from audit_intents'), [])
      })

    it('creating a user that already exists is recorded as an update', async () => {
      const earlier = await last()
      const body = { origin_user_id: CANARIES.originUserId, origin_user_name: CANARIES.name }
      assert.equal((await t.call('POST', '/api/v1/registered-users', { body })).status, 200)
      assert.deepEqual(
        (await entriesAfter(earlier)).map(entry => entry.action),
        ['registered_user.updated'],
      )
    })

    it('a test key without permission is recorded as denied; an invalid key leaves no entry', async () => {
      const earlier = await last()
      const path = `/api/v1/tool-packs/${t.organization.toolPackId}`
      const denied = await t.call('PATCH', path, {
        key: t.organization.testKey,
        body: { name: CANARIES.name },
      })
      assert.equal(denied.status, 403)
      await t.call('PATCH', path, { key: 'cb_sk_live_invalid', body: { name: 'x' } })
      await t.call('PATCH', path, { key: null, body: { name: 'x' } })
      await t.call('GET', '/api/v1/audit-entries', { key: t.organization.testKey })
      const entries = await entriesAfter(earlier)
      assert.deepEqual(
        entries.map(entry => [entry.action, entry.outcome, entry.target_id, entry.changes]),
        [['tool_pack.updated', 'denied', t.organization.toolPackId, []]],
      )
      assert.match(entries[0].actor_hint, /^cb_sk_test_/)
      await t.call('DELETE', `/api/v1/api-keys/${t.organization.testKey}`, { key: t.organization.testKey })
      assert.equal((await entriesAfter(earlier + 1))[0].target_id, null, 'an invalid ID is not stored')
    })

    it('rejected requests, reads, mints and calls add no entry', async () => {
      const user = await t.createUser()
      const earlier = await last()
      const refused: [string, string, unknown?][] = [
        ['PATCH', `/api/v1/registered-users/${user.id.replace(/.$/, 'z')}`, { is_active: false }],
        ['DELETE', `/api/v1/registered-users/${crypto.randomUUID()}`],
        ['PATCH', `/api/v1/tool-packs/%00`, { name: 'x' }],
        ['DELETE', `/api/v1/connectors/no-such`],
        ['POST', '/api/v1/callback-origins', { origin: 'https://user:canary-password@example.com' }],
        ['POST', '/api/v1/registered-users', { origin_user: 'x' }],
        ['PATCH', '/api/v1/organization', { runtime_callback_url: 'https://elsewhere.example.com' }],
      ]
      for (const [method, path, body] of refused) {
        const answer = await t.call(method, path, { body })
        assert.ok([400, 404].includes(answer.status), `${method} ${path}: ${answer.text}`)
      }
      await t.mint(user.id)
      await t.mcp(user.id, 'tools/list')
      await t.call('POST', '/api/v1/link-token/confirm', { body: { code: 'cb_code_x' } })
      assert.deepEqual(await entriesAfter(earlier), [])
      assert.deepEqual(await t.query('select 1 from audit_intents'), [])
    })

    it('a replay of an idempotent request adds no entry', async () => {
      const create = () =>
        t.call('POST', '/api/v1/tool-packs', {
          body: { name: 'Once' },
          headers: { 'idempotency-key': 'once' },
        })
      const earlier = await last()
      const first = await create()
      assert.equal((await create()).text, first.text)
      assert.equal((await entriesAfter(earlier)).length, 1)
    })

    it('contains no secret, link, name or email address of a user, and neither do intents', async () => {
      const rows = await t.query(
        'select e::text as text from audit_entries e union all select i::text from audit_intents i',
      )
      const text = rows.map(row => row.text).join('\n')
      assert.ok(rows.length > audited.length)
      for (const [label, value] of Object.entries(CANARIES)) assert.ok(!text.includes(value), label)
      for (const key of issued) assert.ok(!text.includes(key), key.slice(0, 12))
      assert.doesNotMatch(text, /canary|cb_(?:sk|mcp|lnk|mlk|code)_\w*[0-9A-Za-z]{20}|magic-link|Ana Ruiz/i)
    })

    it('a deleted user leaves only its ID', async () => {
      const { id } = await t.createUser({ email: CANARIES.email })
      const keys = `/api/v1/registered-users/${id}/mcp-keys`
      const key = await t.call('POST', keys, { body: { name: `Laptop of ${CANARIES.email}` } })
      assert.equal(key.status, 201)
      await t.call('DELETE', `/api/v1/registered-users/${id}`)
      const { body } = await t.call('GET', `/api/v1/audit-entries?registered_user_id=${id}`)
      assert.deepEqual(
        body.data.map(({ action }: { action: string }) => action),
        ['registered_user.deleted', 'mcp_key.created', 'registered_user.created'],
      )
      assert.ok(!JSON.stringify(body).includes(CANARIES.email))
    })
  })
