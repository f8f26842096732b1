import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser, linkNotes, type Page } from '../support/browser-user.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const CREATE = 'sandbox-notes__create_note'
/** Tools of MCP servers count as destructive. */
const PAY = 'bank__pay'

describe('approvals by anyone with the link', () => {
  let t: TestService
  let server: HostileServer
  before(async () => {
    t = await joinTestService()
    server = await startHostileMcp()
    server.reset({
      'tools/list': exchange =>
        result(exchange, { tools: [{ name: 'pay', title: 'Pay', inputSchema: { type: 'object' } }] }),
    })
  })
  after(async () => {
    await t.stop()
    await server.close()
  })

  let organizations = 0
  /** An organization that asks its users before every new note and every payment. */
  const open = async () => {
    const organization = await t.createOrganization(`Link approvals ${++organizations}`)
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
    // Only an administrator can create such a key.
    await t.query(`update api_keys set groups = '{policies}' where id = $1`, [created.id])
    const policyKey: string = created.key
    const rule = { name: 'Writing', effect: 'ask', tools: [CREATE, PAY], approvers: ['user'] }
    await must('POST', '/policy-rules', rule, policyKey)
    const bind = (binding: string, by = policyKey, more: object = {}) =>
      call('PUT', '/policy', { default: 'allow', approval_binding: binding, ...more }, by)
    const ana = await t.createUser({ origin_user_id: 'ana' }, key)
    await linkNotes(createBrowserUser(), (await t.mint(ana.id, {}, key)).magic_link_url)
    const ask = async (name: string, args: object) => {
      const { body } = await t.mcp(
        ana.id,
        'tools/call',
        { name, arguments: args },
        { key, packId: organization.toolPackId },
      )
      return body.result
    }
    const statusOf = async (id: string): Promise<string> => (await must('GET', `/approvals/${id}`)).status
    return { organization, key, call, must, bind, ana, ask, statusOf }
  }
  const NOTE = { title: 'Standup', text: 'Daily' }
  const view = async (
    url: string,
  ): Promise<{ browser: ReturnType<typeof createBrowserUser>; page: Page }> => {
    const browser = createBrowserUser()
    return { browser, page: await browser.submit(await browser.open(url), /\/view/) }
  }

  it('shows the call after a click, approves it once, remembers nothing, and is recorded as such [approval.link]', async () => {
    const { ask, must, bind, statusOf, ana } = await open()
    assert.equal((await bind('link')).body.approval_binding, 'link')
    const { approval_id: id, approval_url: url } = (await ask(CREATE, NOTE)).structuredContent
    const entry = await createBrowserUser().open(url)
    assert.doesNotMatch(entry.html, /Standup|Notes/, 'opening the link shows nothing yet')
    const { browser, page } = await view(url)
    assert.match(page.html, /Standup/)
    assert.doesNotMatch(page.html, /name="remember"/)
    assert.equal(await statusOf(id), 'pending')
    // The form for remembering is not offered, and not accepted either.
    const decided = await browser.submit(page, /\/approve(?:\?|$)/, { remember: 'hour' })
    assert.match(decided.title, /You approved it/)
    assert.deepEqual((await must('GET', '/approval-grants')).data, [])
    const approval = await must('GET', `/approvals/${id}`)
    assert.deepEqual(
      approval.decisions.map(({ decision, by, by_link: byLink }: any) => [
        decision,
        by.registered_user_id,
        byLink,
      ]),
      [['approve', ana.id, true]],
    )
    assert.ok(!(await ask(CREATE, NOTE)).isError)
    assert.equal(await statusOf(id), 'done')
    const { data } = await must('GET', '/audit-entries?limit=20')
    const entryOfDecision = data.find(({ action }: any) => action === 'approval.decided')
    assert.ok(
      entryOfDecision.changes.some(({ field, to }: any) => field === 'by_link' && to === true),
      JSON.stringify(entryOfDecision.changes),
    )
  })

  it('a destructive call needs an identified user, also with forged forms [approval.link]', async () => {
    const { ask, bind, statusOf } = await open()
    await bind('link')
    const { approval_id: id, approval_url: url } = (await ask(PAY, {})).structuredContent
    const browser = createBrowserUser()
    const entry = await browser.open(url)
    assert.match(entry.html, /Open this request in/)
    const [, token] = /name="form_token" value="([^"]+)"/.exec(entry.html) ?? []
    for (const action of ['view', 'approve', 'deny']) {
      const form = `<form action="${url}/${action}"><input type="hidden" name="form_token" value="${token}"></form>`
      await browser.submit({ ...entry, html: form }, new RegExp(action))
    }
    assert.doesNotMatch((await browser.open(url)).html, /Bank/)
    assert.equal(await statusOf(id), 'pending')
  })

  it('the form of one browser begins nothing in another [approval.link]', async () => {
    const { ask, bind } = await open()
    await bind('link')
    const { approval_url: url } = (await ask(CREATE, NOTE)).structuredContent
    const entry = await createBrowserUser().open(url)
    const other = createBrowserUser()
    await other.open(url)
    assert.equal((await other.submit(entry, /\/view/)).status, 403)
  })

  it('only those who may loosen policies turn it on; any production key turns it off [policy.keys]', async () => {
    const { bind, must, key, organization } = await open()
    assert.equal((await must('GET', '/policy')).approval_binding, 'identified')
    assert.equal((await bind('link', key)).body.error.code, 'key_group_required')
    const ofPack = await bind('link', undefined, { tool_pack_id: organization.toolPackId })
    assert.deepEqual([ofPack.status, ofPack.body.error.param], [400, 'approval_binding'])
    const packPolicy = await must('GET', `/policy?tool_pack_id=${organization.toolPackId}`)
    assert.equal(packPolicy.approval_binding, null)
    assert.equal((await bind('link')).status, 200)
    // What is omitted stays.
    assert.equal((await must('PUT', '/policy', { default: 'allow' })).approval_binding, 'link')
    assert.equal((await bind('identified', key)).body.approval_binding, 'identified')
    assert.equal((await bind('link', key)).body.error.code, 'key_group_required')
  })

  it('turning it off ends open pages, and voids what was approved with it [approval.link]', async () => {
    const { ask, bind, key, statusOf, must } = await open()
    await bind('link')
    const { approval_id: approved, approval_url: url } = (await ask(CREATE, NOTE)).structuredContent
    const first = await view(url)
    await first.browser.submit(first.page, /\/approve(?:\?|$)/)
    assert.equal(await statusOf(approved), 'approved')
    const waiting = (await ask(CREATE, { ...NOTE, title: 'Retro' })).structuredContent
    const second = await view(waiting.approval_url)
    assert.match(second.page.html, /Retro/)
    await bind('identified', key)
    await second.browser.submit(second.page, /\/approve(?:\?|$)/)
    assert.equal(await statusOf(waiting.approval_id), 'pending')
    assert.doesNotMatch((await second.browser.open(waiting.approval_url)).html, /Retro/)
    const repeated = (await ask(CREATE, NOTE)).structuredContent
    assert.equal(repeated.type, 'approval_meta')
    assert.notEqual(repeated.approval_id, approved)
    const ended = await must('GET', `/approvals/${approved}`)
    assert.deepEqual([ended.status, ended.void_reason], ['void', 'policy_changed'])
  })
})
