import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MINUTE } from '../../src/core/duration.ts'
import { endApprovals } from '../../src/features/approvals/end-approvals.ts'
import { createBrowserUser, linkNotes, type Page, readForms } from '../support/browser-user.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { signInPerson } from '../support/person-session.ts'
import {
  configureSignIn,
  redirectUrisOf,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/sign-in.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const TOOLS = ['pay', 'read'].map(name => ({
  name,
  title: `Tool ${name}`,
  inputSchema: { type: 'object', additionalProperties: true },
}))
const MAX_REQUESTS = 200

/** Opens the addresses, and everything that their pages link or submit to. The browser knows no password. */
const visitAll = async (
  browser: ReturnType<typeof createBrowserUser>,
  addresses: readonly string[],
  mayVisit: (address: string) => boolean,
): Promise<Page[]> => {
  const pages: Page[] = []
  const seen = new Set<string>()
  const queue: (() => Promise<Page>)[] = []
  const add = (key: string, visit: () => Promise<Page>): void => {
    if (seen.has(key)) return
    seen.add(key)
    queue.push(visit)
  }
  const open = (address: string): void => add(address, () => browser.open(address))
  for (const address of addresses) open(address)
  for (let visit = queue.shift(); visit && seen.size < MAX_REQUESTS; visit = queue.shift()) {
    const page = await visit()
    pages.push(page)
    const here = new URL(page.url)
    for (const [, href = ''] of page.html.matchAll(/<a\b[^>]*href="([^"]*)"/g)) {
      const target = new URL(href.replaceAll('&amp;', '&'), here)
      if (target.hostname === here.hostname && !target.searchParams.has('lang') && mayVisit(target.href))
        open(target.href)
    }
    for (const { action, fields } of readForms(page)) {
      const values = new URLSearchParams(fields)
      values.delete('form_token')
      add(`POST ${action} ${values.toString()}`, () => browser.submit(page, new RegExp(escapeRegExp(action))))
    }
  }
  return pages
}
const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

const RETURN_URL = 'http://127.0.0.1:4999/application/approved?from=chat'

