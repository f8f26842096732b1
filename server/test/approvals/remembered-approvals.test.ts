import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser, linkNotes, type Page } from '../support/browser-user.ts'
import { signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const CREATE = 'sandbox-notes__create_note'
const RETURN_URL = 'http://127.0.0.1:4999/application/approved'

describe('remembered approvals', () => {
  let t: TestService
  before(async () => {
    t = await joinTestService()
  })
  after(() => t.stop())

  let organizations = 0
  /** An organization that asks its users before every new note. */
  const open = async (rule: object = {}) => {
    const organization = await t.createOrganization(`Remembered approvals ${++organizations}`)
    const { key } = organization
    const call = (method: string, path: string, body?: unknown, by = key) =>
      t.call(method, `/api/v1${path}`, { key: by, ...(body !== undefined && { body }) })
    const must = async (...of: Parameters<typeof call>) => {
      const answer = await call(...of)
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    await must('POST', '/callback-origins', { origin: new URL(RETURN_URL).origin })
    const keyOf = async (group: string): Promise<string> => {
      const created = await must('POST', '/api-keys', { mode: 'production' })
      // Only an administrator can create such a key.
      await t.query(`update api_keys set groups = array[$2] where id = $1`, [created.id, group])
      return created.key
    }
    const policyKey = await keyOf('policies')
    const approvalKey = await keyOf('approvals')
    const notes = { name: 'Notes', effect: 'ask', tools: [CREATE], approvers: ['user'], ...rule }
    await must('POST', '/policy-rules', notes, policyKey)
    const user = async (name: string) => {
      const created = await t.createUser({ origin_user_id: name }, key)
      await linkNotes(createBrowserUser(), (await t.mint(created.id, {}, key)).magic_link_url, {
        account: name,
      })
      return created
    }
    const ana = await user('ana')
    const create = async (title: string, text: string, userId = ana.id, by = key) => {
      const { body } = await t.mcp(
        userId,
        'tools/call',
        { name: CREATE, arguments: { title, text } },
        { key: by, packId: organization.toolPackId },
      )
      return body.result
    }
    /** A call that has just been made would not be made again, whoever asked for it. */
    const runs = async (...of: Parameters<typeof create>): Promise<boolean> => {
      await t.query(
        `update approvals set ended_at = ended_at - interval '1 hour' where organization_id = $1`,
        [organization.id],
      )
      const { structuredContent: content, isError } = await create(...of)
      assert.ok(!isError, JSON.stringify(content))
      return content.type !== 'approval_meta'
    }
    const linkTo = async (id: string): Promise<Page> => {
      const body = { registered_user_id: ana.id, return_url: RETURN_URL }
      const link = await must('POST', `/approvals/${id}/link`, body, approvalKey)
      return browser.open(link.url)
    }
    const browser = createBrowserUser()
    const confirm = async () => {
      const code = new URL(browser.lastLocation ?? '').searchParams.get('code')
      return must('POST', '/approvals/confirm', { code, registered_user_id: ana.id }, approvalKey)
    }
    /** The user approves the call on the page, with the choice of its form. */
    const approve = async (title: string, text: string, choice: Record<string, string> = {}) => {
      const { approval_id: id } = (await create(title, text)).structuredContent
      await browser.submit(await linkTo(id), /\/approve(?:\?|$)/, choice)
      await confirm()
      assert.ok(await runs(title, text), 'the approved call')
      return id
    }
    return { organization, key, policyKey, ana, user, call, must, create, runs, approve, linkTo }
  }
  const grantsOf = async ({ must }: Awaited<ReturnType<typeof open>>) =>
    (await must('GET', '/approval-grants')).data

  it('the same call runs without asking again, any other asks; not for another user, key or pack [approval.remember]', async () => {
    const opened = await open()
    const { approve, runs, must, user, key } = opened
    const id = await approve('Standup', 'Daily', { remember: 'hour' })
    const [grant, ...others] = await grantsOf(opened)
    assert.deepEqual([grant.approval_id, grant.any_text, grant.uses, grant.max_uses], [id, false, 0, 10])
    assert.equal(others.length, 0)
    assert.ok(await runs('Standup', 'Daily'))
    const approvals = (await must('GET', '/approvals')).data
    assert.deepEqual([approvals[0].status, approvals[0].grant_id], ['done', grant.id])
    assert.equal(approvals[0].decisions[0].by.registered_user_id, grant.approved_by)
    assert.equal(await runs('Standup', 'Weekly'), false, 'another text')
    assert.equal(await runs('standup', 'Daily'), false, 'another title')
    const ben = await user('ben')
    assert.equal(await runs('Standup', 'Daily', ben.id), false, 'another user')
    const second = await must('POST', '/api-keys', { mode: 'production' }, key)
    assert.equal(await runs('Standup', 'Daily', undefined, second.key), false, 'another key')
    const { data: keys } = await must('GET', '/api-keys')
    const own = keys.find(({ hint }: { hint: string }) => key.endsWith(hint.slice(-4)))
    const rolled = await must('POST', `/api-keys/${own.id}/roll`)
    assert.ok(await runs('Standup', 'Daily', undefined, rolled.key), 'the rolled key')
  })

  it('with any text, texts may differ but must be there; uses and time are limited [approval.remember]', async () => {
    const opened = await open()
    const { approve, runs, organization } = opened
    await approve('Log', 'One', { remember: 'hour', remember_texts: 'yes' })
    for (let use = 1; use <= 10; use++) assert.ok(await runs('Log', `Entry ${use}`), `use ${use}`)
    assert.equal(await runs('Log', 'Entry 11'), false, 'used up')
    assert.deepEqual(await grantsOf(opened), [])

    await approve('Diary', 'Monday', { remember: 'day', remember_texts: 'yes' })
    assert.ok(await runs('Diary', 'Tuesday'))
    await t.query(`update approval_grants set expires_at = app_now() where organization_id = $1`, [
      organization.id,
    ])
    assert.equal(await runs('Diary', 'Wednesday'), false, 'expired')
  })

  it('another rule, a changed approver or a relinked account asks again [approval.remember]', async () => {
    const { approve, runs, must, policyKey, ana, key } = await open()
    await approve('Plan', 'A', { remember: 'month' })
    assert.ok(await runs('Plan', 'A'))
    const rule = { name: 'Also', effect: 'ask', tools: [CREATE], approvers: ['user'] }
    const { id } = await must('POST', '/policy-rules', rule, policyKey)
    assert.equal(await runs('Plan', 'A'), false, 'another rule')
    await must('DELETE', `/policy-rules/${id}`, undefined, policyKey)
    const [waiting] = (await must('GET', '/approvals?status=pending')).data
    await must('POST', `/approvals/${waiting.id}/withdraw`)
    assert.ok(await runs('Plan', 'A'), 'the rules are the same again')
    const { data: rules } = await must('GET', '/policy-rules')
    await must('PATCH', `/policy-rules/${rules[0].id}`, { approvers: ['user', 'members'] }, policyKey)
    assert.equal(await runs('Plan', 'A'), false, 'another approver')
    await must('PATCH', `/policy-rules/${rules[0].id}`, { approvers: ['user'] }, policyKey)
    const [again] = (await must('GET', '/approvals?status=pending')).data
    await must('POST', `/approvals/${again.id}/withdraw`)
    await linkNotes(createBrowserUser(), (await t.mint(ana.id, {}, key)).magic_link_url, { account: 'ana' })
    assert.equal(await runs('Plan', 'A'), false, 'linked again')
  })

  it('is not offered where members must approve, and a forged choice is not stored [approval.remember]', async () => {
    const opened = await open({ approvers: ['user'] })
    const { must, policyKey, create, linkTo, approve, runs } = opened
    await must('POST', '/policy-rules', { name: 'Both', effect: 'ask', tools: [CREATE] }, policyKey)
    const { approval_id: id } = (await create('A', 'b')).structuredContent
    assert.doesNotMatch((await linkTo(id)).html, /name="remember"/)
    const { data: rules } = await must('GET', '/policy-rules')
    const both = rules.find(({ name }: { name: string }) => name === 'Both')
    await must('DELETE', `/policy-rules/${both.id}`, undefined, policyKey)
    await must('POST', `/approvals/${id}/withdraw`)
    await approve('A', 'c', { remember: 'forever' })
    assert.deepEqual(await grantsOf(opened), [])
    // The repeat of a call that was carried out is not made again.
    const { structuredContent } = await create('A', 'c')
    assert.equal(structuredContent.error?.code, 'approval_used')
    assert.equal(await runs('A', 'd'), false)
  })

  it('is revoked by key, by another identity provider, and with its approver [approval.remember]', async () => {
    const opened = await open()
    const { approve, runs, must, call, ana } = opened
    await approve('R', '1', { remember: 'month' })
    const [grant] = await grantsOf(opened)
    await must('DELETE', `/approval-grants/${grant.id}`)
    assert.equal((await call('DELETE', `/approval-grants/${grant.id}`)).status, 204, 'again')
    const unknown = await call('DELETE', `/approval-grants/${ana.id}`)
    assert.equal(unknown.body.error.code, 'approval_grant_not_found')
    assert.equal((await call('GET', '/approval-grants?registered_user_id=x')).body.data.length, 0)
    assert.equal(await runs('R', '1'), false)

    await approve('S', '1', { remember: 'month' })
    await must('PUT', '/sign-in', { sign_in_url: 'https://app.example/in' })
    await must('DELETE', '/sign-in')
    assert.equal(await runs('S', '1'), false)
  })

  it('My connections shows what waits, what is remembered and what was decided; it refuses and revokes, and approves nothing [approval.connections]', async () => {
    const opened = await open()
    const { approve, must, create, runs, ana, organization } = opened
    await approve('T', 'secret text', { remember: 'day' })
    assert.ok(await runs('T', 'secret text'))
    const { approval_id: id } = (await create('U', 'hidden text')).structuredContent
    const { url } = await must('POST', `/registered-users/${ana.id}/connections-link`, {})
    const browser = createBrowserUser()
    const entry = await browser.open(url)
    const page = await browser.submit(entry, /\/open/)
    assert.match(page.html, /Waiting for your decision/)
    assert.match(page.html, /Runs without asking you/)
    assert.match(page.html, /Your latest decisions/)
    assert.equal(
      page.html.match(/· Approved|Approved ·|>Approved/g)?.length ?? 0,
      1,
      'a remembered call is no decision',
    )
    assert.doesNotMatch(page.html, /secret text|hidden text|\/approve/)
    await browser.submit(page, /\/deny/)
    assert.equal((await must('GET', `/approvals/${id}`)).status, 'denied')
    await browser.submit(page, /\/revoke/)
    assert.deepEqual(await grantsOf(opened), [])
    const member = await signInPerson(t, { role: 'admin', organizationId: organization.id })
    const { body } = await member.call('GET', '/api/v1/audit-entries?limit=20')
    const byUser = body.data
      .filter(({ actor }: any) => actor.type === 'user')
      .map(({ action }: any) => action)
    assert.ok(byUser.includes('approval_grant.revoked') && byUser.includes('approval.decided'), byUser.join())
  })
})
