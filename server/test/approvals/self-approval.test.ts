import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

describe('approvals of calls of one’s own', () => {
  let t: TestService
  let server: HostileServer
  before(async () => {
    t = await joinTestService()
    server = await startHostileMcp()
    server.reset({
      'tools/list': exchange =>
        result(exchange, {
          tools: [{ name: 'pay', inputSchema: { type: 'object', additionalProperties: true } }],
        }),
      'tools/call': exchange => result(exchange, { content: [{ type: 'text', text: 'paid' }] }),
    })
  })
  after(async () => {
    await t.stop()
    await server.close()
  })

  let organizations = 0
  /** An organization of two members, one of whom is also its user. */
  const open = async (rule: object) => {
    const organization = await t.createOrganization(`Self approvals ${++organizations}`)
    const { key } = organization
    const call = (method: string, path: string, body?: unknown, by = key) =>
      t.call(method, `/api/v1${path}`, { key: by, ...(body !== undefined && { body }) })
    const must = async (...of: Parameters<typeof call>) => {
      const answer = await call(...of)
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    await must('POST', '/connectors', { name: 'Bank', slug: 'bank', url: server.url })
    const created = await must('POST', '/api-keys', { mode: 'production' })
    await t.query(`update api_keys set groups = '{policies}' where id = $1`, [created.id])
    const policyKey: string = created.key
    const asks = { name: 'Payments', effect: 'ask', tools: ['bank__pay'], ...rule }
    const { id: ruleId } = await must('POST', '/policy-rules', asks)
    const member = () => signInPerson(t, { role: 'security', organizationId: organization.id })
    const [own, other] = [await member(), await member()]
    const [{ email } = { email: '' }] = await t.query<{ email: string }>(
      'select email from people where id = $1',
      [own.id],
    )
    const user = await t.createUser({ origin_user_id: 'own', email: email.toUpperCase() }, key)
    const pay = async (amount: number) => {
      const { body } = await t.mcp(
        user.id,
        'tools/call',
        { name: 'bank__pay', arguments: { amount } },
        { key, packId: organization.toolPackId },
      )
      return body.result
    }
    const ask = async (amount: number): Promise<string> => (await pay(amount)).structuredContent.approval_id
    const decide = async (by: typeof own, id: string, decision: string) => {
      const { approval_digest } = await must('GET', `/approvals/${id}`)
      return by.call('POST', `/api/v1/approvals/${id}/decision`, { body: { decision, approval_digest } })
    }
    return { call, must, policyKey, path: `/policy-rules/${ruleId}`, own, other, ask, pay, decide }
  }

  it('the member who is the user cannot approve, but deny; another member can approve [approval.self]', async () => {
    const { own, other, ask, pay, decide, must } = await open({ prevent_self_approval: true })
    const first = await ask(1)
    const refused = await decide(own, first, 'approve')
    assert.equal(refused.body.error.code, 'approver_mismatch')
    assert.match(refused.body.error.message, /your email address/)
    const approval = await must('GET', `/approvals/${first}`)
    assert.deepEqual(
      [approval.status, approval.decisions, approval.rules[0].prevent_self_approval],
      ['pending', [], true],
    )
    assert.equal((await decide(other, first, 'approve')).body.status, 'approved')
    assert.equal((await pay(1)).content[0].text, 'paid')
    assert.equal((await decide(own, await ask(2), 'deny')).body.status, 'denied')
  })

  it('a rule that begins to require it does not run what the user has approved [approval.self]', async () => {
    const { own, ask, pay, decide, must, path } = await open({})
    const id = await ask(1)
    assert.equal((await decide(own, id, 'approve')).body.status, 'approved')
    await must('PATCH', path, { prevent_self_approval: true })
    assert.equal((await pay(1)).structuredContent.type, 'approval_meta')
    const ended = await must('GET', `/approvals/${id}`)
    assert.deepEqual([ended.status, ended.void_reason], ['void', 'policy_changed'])
  })

  it('a key can turn it on, but not off, and only for rules that members decide about [approval.self]', async () => {
    const { call, must, policyKey, path } = await open({})
    assert.equal((await must('PATCH', path, { prevent_self_approval: true })).prevent_self_approval, true)
    const off = await call('PATCH', path, { prevent_self_approval: false })
    assert.equal(off.body.error.code, 'key_group_required')
    const users = await call('PATCH', path, { approvers: ['user'] }, policyKey)
    assert.deepEqual([users.status, users.body.error.param], [400, 'prevent_self_approval'])
    await must('PATCH', path, { prevent_self_approval: false, approvers: ['user'] }, policyKey)
  })
})
