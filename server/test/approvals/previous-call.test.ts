import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const CREATE = 'sandbox-notes__create_note'

describe('the call before the one that waits', () => {
  let t: TestService
  before(async () => {
    t = await joinTestService()
  })
  after(() => t.stop())

  let organizations = 0
  /** An organization that asks about new notes; anyone with the link can decide for the user. */
  const open = async (approvers: string[]) => {
    const organization = await t.createOrganization(`Previous calls ${++organizations}`)
    const { key } = organization
    const must = async (method: string, path: string, body?: unknown, by = key) => {
      const answer = await t.call(method, `/api/v1${path}`, { key: by, ...(body !== undefined && { body }) })
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    const created = await must('POST', '/api-keys', { mode: 'production' })
    await t.query(`update api_keys set groups = '{policies}' where id = $1`, [created.id])
    const rule = { name: 'Notes', effect: 'ask', tools: [CREATE], approvers }
    const { id: ruleId } = await must('POST', '/policy-rules', rule, created.key)
    const setApprovers = (next: string[]) =>
      must('PATCH', `/policy-rules/${ruleId}`, { approvers: next }, created.key)
    await must('PUT', '/policy', { default: 'allow', approval_binding: 'link' }, created.key)
    const user = async (name: string) => {
      const registered = await t.createUser({ origin_user_id: name }, key)
      await linkNotes(createBrowserUser(), (await t.mint(registered.id, {}, key)).magic_link_url)
      return registered.id
    }
    const ana = await user('ana')
    const create = async (args: object, userId = ana) => {
      const { body } = await t.mcp(
        userId,
        'tools/call',
        { name: CREATE, arguments: args },
        { key, packId: organization.toolPackId },
      )
      return body.result.structuredContent
    }
    const member = await signInPerson(t, { role: 'security', organizationId: organization.id })
    const seenByMember = async (id: string) =>
      (await member.call('GET', `/api/v1/approvals/${id}/call`)).body.previous
    const approveAsMember = async (id: string) => {
      const { approval_digest } = await must('GET', `/approvals/${id}`)
      const body = { decision: 'approve', approval_digest }
      assert.equal((await member.call('POST', `/api/v1/approvals/${id}/decision`, { body })).status, 200)
    }
    /** An identical call that has just been made would not be made again. */
    const letTimePass = () =>
      t.query(`update approvals set ended_at = ended_at - interval '1 hour' where organization_id = $1`, [
        organization.id,
      ])
    return { must, user, create, setApprovers, seenByMember, approveAsMember, letTimePass }
  }
  const NOTE = { title: 'Standup', text: 'Daily' }
  const view = async (url: string) => {
    const browser = createBrowserUser()
    return { browser, page: await browser.submit(await browser.open(url), /\/view/) }
  }

  it('members see the last approved call of the same user, and whether it was the same [approval.previous]', async () => {
    const { create, seenByMember, approveAsMember, letTimePass, user } = await open(['members'])
    const { approval_id: first } = await create(NOTE)
    assert.equal(await seenByMember(first), null)
    await approveAsMember(first)
    assert.notEqual((await create(NOTE)).type, 'approval_meta')
    await letTimePass()
    const { approval_id: again } = await create(NOTE)
    const same = await seenByMember(again)
    assert.deepEqual([same.approval_id, same.is_same, same.arguments], [first, true, NOTE])
    const { approval_id: changed } = await create({ ...NOTE, text: 'Weekly' })
    assert.deepEqual((await seenByMember(changed)).is_same, false)
    const { approval_id: ofBen } = await create(NOTE, await user('ben'))
    assert.equal(await seenByMember(ofBen), null)
  })

  it('the page of the user says what differs from the last approved call [approval.previous]', async () => {
    const { create, letTimePass } = await open(['user'])
    const { approval_url: first } = await create({ ...NOTE, text: 'Daily, 10\u202e:00' })
    const opened = await view(first)
    assert.doesNotMatch(opened.page.html, /last time|already carried out/i)
    await opened.browser.submit(opened.page, /\/approve(?:\?|$)/)
    assert.notEqual((await create({ ...NOTE, text: 'Daily, 10\u202e:00' })).type, 'approval_meta')
    await letTimePass()
    const changed = (await view((await create({ ...NOTE, text: 'Weekly' })).approval_url)).page
    assert.match(changed.html, /What differs from the last time/)
    assert.match(changed.html, /<em>Last time<\/em> <span dir="auto">Daily, 10<mark dir="ltr">/)
    assert.doesNotMatch(changed.html, /\u202e/)
    const same = (await view((await create({ ...NOTE, text: 'Daily, 10\u202e:00' })).approval_url)).page
    assert.match(same.html, /The same action was already carried out/)
    assert.doesNotMatch(same.html, /Last time/)
  })

  it('nobody sees an earlier call that they could not decide about [approval.previous]', async () => {
    const { create, setApprovers, seenByMember, letTimePass } = await open(['user'])
    const { approval_url: first } = await create(NOTE)
    const { browser, page } = await view(first)
    await browser.submit(page, /\/approve(?:\?|$)/)
    assert.notEqual((await create(NOTE)).type, 'approval_meta')
    await letTimePass()
    await setApprovers(['members'])
    const { approval_id: id } = await create({ ...NOTE, text: 'Weekly' })
    assert.equal(await seenByMember(id), null)
  })
})
