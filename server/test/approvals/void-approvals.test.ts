import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { endApprovals } from '../../src/features/approvals/end-approvals.ts'
import { createJobs } from '../../src/worker.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const CREATE = 'sandbox-notes__create_note'
const NOTE = { title: 'A', text: 'b' }
const PAY = 'bank__pay'

describe('approvals whose ground changes', () => {
  let t: TestService
  let server: HostileServer
  let description: string
  let received: number
  before(async () => {
    t = await joinTestService()
    server = await startHostileMcp()
    server.reset({
      'tools/list': exchange =>
        result(exchange, { tools: [{ name: 'pay', description, inputSchema: { type: 'object' } }] }),
      'tools/call': exchange => {
        received++
        return result(exchange, { content: [{ type: 'text', text: 'paid' }] })
      },
    })
  })
  after(async () => {
    await t.stop()
    await server.close()
  })

  let organizations = 0
  /** An organization that asks members before every new note and every payment. */
  const open = async (rule: object = {}) => {
    received = 0
    description = 'Pays.'
    t.sandbox.reset()
    const organization = await t.createOrganization(`Void ${++organizations}`)
    const { key } = organization
    const member = await signInPerson(t, { role: 'admin', organizationId: organization.id })
    const must = async (method: string, path: string, body?: unknown, by?: string) => {
      const of = body === undefined ? {} : { body }
      const answer = by
        ? await t.call(method, `/api/v1${path}`, { key: by, ...of })
        : await member.call(method, `/api/v1${path}`, of)
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    await must('POST', '/connectors', { name: 'Bank', slug: 'bank', url: server.url }, key)
    const asks = { name: 'Asks', effect: 'ask', tools: [CREATE, PAY], ...rule }
    const { id: ruleId } = await must('POST', '/policy-rules', asks)
    const user = await t.createUser({}, key)
    const link = async (userId = user.id, account = 'ana') =>
      linkNotes(createBrowserUser(), (await t.mint(userId, {}, key)).magic_link_url, { account })
    const call = async (name = CREATE, args: object = NOTE, userId = user.id) => {
      const { body } = await t.mcp(
        userId,
        'tools/call',
        { name, arguments: args },
        { key, packId: organization.toolPackId },
      )
      return body.result.structuredContent ?? body.result.content[0].text
    }
    const ask = async (...of: Parameters<typeof call>): Promise<string> => {
      const meta = await call(...of)
      assert.equal(meta.type, 'approval_meta', JSON.stringify(meta))
      return meta.approval_id
    }
    const decide = async (id: string) => {
      const { approval_digest } = await must('GET', `/approvals/${id}`)
      return member.call('POST', `/api/v1/approvals/${id}/decision`, {
        body: { decision: 'approve', approval_digest },
      })
    }
    const approve = async (id: string): Promise<void> => {
      assert.equal((await decide(id)).body.status, 'approved')
    }
    const endOf = async (id: string) => {
      const { status, void_reason } = await must('GET', `/approvals/${id}`)
      return [status, void_reason]
    }
    /** Asks twice, approves once, makes the change, and expects both approvals to be void. */
    const expectVoid = async (
      reason: string,
      change: () => Promise<unknown>,
      tool = CREATE,
      userId = user.id,
    ) => {
      const pending = await ask(tool, { ...NOTE, title: 'Pending' }, userId)
      const approved = await ask(tool, NOTE, userId)
      await approve(approved)
      await change()
      assert.equal((await decide(pending)).body.error.code, 'approval_ended')
      await endApprovals(t.service.features.db)
      for (const id of [pending, approved]) {
        assert.deepEqual(await endOf(id), ['void', reason])
        const { body } = await t.call('GET', '/api/v1/events?limit=100', { key })
        const ended = body.data.find(
          (event: any) => event.type === 'approval.ended' && event.data.approval_id === id,
        )
        assert.deepEqual([ended.data.reason, ended.data.void_reason], ['void', reason])
      }
      assert.equal(t.sandbox.ledger.filter(({ kind }) => kind === 'notes.create').length, 0)
      assert.equal(received, 0)
      return { pending, approved }
    }
    return { organization, key, must, ruleId, user, link, call, ask, approve, endOf, expectVoid, member }
  }
  const accountOf = async ({ must }: Awaited<ReturnType<typeof open>>, userId: string): Promise<string> =>
    (await must('GET', `/registered-users/${userId}/credentials`)).data[0].credential_id

  it('an account that is linked again, to the same or another identity [approval.void]', async () => {
    const opened = await open()
    await opened.link()
    await opened.expectVoid('account_relinked', () => opened.link(opened.user.id, 'ana'))
  })

  it('an account that is disconnected [approval.void]', async () => {
    const opened = await open()
    const { must, user, link, expectVoid } = opened
    await link()
    const path = `/registered-users/${user.id}/credentials/${await accountOf(opened, user.id)}`
    await expectVoid('account_removed', () => must('DELETE', path))
  })

  it('an account that is no longer shared with the user, or whose owner was deactivated [approval.void]', async () => {
    for (const reason of ['account_unshared', 'account_removed']) {
      const opened = await open()
      const { must, key, link, expectVoid } = opened
      const owner = await t.createUser({}, key)
      await link(owner.id)
      const path = `/registered-users/${owner.id}`
      const access = `${path}/credentials/${await accountOf(opened, owner.id)}/access`
      await must('PUT', access, { everyone: true })
      await expectVoid(reason, () =>
        reason === 'account_unshared'
          ? must('PUT', access, { everyone: false })
          : must('PATCH', path, { is_active: false }),
      )
    }
  })

  it('a tool whose definition changes or that is removed [approval.void]', async () => {
    const first = await open()
    const accept = async () => {
      description = 'Pays and tips.'
      const { pending } = await first.must('POST', '/connectors/bank/tools/check')
      await first.must('POST', '/connectors/bank/tools/accept', { hash: pending.hash })
    }
    await first.expectVoid('tool_changed', accept, PAY)
    const second = await open()
    await second.expectVoid('tool_changed', () => second.must('DELETE', '/connectors/bank'), PAY)
  })

  it('a tool of a connector file that a deployment changes; others stay open [approval.void]', async () => {
    const { organization, link, ask, endOf, expectVoid } = await open()
    await link()
    const endDue = createJobs(t.service.features).find(({ name }) => name === 'end-approvals')
    const other = await ask(CREATE, { ...NOTE, title: 'Asked after the deployment' })
    const deploy = async () => {
      await t.query(
        `update approvals set file_tool_hash = 'of the file before' where organization_id = $1 and id <> $2`,
        [organization.id, other],
      )
      await endDue?.run()
    }
    await expectVoid('tool_changed', deploy)
    assert.deepEqual(await endOf(other), ['pending', null])
    await ask()
  })

  it('a user who is deactivated [approval.void]', async () => {
    const { must, user, expectVoid } = await open()
    await expectVoid(
      'user_deactivated',
      () => must('PATCH', `/registered-users/${user.id}`, { is_active: false }),
      PAY,
    )
  })

  it('a rule that asks other people: neither the decision nor the request counts any more [approval.void]', async () => {
    const { must, ruleId, ask, approve, endOf, call } = await open()
    const [pending, approved] = [await ask(PAY, { a: 1 }), await ask(PAY, { a: 2 })]
    await approve(approved)
    await must('PATCH', `/policy-rules/${ruleId}`, { approvers: ['user'] })
    const [again, anew] = [await ask(PAY, { a: 1 }), await ask(PAY, { a: 2 })]
    for (const id of [pending, approved]) assert.deepEqual(await endOf(id), ['void', 'policy_changed'])
    assert.ok(again !== pending && anew !== approved)
    // More people may decide than before, so what was asked still applies.
    await must('PATCH', `/policy-rules/${ruleId}`, { approvers: ['user', 'members'] })
    assert.equal(await ask(PAY, { a: 1 }), again)
    await approve(await ask(PAY, { a: 3 }))
    assert.equal(await call(PAY, { a: 3 }), 'paid')
    assert.equal(received, 1)
  })

  it('a call that is denied when it is repeated does not run later [approval.void]', async () => {
    const { must, ask, approve, endOf, call } = await open()
    const [id, other] = [await ask(PAY, { a: 1 }), await ask(PAY, { a: 2 })]
    await approve(id)
    await approve(other)
    const rule = { name: 'Not now', effect: 'deny', tools: [PAY] }
    const { id: denying } = await must('POST', '/policy-rules', rule)
    assert.equal((await call(PAY, { a: 1 })).error.code, 'policy_denied')
    assert.deepEqual(await endOf(id), ['void', 'policy_changed'])
    await must('DELETE', `/policy-rules/${denying}`)
    assert.notEqual(await ask(PAY, { a: 1 }), id)
    assert.equal(await call(PAY, { a: 2 }), 'paid', 'another call was not repeated while it was denied')
  })

  it('another identity provider ends what users were asked, and not what members were asked [approval.void]', async () => {
    const { must, key, ask, endOf } = await open({ approvers: ['user', 'members'] })
    await must('POST', '/policy-rules', { name: 'Members', effect: 'ask', tools: [CREATE] })
    await must('PUT', '/sign-in', { sign_in_url: 'https://app.example/in' }, key)
    const ofUser = await ask(PAY)
    await must('DELETE', '/sign-in', undefined, key)
    await endApprovals(t.service.features.db)
    assert.deepEqual(await endOf(ofUser), ['void', 'sign_in_changed'])
    const second = await open()
    await second.must('PUT', '/sign-in', { sign_in_url: 'https://app.example/in' }, second.key)
    const ofMembers = await second.ask(PAY)
    await second.must('DELETE', '/sign-in', undefined, second.key)
    await endApprovals(t.service.features.db)
    assert.deepEqual(await second.endOf(ofMembers), ['pending', null])
  })

  it('a call that waits for a void approval ends with that error [approval.void]', async () => {
    const { must, user, key, organization, link } = await open()
    await link()
    const waiting = t.mcp(
      user.id,
      'tools/call',
      { name: CREATE, arguments: NOTE },
      { key, packId: organization.toolPackId, query: '?wait=60' },
    )
    for (;;) {
      const { data } = await must('GET', '/approvals?status=pending')
      if (data.length > 0) break
    }
    await link()
    await endApprovals(t.service.features.db)
    const { body } = await waiting
    assert.equal(body.result.structuredContent.error.code, 'approval_void')
  })
})