describe('approvals by users', () => {
  let t: TestService
  let server: HostileServer
  let provider: TestIdentityProvider
  let received: unknown[] = []
  before(async () => {
    t = await joinTestService()
    server = await startHostileMcp()
    server.reset({
      'tools/list': exchange => result(exchange, { tools: TOOLS }),
      'tools/call': exchange => {
        received.push(exchange.message.params.arguments)
        return result(exchange, { content: [{ type: 'text', text: 'paid' }] })
      },
    })
  })
  after(async () => {
    await t.stop()
    await server.close()
  })

  let organizations = 0
  /** An organization that asks the users about payments. Its users sign in at a provider of its own. */
  const open = async (approvers = ['user']) => {
    received = []
    const organization = await t.createOrganization(`User approvals ${++organizations}`)
    const { key } = organization
    const call = (method: string, path: string, body?: unknown, by = key) =>
      t.call(method, `/api/v1${path}`, { key: by, ...(body !== undefined && { body }) })
    const must = async (...of: Parameters<typeof call>) => {
      const answer = await call(...of)
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    await must('POST', '/connectors', { name: 'Bank', slug: 'bank', url: server.url })
    await must('POST', '/callback-origins', { origin: new URL(RETURN_URL).origin })
    const keyOf = async (group: string): Promise<string> => {
      const created = await must('POST', '/api-keys', { mode: 'production' })
      // Only an administrator can create such a key.
      await t.query(`update api_keys set groups = array[$2] where id = $1`, [created.id, group])
      return created.key
    }
    const policyKey = await keyOf('policies')
    const approvalKey = await keyOf('approvals')
    const rule = {
      name: 'Payments',
      effect: 'ask',
      tools: ['bank__pay'],
      approvers,
      reason: 'Payments are final.',
    }
    await must('POST', '/policy-rules', rule, policyKey)
    const ana = await t.createUser({ origin_user_id: 'ana', origin_user_name: 'Ana Ruiz' }, key)
    const ben = await t.createUser({ origin_user_id: 'ben' }, key)
    const pay = async (args: object, userId = ana.id) => {
      const { body } = await t.mcp(
        userId,
        'tools/call',
        { name: 'bank__pay', arguments: args },
        {
          key,
          packId: organization.toolPackId,
        },
      )
      return body.result
    }
    const ask = async (args: object = { amount: 5 }, userId = ana.id) => {
      const { structuredContent: meta } = await pay(args, userId)
      assert.equal(meta?.type, 'approval_meta', JSON.stringify(meta))
      return meta as { approval_id: string; approval_url: string }
    }
    const statusOf = async (id: string): Promise<string> => (await must('GET', `/approvals/${id}`)).status
    return { organization, key, policyKey, approvalKey, ana, ben, call, must, pay, ask, statusOf }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  const withProvider = async (opened: Opened) => {
    provider = await startIdentityProvider(redirectUrisOf(t, opened.organization))
    await configureSignIn(t, provider, {}, opened.policyKey)
    return opened
  }
  /** Signs in at the provider, whose pages ask for a name and for consent. */
  const signIn = async (
    browser: ReturnType<typeof createBrowserUser>,
    url: string,
    login: string,
  ): Promise<Page> => {
    const entry = await browser.open(url)
    assert.match(entry.title, /decision is waiting/)
    const form = await browser.submit(entry, /\/sign-in/)
    let page = await browser.submit(form, /\/interaction\//, { login, password: 'x' })
    if (/\/interaction\//.test(page.url)) page = await browser.submit(page, /\/interaction\//)
    return page
  }

  it('the user signs in for the decision, sees the call and approves it; its repeat runs it, once [approval.user]', async () => {
    const { ask, pay, statusOf, must, ana } = await withProvider(await open())
    try {
      const { approval_id: id, approval_url: url } = await ask({ amount: 5, to: 'acme' })
      const browser = createBrowserUser()
      const page = await signIn(browser, url, 'ana')
      assert.match(page.title, /Approve this action in Bank/)
      for (const shown of [/Tool pay/, /Payments are final/, />acme</, /Ana Ruiz/])
        assert.match(page.html, shown)
      assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
      const decided = await browser.submit(page, /\/approve(?:\?|$)/)
      assert.match(decided.title, /You approved it/)
      const approval = await must('GET', `/approvals/${id}`)
      assert.equal(approval.status, 'approved')
      assert.deepEqual(
        approval.decisions.map(({ decision, by }: any) => [decision, by.type, by.registered_user_id]),
        [['approve', 'user', ana.id]],
      )
      assert.equal((await pay({ to: 'acme', amount: 5 })).content[0].text, 'paid')
      assert.deepEqual(received, [{ amount: 5, to: 'acme' }])
      assert.equal(await statusOf(id), 'done')
      assert.match((await browser.open(url)).title, /^Done/)
    } finally {
      await provider.stop()
    }
  })

  it('without signing in, the page shows nothing about the call; another user cannot decide; nor a browser that was signed in before [approval.user]', async () => {
    const { ask, statusOf } = await withProvider(await open())
    try {
      const { approval_id: id, approval_url: url } = await ask({ to: 'secret-recipient' })
      const agent = createBrowserUser()
      const entry = await agent.open(url)
      assert.doesNotMatch(entry.html, /secret-recipient|Bank|Tool pay|Ana/)
      for (const action of ['approve', 'deny', 'open']) {
        const [, form] = /name="form_token" value="([^"]+)"/.exec(entry.html) ?? []
        const forged = {
          ...entry,
          html: `<form action="${url}/${action}"><input type="hidden" name="form_token" value="${form}"></form>`,
        }
        await agent.submit(forged, new RegExp(action))
      }
      assert.equal(await statusOf(id), 'pending')
      const other = await signIn(createBrowserUser(), url, 'ben')
      assert.equal(other.status, 403)
      assert.match(other.title, /for someone else/)
      assert.doesNotMatch(other.html, /secret-recipient/)
      // A session at the provider is not enough: it asks for the password again.
      const browser = createBrowserUser()
      await signIn(browser, url, 'ana')
      const { approval_url: second } = await ask({ to: 'again' })
      const again = await browser.submit(await browser.open(second), /\/sign-in/)
      assert.match(again.url, /\/interaction\//)
      assert.match(again.html, /name="password"/)
    } finally {
      await provider.stop()
    }
  })

  it('a browser that follows every link and submits every form, after its user has signed in at the provider, approves and remembers nothing [approval.user]', async () => {
    const { ask, pay, statusOf, must, ana, call } = await withProvider(await open())
    try {
      const { approval_url: earlier } = await ask({ to: 'earlier' })
      const browser = createBrowserUser()
      assert.match((await signIn(browser, earlier, 'ana')).title, /Approve this action/)
      const { approval_id: id, approval_url: url } = await ask({ to: 'now' })
      const { link_token: token, magic_link_url: magicLink } = await must(
        'POST',
        `/registered-users/${ana.id}/link-token`,
        {},
      )
      const connections = await must('POST', `/registered-users/${ana.id}/connections-link`, {})
      assert.ok(token)
      // The page of the earlier approval belongs to the person who has signed in for it.
      const pages = await visitAll(
        browser,
        [url, magicLink, connections.url],
        address => !address.includes(earlier),
      )
      assert.ok(
        pages.some(page => /\/interaction\//.test(page.url)),
        'reached the provider',
      )
      assert.ok(pages.length >= 10, pages.map(page => page.url).join('\n'))
      assert.notEqual(await statusOf(id), 'approved')
      assert.deepEqual((await must('GET', '/approval-grants')).data, [])
      assert.equal((await call('GET', '/approvals?status=approved')).body.data.length, 0)
      assert.notEqual((await pay({ to: 'now' })).content[0].text, 'paid')
      assert.deepEqual(received, [])
    } finally {
      await provider.stop()
    }
  })

  it('an unrestricted key cannot replace the provider for decisions, or say who approves [policy.keys]', async () => {
    const { ask, key, call, must, organization } = await withProvider(await open())
    try {
      assert.equal((await must('GET', '/sign-in')).for_approvals, true)
      const { approval_url: url } = await ask()
      const forged = await startIdentityProvider(redirectUrisOf(t, organization))
      try {
        await configureSignIn(t, forged, {}, key)
        assert.equal((await must('GET', '/sign-in')).for_approvals, false)
        const entry = await createBrowserUser().open(url)
        assert.doesNotMatch(entry.html, /\/sign-in/)
        assert.match(entry.html, /Open this request in/)
      } finally {
        await forged.stop()
      }
      const rule = { name: 'Mine', effect: 'ask', tools: ['bank__pay'], approvers: ['user'] }
      assert.equal((await call('POST', '/policy-rules', rule)).body.error.code, 'key_group_required')
      const { data } = await must('GET', '/policy-rules')
      const changed = await call('PATCH', `/policy-rules/${data[0].id}`, { approvers: ['members'] })
      assert.equal(changed.body.error.code, 'key_group_required')
    } finally {
      await provider.stop()
    }
  })

  it('an application sends its signed-in user to the page, and confirms the decision with the code, once [approval.code]', async () => {
    const { ask, pay, statusOf, call, ana, ben, approvalKey, key } = await open()
    const { approval_id: id, approval_url: url } = await ask()
    assert.match((await createBrowserUser().open(url)).html, /Open this request in/)
    const link = (userId: string, by = approvalKey, returnUrl = RETURN_URL) =>
      call('POST', `/approvals/${id}/link`, { registered_user_id: userId, return_url: returnUrl }, by)
    const codeOf = async (answer: ReturnType<typeof link>) => (await answer).body.error.code
    assert.equal(await codeOf(link(ana.id, key)), 'key_group_required')
    assert.equal(await codeOf(link(ben.id)), 'approver_mismatch')
    assert.equal(await codeOf(link(ana.id, approvalKey, 'https://evil.example/')), 'unauthorized_origin')
    const approve = async () => {
      const created = await link(ana.id)
      assert.equal(created.status, 201, created.text)
      const browser = createBrowserUser()
      const page = await browser.open(created.body.url)
      assert.match(page.title, /Approve this action in Bank/)
      assert.equal((await createBrowserUser().open(created.body.url)).status, 403, 'another browser')
      await browser.submit(page, /\/approve(?:\?|$)/)
      const returned = new URL(browser.lastLocation ?? '')
      assert.deepEqual(
        ['from', 'approval_id', 'status'].map(name => returned.searchParams.get(name)),
        ['chat', id, 'approved'],
      )
      return returned.searchParams.get('code') ?? ''
    }
    const confirm = (code: string, userId: string, by = approvalKey) =>
      call('POST', '/approvals/confirm', { code, registered_user_id: userId }, by)
    const wasted = await approve()
    assert.equal(await statusOf(id), 'confirming')
    assert.equal((await pay({ amount: 5 })).structuredContent.type, 'approval_meta', 'not confirmed')
    assert.equal((await confirm(wasted, ben.id)).body.error.code, 'invalid_approval_code')
    assert.equal((await confirm(wasted, ana.id)).body.error.code, 'invalid_approval_code', 'destroyed')
    const code = await approve()
    assert.equal((await confirm(code, ana.id, key)).body.error.code, 'key_group_required')
    const confirmed = await confirm(code, ana.id)
    assert.deepEqual([confirmed.status, confirmed.body.status], [200, 'approved'], confirmed.text)
    assert.equal((await confirm(code, ana.id)).body.error.code, 'invalid_approval_code', 'once')
    assert.equal((await pay({ amount: 5 })).content[0].text, 'paid')
    assert.equal(received.length, 1)
    const { body } = await call('GET', '/audit-entries?limit=100')
    assert.ok(body.data.some(({ action }: any) => action === 'approval.confirmed'))
  })

  it('a denial on the page ends the call with the reason of the user [approval.denied]', async () => {
    const { ask, pay, call, ana, approvalKey, statusOf } = await open()
    const { approval_id: id } = await ask()
    const body = { registered_user_id: ana.id, return_url: RETURN_URL }
    const { body: link } = await call('POST', `/approvals/${id}/link`, body, approvalKey)
    const browser = createBrowserUser()
    await browser.submit(await browser.open(link.url), /\/deny/, { reason: 'Too much' })
    assert.match(browser.lastLocation ?? '', /status=denied/)
    assert.doesNotMatch(browser.lastLocation ?? '', /code=/)
    assert.equal(await statusOf(id), 'denied')
    const denied = (await pay({ amount: 5 })).structuredContent.error
    assert.equal(denied.code, 'approval_denied')
    assert.match(denied.message, /Too much/)
    const { body: audit } = await call('GET', '/audit-entries?limit=5')
    const entry = audit.data.find(({ action }: any) => action === 'approval.decided')
    assert.deepEqual([entry.actor.type, entry.actor.id, entry.target.id], ['user', ana.id, id])
  })

  it('folded values must be opened before the call can be approved [approval.page]', async () => {
    const { ask, call, ana, approvalKey, statusOf } = await open()
    const { approval_id: id } = await ask({ note: 'x '.repeat(5000), name: 'invoice\u202efdp.exe' })
    const body = { registered_user_id: ana.id, return_url: RETURN_URL }
    const { body: link } = await call('POST', `/approvals/${id}/link`, body, approvalKey)
    const browser = createBrowserUser()
    const page = await browser.open(link.url)
    assert.match(page.html, /U\+202E/)
    assert.doesNotMatch(page.html, /\u202e|x x x x/)
    assert.match(page.html, /10000<\/bdi> characters, not opened yet/)
    assert.doesNotMatch(page.html, /action="[^"]*\/approve(?:\?|")/)
    // A forged form: the service knows what was opened.
    const action = /action="([^"]*)\/deny/.exec(page.html)?.[1] ?? ''
    const forged = { ...page, html: page.html.replace(`${action}/deny`, `${action}/approve`) }
    await browser.submit(forged, /\/approve(?:\?|$)/)
    assert.equal(await statusOf(id), 'pending')
    const opened = await browser.submit(page, /\/open/)
    assert.match(opened.html, /x x x x/)
    await browser.submit(opened, /\/approve(?:\?|$)/)
    assert.equal(await statusOf(id), 'confirming')
  })

  it('every rule must be satisfied: the user and a member, in either order; one denial is enough [approval.several]', async () => {
    const opened = await open()
    const { must, ask, pay, statusOf, call, ana, approvalKey, policyKey, organization } = opened
    await must('POST', '/policy-rules', { name: 'Finance', effect: 'ask', tools: ['bank__*'] }, policyKey)
    const member = await signInPerson(t, { role: 'security', organizationId: organization.id })
    const byMember = async (id: string, decision: string) => {
      const { approval_digest } = await must('GET', `/approvals/${id}`)
      return member.call('POST', `/api/v1/approvals/${id}/decision`, { body: { decision, approval_digest } })
    }
    const byUser = async (id: string) => {
      const body = { registered_user_id: ana.id, return_url: RETURN_URL }
      const { body: link } = await call('POST', `/approvals/${id}/link`, body, approvalKey)
      const browser = createBrowserUser()
      await browser.submit(await browser.open(link.url), /\/approve(?:\?|$)/)
      const code = new URL(browser.lastLocation ?? '').searchParams.get('code')
      await must('POST', '/approvals/confirm', { code, registered_user_id: ana.id }, approvalKey)
    }
    const { approval_id: first } = await ask({ amount: 1 })
    assert.equal((await byMember(first, 'approve')).body.status, 'pending')
    assert.equal((await byMember(first, 'approve')).body.status, 'pending', 'a repeat changes nothing')
    await byUser(first)
    assert.equal(await statusOf(first), 'approved')
    assert.equal((await pay({ amount: 1 })).content[0].text, 'paid')
    const { approval_id: second } = await ask({ amount: 2 })
    await byUser(second)
    assert.equal(await statusOf(second), 'pending')
    assert.equal((await byMember(second, 'deny')).body.status, 'denied')
  })

  it('members neither see nor decide a call that only its user decides; an approval of a user who is deactivated is void [approval.user]', async () => {
    const { ask, must, pay, call, ana, approvalKey, organization, statusOf } = await open()
    const { approval_id: id, approval_url: url } = await ask()
    assert.match(url, /\/approve\//)
    const member = await signInPerson(t, { role: 'admin', organizationId: organization.id })
    const seen = await member.call('GET', `/api/v1/approvals/${id}/call`)
    assert.equal(seen.body.error.code, 'approver_mismatch')
    const { approval_digest } = await must('GET', `/approvals/${id}`)
    const decided = await member.call('POST', `/api/v1/approvals/${id}/decision`, {
      body: { decision: 'approve', approval_digest },
    })
    assert.equal(decided.body.error.code, 'approver_mismatch')
    assert.deepEqual((await must('GET', '/approvals?approver=members')).data, [])
    assert.equal((await must('GET', `/approvals?approver=${ana.id}`)).data.length, 1)
    const body = { registered_user_id: ana.id, return_url: RETURN_URL }
    const { body: link } = await call('POST', `/approvals/${id}/link`, body, approvalKey)
    const browser = createBrowserUser()
    await browser.submit(await browser.open(link.url), /\/approve(?:\?|$)/)
    const code = new URL(browser.lastLocation ?? '').searchParams.get('code')
    await must('POST', '/approvals/confirm', { code, registered_user_id: ana.id }, approvalKey)
    const setActive = (isActive: boolean) =>
      t.query('update registered_users set is_active = $2 where id = $1', [ana.id, isActive])
    await setActive(false)
    await endApprovals(t.service.features.db)
    await setActive(true)
    assert.equal(await statusOf(id), 'void')
    assert.equal((await pay({ amount: 5 })).structuredContent.type, 'approval_meta')
  })

  it('the page of a void approval says what has changed, and approves nothing [approval.void]', async () => {
    const { ask, must, call, ana, approvalKey, statusOf } = await open()
    const { approval_id: id } = await ask()
    const body = { registered_user_id: ana.id, return_url: RETURN_URL }
    const { body: link } = await call('POST', `/approvals/${id}/link`, body, approvalKey)
    const browser = createBrowserUser()
    const page = await browser.open(link.url)
    await must('DELETE', '/connectors/bank')
    // Before the job that ends approvals has run.
    assert.match((await browser.submit(page, /\/approve(?:\?|$)/)).html, /The action has changed/)
    assert.match((await browser.open(page.url)).html, /The action has changed/)
    await endApprovals(t.service.features.db)
    assert.match((await browser.open(page.url)).html, /The action has changed/)
    assert.equal(await statusOf(id), 'void')
  })

  it('the owner of a shared account decides about the calls of others with it [approval.owner]', async () => {
    const { must, ana, ben, key, organization, policyKey } = await open()
    const tool = 'sandbox-notes__create_note'
    await must(
      'POST',
      '/policy-rules',
      { name: 'Shared', effect: 'ask', tools: [tool], approvers: ['account_owner'] },
      policyKey,
    )
    const { magic_link_url: link } = await t.mint(ana.id, {}, key)
    await linkNotes(createBrowserUser(), link)
    const { data } = await must('GET', `/registered-users/${ana.id}/credentials`)
    const path = `/registered-users/${ana.id}/credentials/${data[0].credential_id}/access`
    await must('PUT', path, { registered_user_ids: [ben.id] })
    const { body } = await t.mcp(
      ben.id,
      'tools/call',
      { name: tool, arguments: { title: 'A', text: 'B' } },
      { key, packId: organization.toolPackId },
    )
    const { approval_id: id } = body.result.structuredContent
    const approval = await must('GET', `/approvals/${id}`)
    assert.deepEqual(
      [approval.registered_user_id, approval.rules[0].approvers],
      [ben.id, [{ type: 'user', registered_user_id: ana.id }]],
    )
  })

  it('a link and a sign-in end with their time [approval.ends]', async () => {
    const { ask, call, ana, approvalKey } = await open()
    const { approval_id: id } = await ask()
    const body = { registered_user_id: ana.id, return_url: RETURN_URL }
    const { body: link } = await call('POST', `/approvals/${id}/link`, body, approvalKey)
    const browser = createBrowserUser()
    const page = await browser.open(link.url)
    await t.moveClock(11 * MINUTE)
    const late = await browser.submit(page, /\/approve(?:\?|$)/)
    assert.match(late.html, /Open this request in/)
    assert.equal((await createBrowserUser().open(link.url)).status, 403)
    await t.moveClock(5 * MINUTE)
    assert.equal(
      (await call('POST', `/approvals/${id}/link`, body, approvalKey)).body.error.code,
      'approval_ended',
    )
  })
})
