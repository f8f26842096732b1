import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY, MINUTE } from '../../src/core/duration.ts'
import { endApprovals, finishApproval } from '../../src/features/approvals/end-approvals.ts'
import { carryOver } from '../../src/platform/vault/previous-user-keys.ts'
import { previousUserKeysStore } from '../../src/platform/vault/previous-user-keys-store.ts'
import { retentionSteps, runRetention } from '../../src/retention.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type HostileServer, json, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const inputSchema = { type: 'object', additionalProperties: true }
const TOOLS = ['pay', 'pay_later', 'read'].map(name => ({ name, title: `Tool ${name}`, inputSchema }))
const SEND = { to: 'ana@example.com', amount: 10, note: 'Café', tags: ['a', 'b'] }

for (const engine of flowEngines)
  describe(`approvals on ${engine}`, () => {
    let t: TestService
    let server: HostileServer
    /** The arguments of the calls that the provider has received. */
    let received: unknown[]
    let isBroken: boolean
    /** The provider answers once it is resolved. */
    let hold: Promise<void> | undefined
    before(async () => {
      t = await joinTestService(engine)
      server = await startHostileMcp()
      server.reset({
        'tools/list': exchange => result(exchange, { tools: TOOLS }),
        'tools/call': async exchange => {
          received.push(exchange.message.params.arguments)
          await hold
          if (isBroken) return json(exchange.response, {}, 500)
          return result(exchange, { content: [{ type: 'text', text: 'paid' }] })
        },
      })
    })
    after(async () => {
      await t.stop()
      await server.close()
    })

    let organizations = 0
    /** An organization whose policy asks about two tools of an MCP server. */
    const open = async () => {
      received = []
      isBroken = false
      hold = undefined
      const organization = await t.createOrganization(`Approvals ${++organizations}`)
      const { key } = organization
      const api = (method: string, path: string, body?: unknown) =>
        t.call(method, `/api/v1${path}`, { key, ...(body !== undefined && { body }) })
      const added = await api('POST', '/connectors', { name: 'Bank', slug: 'bank', url: server.url })
      assert.equal(added.status, 201, added.text)
      const rule = { name: 'Payments', effect: 'ask', tools: ['bank__pay', 'bank__pay_later'] }
      const asks = await api('POST', '/policy-rules', rule)
      assert.equal(asks.status, 201, asks.text)
      const user = await t.createUser({}, key)
      const other = await t.createUser({}, key)
      const member = await signInPerson(t, { role: 'security', organizationId: organization.id })
      type Options = {
        name?: string
        userId?: string
        packId?: string
        by?: string
        query?: string
        meta?: object
      }
      const call = async (
        args: object,
        {
          name = 'bank__pay',
          userId = user.id,
          packId = organization.toolPackId,
          by = key,
          query,
          meta,
        }: Options = {},
      ) => {
        const params = { name, arguments: args, ...(meta && { _meta: meta }) }
        const { body } = await t.mcp(userId, 'tools/call', params, {
          key: by,
          packId,
          ...(query && { query }),
        })
        return body.result ?? body
      }
      /** Calls, and returns the ID of the approval that it waits for. */
      const ask = async (...of: Parameters<typeof call>): Promise<string> => {
        const { structuredContent, isError } = await call(...of)
        assert.equal(structuredContent?.type, 'approval_meta', JSON.stringify(structuredContent))
        assert.equal(isError, false)
        return structuredContent.approval_id
      }
      const errorOf = async (...of: Parameters<typeof call>) =>
        (await call(...of)).structuredContent?.error ?? { code: null }
      const read = async (id: string) => (await api('GET', `/approvals/${id}`)).body
      const decide = async (id: string, decision: 'approve' | 'deny', reason?: string, by = member) => {
        const { approval_digest } = await read(id)
        return by.call('POST', `/api/v1/approvals/${id}/decision`, {
          body: { decision, approval_digest, ...(reason && { reason }) },
        })
      }
      const approve = async (id: string) => {
        const decided = await decide(id, 'approve')
        assert.deepEqual([decided.status, decided.body.status], [200, 'approved'], decided.text)
      }
      const eventsOf = async (id: string): Promise<string[]> => {
        const { body } = await api('GET', '/events?limit=100')
        return body.data
          .filter((event: any) => event.data.approval_id === id)
          .map(({ type, data }: any) =>
            [type, data.decision ?? data.status ?? data.reason].filter(Boolean).join(' '),
          )
          .toReversed()
      }
      return {
        organization,
        key,
        api,
        user,
        other,
        member,
        call,
        ask,
        errorOf,
        read,
        decide,
        approve,
        eventsOf,
      }
    }

    it('a call that a rule asks about is not made; once a member has approved it, its repeat runs it, once [approval.once]', async () => {
      const { api, user, call, ask, errorOf, read, approve, eventsOf, member } = await open()
      assert.equal(
        (await call({}, { name: 'bank__read' })).content[0].text,
        'paid',
        'another tool is not asked about',
      )
      received = []
      const first = await call(SEND)
      const meta = first.structuredContent
      assert.deepEqual(JSON.parse(first.content[0].text), meta)
      assert.deepEqual(Object.keys(meta).toSorted(), [
        'approval_id',
        'approval_url',
        'expires_at',
        'message',
        'type',
      ])
      assert.equal(await ask(SEND), meta.approval_id, 'the same call joins the request')
      assert.deepEqual(received, [])
      const waiting = await api('GET', '/tool-calls?outcome=approval_required')
      assert.deepEqual(
        waiting.body.data.map(({ ended_at_step, counted }: any) => [ended_at_step, counted]),
        [
          ['approval', false],
          ['approval', false],
        ],
      )
      const shown = await read(meta.approval_id)
      assert.deepEqual(
        [shown.status, shown.registered_user_id, shown.connector_slug, shown.tool, shown.rules],
        [
          'pending',
          user.id,
          'bank',
          'pay',
          [
            {
              name: 'Payments',
              reason: null,
              approvers: [{ type: 'members', registered_user_id: null }],
              step_up: false,
              prevent_self_approval: false,
            },
          ],
        ],
      )
      assert.ok(!JSON.stringify(shown).includes('ana@example.com'), 'a key reads no arguments')
      const seen = await member.call('GET', `/api/v1/approvals/${meta.approval_id}/call`)
      assert.deepEqual(
        [seen.status, seen.body.arguments, seen.body.tool_title, seen.body.approval_digest],
        [200, SEND, 'Tool pay', shown.approval_digest],
      )
      await approve(meta.approval_id)
      assert.equal((await call(SEND)).content[0].text, 'paid')
      assert.deepEqual(received, [SEND])
      const done = await read(meta.approval_id)
      assert.equal(done.status, 'done')
      const used = await errorOf(SEND)
      assert.equal(used.code, 'approval_used')
      assert.ok(used.message.includes(done.tool_call_id), used.message)
      assert.deepEqual(received, [SEND])
      assert.deepEqual(await eventsOf(meta.approval_id), [
        'approval.requested',
        'approval.decided approve',
        'approval.executed done',
      ])
      await t.moveClock(10 * MINUTE)
      assert.notEqual(await ask(SEND), meta.approval_id, 'later, the same call asks again')
    })

    it('every changed call asks again, and every equal one runs the approved call [approval.exact]', async () => {
      const { api, key, organization, other, call, ask, approve } = await open()
      const id = await ask(SEND)
      await approve(id)
      const pack = await api('POST', '/tool-packs', { name: 'Other', connectors: ['bank'] })
      const otherKey = await api('POST', '/api-keys', { mode: 'production' })
      const changed: Parameters<typeof ask>[] = [
        [{ ...SEND, to: 'eve@example.com' }],
        [{ ...SEND, amount: 10.01 }],
        [{ ...SEND, amount: '10' }],
        [{ ...SEND, extra: null }],
        [{ to: SEND.to, amount: SEND.amount, tags: SEND.tags }],
        [{ ...SEND, note: SEND.note.normalize('NFD') }],
        [{ ...SEND, to: [SEND.to] }],
        [{ ...SEND, tags: ['b', 'a'] }],
        [SEND, { name: 'bank__pay_later' }],
      ]
      const ids = new Set<string>()
      changed.push(
        [SEND, { userId: other.id }],
        [SEND, { packId: pack.body.id }],
        [SEND, { by: otherKey.body.key }],
        [SEND, { meta: { 'Idempotency-Key': 'another' } }],
      )
      for (const each of changed) {
        const asked = await ask(...each)
        ids.add(asked)
        await api('POST', `/approvals/${asked}/withdraw`)
      }
      assert.equal(ids.size, changed.length)
      assert.ok(!ids.has(id))
      assert.deepEqual(received, [])
      // The order of fields and the spelling of numbers do not matter.
      const url = `/api/v1/tool-packs/${organization.toolPackId}/registered-users`
      const { registered_user_id: userId } = (await api('GET', `/approvals/${id}`)).body
      const raw = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bank__pay","arguments":{"tags":["a","b"],"note":"Caf\\u00e9","amount":1.0e1,"to":"ana@example.com"}}}`
      const equal = await t.call('POST', `${url}/${userId}/mcp`, { key, raw })
      assert.equal(equal.body.result?.content[0].text, 'paid', equal.text)
      assert.deepEqual(received, [SEND])
      assert.equal(
        (await call({ ...SEND, amount: 2 ** 60 })).structuredContent.error.code,
        'invalid_arguments',
      )
    })

    it('a key that was rolled or regenerated runs the call that its predecessor has asked about, another key does not [approval.lineage]', async () => {
      const { api, key, call, ask, approve, read } = await open()
      const create = async () => (await api('POST', '/api-keys', { mode: 'production' })).body
      const replace = async (id: string, how: 'roll' | 'regenerate') => {
        const replaced = await api('POST', `/api-keys/${id}/${how}`)
        assert.equal(replaced.status, 201, replaced.text)
        return replaced.body
      }
      const first = await create()
      const id = await ask(SEND, { by: first.key })
      await approve(id)
      const second = await replace(first.id, 'roll')
      assert.equal(second.lineage, first.id)
      const third = await replace(second.id, 'roll')
      const fourth = await replace(third.id, 'regenerate')
      assert.deepEqual([third.lineage, fourth.lineage], [first.id, first.id])
      assert.equal((await read(id)).requested_by.id, first.id)
      for (const by of [key, (await create()).key]) {
        const asked = await ask(SEND, { by })
        assert.notEqual(asked, id)
        await api('POST', `/approvals/${asked}/withdraw`)
      }
      assert.deepEqual(received, [])
      assert.equal((await call(SEND, { by: fourth.key })).content[0].text, 'paid')
      assert.deepEqual([received, (await read(id)).status], [[SEND], 'done'])
    })

    it('concurrent repeats: one runs the call, and the others say that it was carried out [approval.once]', async () => {
      const { ask, approve, call } = await open()
      await approve(await ask(SEND))
      const outcomes: string[] = await Promise.all(
        Array.from({ length: 12 }, async (): Promise<string> => {
          const { content, structuredContent } = await call(SEND)
          return structuredContent?.error?.code ?? content[0].text
        }),
      )
      assert.deepEqual(outcomes.toSorted(), [...Array(11).fill('approval_used'), 'paid'])
      assert.equal(received.length, 1)
    })

    it('a denied call returns the reason, and is not asked about again for ten minutes [approval.denied]', async () => {
      const { ask, decide, errorOf, eventsOf, read } = await open()
      const id = await ask(SEND)
      assert.equal((await decide(id, 'deny', 'Wrong account')).body.status, 'denied')
      assert.equal((await decide(id, 'deny')).status, 200, 'the same decision again changes nothing')
      assert.equal((await decide(id, 'approve')).body.error.code, 'approval_ended')
      const { code, message } = await errorOf(SEND)
      assert.equal(code, 'approval_denied')
      assert.equal(
        message,
        `A person denied this call: Wrong account. It was not made. Do not repeat it unchanged. (Approval ${id})`,
      )
      const changed = await ask({ ...SEND, amount: 9 })
      assert.equal((await decide(changed, 'approve')).status, 200)
      assert.equal(
        (await decide(changed, 'deny')).body.status,
        'denied',
        'an approval can be taken back until it runs',
      )
      assert.equal((await errorOf({ ...SEND, amount: 9 })).code, 'approval_denied')
      assert.deepEqual(received, [])
      assert.deepEqual(await eventsOf(id), ['approval.requested', 'approval.decided deny'])
      await t.moveClock(10 * MINUTE)
      assert.equal((await read(await ask(SEND))).status, 'pending')
    })

    it('expires without a decision, and approved without its call; a withdrawn one never runs [approval.ends]', async () => {
      const { organization, api, ask, approve, read, decide, eventsOf } = await open()
      const [undecided, unused, withdrawn] = [await ask(SEND), await ask({ a: 1 }), await ask({ a: 2 })]
      await approve(unused)
      assert.equal((await api('POST', `/approvals/${withdrawn}/withdraw`)).body.status, 'withdrawn')
      assert.equal((await api('POST', `/approvals/${withdrawn}/withdraw`)).status, 200)
      assert.equal((await decide(withdrawn, 'approve')).body.error.code, 'approval_ended')
      await t.moveClock(5 * MINUTE)
      assert.notEqual(await ask({ a: 1 }), unused)
      await t.moveClock(10 * MINUTE)
      const late = await signInPerson(t, { role: 'admin', organizationId: organization.id })
      assert.equal((await decide(undecided, 'approve', undefined, late)).body.error?.code, 'approval_ended')
      await endApprovals(t.service.features.db)
      assert.equal((await read(undecided)).status, 'expired')
      assert.deepEqual(await eventsOf(undecided), ['approval.requested', 'approval.ended expired'])
      assert.deepEqual(await eventsOf(withdrawn), ['approval.requested', 'approval.ended withdrawn'])
      assert.deepEqual(received, [])
      await t.moveClock(DAY)
      const { features } = t.service
      await runRetention(retentionSteps(features), features.log)
      const later = await signInPerson(t, { role: 'admin', organizationId: organization.id })
      const seen = await later.call('GET', `/api/v1/approvals/${undecided}/call`)
      assert.deepEqual([seen.status, seen.body.error.code], [404, 'approval_call_deleted'])
    })

    it('only a member with the permission and a recent sign-in decides, about the call that was seen [approval.who]', async () => {
      const { organization, api, ask, decide, read, call } = await open()
      const id = await ask(SEND)
      const path = `/api/v1/approvals/${id}/decision`
      const { approval_digest } = await read(id)
      const body = { decision: 'approve', approval_digest }
      assert.equal((await api('POST', `/approvals/${id}/decision`, body)).body.error.code, 'person_required')
      assert.equal((await api('GET', `/approvals/${id}/call`)).body.error.code, 'person_required')
      for (const role of ['developer', 'read_only'] as const) {
        const member = await signInPerson(t, { role, organizationId: organization.id })
        assert.equal((await member.call('POST', path, { body })).body.error.code, 'permission_denied')
        assert.equal(
          (await member.call('GET', `/api/v1/approvals/${id}/call`)).body.error.code,
          'permission_denied',
        )
      }
      const admin = await signInPerson(t, { role: 'admin', organizationId: organization.id })
      const wrong = await admin.call('POST', path, { body: { ...body, approval_digest: 'a'.repeat(64) } })
      assert.deepEqual([wrong.status, wrong.body.error.param], [400, 'approval_digest'])
      const elsewhere = await admin.call('POST', path, { body, mode: 'test' })
      assert.equal(elsewhere.body.error.code, 'approval_not_found')
      await t.query(`update people_sessions set created_at = created_at - interval '11 minutes'`)
      assert.equal((await admin.call('POST', path, { body })).body.error.code, 'recent_sign_in_required')
      assert.equal((await read(id)).status, 'pending')
      // A decision does not outlive the right to decide.
      const leaving = await signInPerson(t, { role: 'admin', organizationId: organization.id })
      assert.equal((await decide(id, 'approve', undefined, leaving)).status, 200)
      await t.query(`update members set role = 'developer' where person_id = $1`, [leaving.id])
      const next = await ask(SEND)
      assert.notEqual(next, id)
      assert.equal((await read(id)).status, 'void')
      const fresh = await signInPerson(t, { role: 'security', organizationId: organization.id })
      assert.equal((await decide(next, 'approve', undefined, fresh)).status, 200)
      assert.equal((await call(SEND)).content[0].text, 'paid')
      assert.deepEqual(received, [SEND])
      const operator = await signInPerson(t, { isOperator: true, organizationId: organization.id })
      const byOperator = await ask({ by: 'operator' })
      const { approval_digest: seen } = await read(byOperator)
      const decided = await operator.call('POST', `/api/v1/approvals/${byOperator}/decision`, {
        body: { decision: 'approve', approval_digest: seen },
        organizationId: organization.id,
      })
      assert.equal(decided.status, 200, decided.text)
      assert.equal((await call({ by: 'operator' })).content[0].text, 'paid')
    })

    it('a caller and a user have limits, which a decision frees [approval.limits]', async () => {
      const { ask, errorOf, decide } = await open()
      const ids: string[] = []
      for (let count = 0; count < 10; count++) ids.push(await ask({ count }))
      const refused = await errorOf({ count: 10 })
      assert.deepEqual([refused.code, refused.retryable], ['approval_limit_reached', true])
      assert.equal(await ask({ count: 3 }), ids[3], 'a known call joins')
      await decide(ids[0] as string, 'deny')
      await ask({ count: 10 })
    })

    it('a call that waits runs as soon as it is approved, and fails when it is denied [approval.wait]', async () => {
      const { api, call, approve, decide } = await open()
      const pendingId = (): Promise<string> =>
        eventually(async () => {
          const { body } = await api('GET', '/approvals?status=pending')
          assert.equal(body.data.length, 1)
          return body.data[0].id as string
        })
      const approved = call(SEND, { query: '?wait=60' })
      await approve(await pendingId())
      assert.equal((await approved).content[0].text, 'paid')
      const denied = call({ a: 1 }, { query: '?wait=60' })
      await decide(await pendingId(), 'deny')
      assert.equal((await denied).structuredContent.error.code, 'approval_denied')
      const withdrawn = call({ a: 2 }, { query: '?wait=60' })
      await api('POST', `/approvals/${await pendingId()}/withdraw`)
      assert.equal((await withdrawn).structuredContent.error.code, 'approval_expired')
      assert.deepEqual(received, [SEND])
      assert.equal((await call({ a: 3 }, { query: '?wait=1' })).structuredContent.type, 'approval_meta')
    })

    it('callers that wait for the same approval share the result of one execution [approval.wait]', async () => {
      const { api, call, approve, errorOf, read } = await open()
      const release = Promise.withResolvers<void>()
      hold = release.promise
      const waiting = Array.from({ length: 3 }, () => call(SEND, { query: '?wait=60' }))
      const id = await eventually(async (): Promise<string> => {
        const { body } = await api('GET', '/tool-calls?outcome=approval_required')
        assert.equal(body.data.length, 3)
        return (await api('GET', '/approvals?status=pending')).body.data[0].id
      })
      await approve(id)
      await eventually(async () => assert.equal(received.length, 1))
      assert.equal((await errorOf(SEND)).code, 'approval_used', 'a caller that has not waited gets no result')
      release.resolve()
      for (const answer of await Promise.all(waiting)) assert.equal(answer.content?.[0].text, 'paid')
      assert.deepEqual([received.length, (await read(id)).status], [1, 'done'])
    })

    it('a caller that waits while another process makes the call gets the ID of that call [approval.wait]', async () => {
      const { organization, ask, call, api, eventsOf } = await open()
      const id = await ask(SEND)
      const waiting = call(SEND, { query: '?wait=60' })
      await eventually(async () => {
        const { body } = await api('GET', '/tool-calls?outcome=approval_required')
        assert.equal(body.data.length, 2)
      })
      const callId = '019a0000-0000-7000-8000-000000000001'
      await t.query(`update approvals set status = 'executing', tool_call_id = $2 where id = $1`, [
        id,
        callId,
      ])
      await finishApproval(t.service.features.db, { organizationId: organization.id, id }, 'done')
      const { error } = (await waiting).structuredContent
      assert.equal(error.code, 'approval_used')
      assert.ok(error.message.includes(callId), error.message)
      assert.deepEqual(received, [])
      assert.deepEqual(await eventsOf(id), ['approval.requested', 'approval.executed done'])
    })

    it('an account that was linked again is another one, a refreshed token is not [approval.account]', async () => {
      const { api, user, ask, approve, call } = await open()
      await api('POST', '/policy-rules', {
        name: 'Notes',
        effect: 'ask',
        tools: ['sandbox-notes__create_note'],
      })
      const note = { title: 'Approved', text: 'Once' }
      const options = { name: 'sandbox-notes__create_note' }
      const link = async () => {
        const { body } = await api('POST', `/registered-users/${user.id}/link-token`, {
          Connector: 'sandbox-notes',
        })
        await linkNotes(createBrowserUser(), body.magic_link_url)
      }
      assert.equal(
        (await call(note, options)).structuredContent.type,
        'authenticate_meta',
        'nobody is asked before there is an account',
      )
      await link()
      const first = await ask(note, options)
      await t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [
        user.id,
      ])
      assert.equal(await ask(note, options), first)
      await approve(first)
      await link()
      const second = await ask(note, options)
      assert.notEqual(second, first)
      await approve(second)
      assert.equal((await call(note, options)).structuredContent.title, 'Approved')
    })

    it('the call that a person sees has the roles that the connector file gives its arguments [approval.roles]', async () => {
      const { api, user, ask, member } = await open()
      const requests = { methods: ['POST'], paths: ['/notes/api/*'] }
      const { body: pack } = await api('POST', '/tool-packs', {
        name: 'Notes',
        connectors: [{ slug: 'sandbox-notes', requests }],
      })
      await api('POST', '/policy-rules', { name: 'Notes', effect: 'ask', tools: ['sandbox-notes__*'] })
      const { body: token } = await api('POST', `/registered-users/${user.id}/link-token`, {
        Connector: 'sandbox-notes',
      })
      await linkNotes(createBrowserUser(), token.magic_link_url)
      const rolesIn = async (id: string) =>
        (await member.call('GET', `/api/v1/approvals/${id}/call`)).body.roles
      const note = { title: 'Roles', text: 'Two texts' }
      const ofPack = { packId: pack.id }
      const asked = await ask(note, { ...ofPack, name: 'sandbox-notes__create_note' })
      assert.deepEqual(await rolesIn(asked), { title: 'text', text: 'text' })
      const raw = { method: 'POST', path: '/notes/api/notes', body: note }
      assert.deepEqual(await rolesIn(await ask(raw, { ...ofPack, name: 'sandbox-notes__request' })), {})
      assert.deepEqual(await rolesIn(await ask(SEND)), {}, 'a tool of an MCP server')
    })

    it('a repeat with the same idempotency key returns the answer of the approved call [approval.idempotency]', async () => {
      const { ask, approve, call, errorOf } = await open()
      const meta = { 'Idempotency-Key': 'payment-1' }
      await approve(await ask(SEND, { meta }))
      assert.equal((await call(SEND, { meta })).content[0].text, 'paid')
      assert.equal((await call(SEND, { meta })).content[0].text, 'paid')
      assert.equal(received.length, 1)
      await t.query('delete from tool_call_answers')
      assert.equal(
        (await errorOf(SEND, { meta })).code,
        'approval_used',
        'without its answer, it is not made again',
      )
      assert.equal(received.length, 1)
    })

    it('a failed call uses its approval up, and one whose process died ends as unknown [approval.failed]', async () => {
      const { api, ask, approve, call, read, eventsOf, errorOf } = await open()
      const failing = await ask(SEND)
      await approve(failing)
      isBroken = true
      const { error } = (await call(SEND)).structuredContent
      isBroken = false
      // The server may have carried it out.
      assert.deepEqual([error.carried_out, (await read(failing)).status], ['unknown', 'unknown'])
      const { tool_call_id } = await read(failing)
      const { body: record } = await api('GET', `/tool-calls/${tool_call_id}`)
      assert.equal(record.outcome, 'error')
      const lost = await ask({ a: 1 })
      await approve(lost)
      await t.query(
        `update approvals set status = 'executing', tool_call_id = '019a0000-0000-7000-8000-000000000001' where id = $1`,
        [lost],
      )
      await endApprovals(t.service.features.db)
      assert.equal((await read(lost)).status, 'executing', 'until the time for its call is over')
      await t.moveClock(6 * MINUTE)
      await endApprovals(t.service.features.db)
      assert.deepEqual(await eventsOf(lost), [
        'approval.requested',
        'approval.decided approve',
        'approval.executed unknown',
      ])
      assert.equal((await errorOf({ a: 1 })).code, 'approval_used')
    })

    it('survives a rotation of the user’s key between decision and call [approval.once]', async () => {
      const { organization, user, ask, approve, call, member } = await open()
      const id = await ask(SEND)
      await approve(id)
      const { vault, db } = t.service.features
      const keyIn = async (wrapped: Buffer) => vault.openUserKey(organization.id, user.id, wrapped)
      const [{ data_key }] = await t.query('select data_key from registered_users where id = $1', [user.id])
      const next = await vault.createUserKey(organization.id, user.id)
      const { rows } = carryOver(await keyIn(data_key), await keyIn(next), organization.id, user.id, [])
      await previousUserKeysStore.keep(db, organization.id, rows)
      await t.query('update registered_users set data_key = $2 where id = $1', [user.id, next])
      const seen = await member.call('GET', `/api/v1/approvals/${id}/call`)
      assert.deepEqual(seen.body.arguments, SEND)
      assert.equal((await call(SEND)).content[0].text, 'paid')
    })

    it('an index that was changed in the database runs no other call [approval.exact]', async () => {
      const { ask, approve, call } = await open()
      const approved = await ask(SEND)
      await approve(approved)
      const other = await ask({ ...SEND, to: 'eve@example.com' })
      const [row] = await t.query<{ call_hash: Buffer }>('select call_hash from approvals where id = $1', [
        other,
      ])
      await t.query(`delete from approvals where id = $1`, [other])
      await t.query('update approvals set call_hash = $2 where id = $1', [approved, row?.call_hash])
      const forged = await call({ ...SEND, to: 'eve@example.com' })
      assert.ok(forged.isError ?? forged.error, JSON.stringify(forged))
      assert.deepEqual(received, [])
    })

    it('Explain says that a call would wait for an approval, and asks nobody [approval.explain]', async () => {
      const { api, user } = await open()
      const explain = async (body: object) =>
        (await api('POST', '/explain', { registered_user_id: user.id, tool: 'bank__pay', ...body })).body
      const { would, first_failed, allowed } = await explain({ arguments: SEND })
      assert.deepEqual([would, first_failed, allowed], ['request_approval', 'approval', false])
      assert.equal((await explain({})).would, 'run')
      assert.deepEqual((await api('GET', '/approvals')).body.data, [])
    })

    it('a key can add a rule that asks, but not to a policy that denies everything else [policy.keys]', async () => {
      const { api } = await open()
      const rule = (name: string) => api('POST', '/policy-rules', { name, effect: 'ask', tools: ['*'] })
      assert.equal((await rule('One')).status, 201)
      assert.equal((await api('PUT', '/policy', { default: 'ask' })).status, 200)
      assert.equal((await rule('Two')).status, 201)
      assert.equal((await api('PUT', '/policy', { default: 'deny' })).status, 200)
      assert.equal((await rule('Three')).body.error.code, 'key_group_required')
    })
  })
