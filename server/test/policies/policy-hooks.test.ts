import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { PolicyHookRequest } from '@carabiner/contract'
import { verifyPolicyHook, type WebhookError } from '@carabiner/sdk'
import { Compile } from 'typebox/compile'
import { MINUTE } from '../../src/core/duration.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { vetWebhookUrl } from '../../src/edge/webhook-url.ts'
import { createPolicyHooks, type HookedCall } from '../../src/features/policies/hooks/policy-hooks.ts'
import { createEgress } from '../../src/platform/egress/egress.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const TOOLS = ['pay', 'read'].map(name => ({
  name,
  inputSchema: {
    type: 'object',
    properties: { amount: { type: 'number' }, to: { type: 'string' } },
  },
}))

for (const engine of flowEngines)
  describe(`hooks of policy rules on ${engine}`, () => {
    let t: TestService
    let server: HostileServer
    let received: unknown[]
    before(async () => {
      t = await joinTestService(engine)
      server = await startHostileMcp()
      server.reset({
        'tools/list': exchange => result(exchange, { tools: TOOLS }),
        'tools/call': exchange => {
          received.push(exchange.message.params.arguments)
          return result(exchange, { content: [{ type: 'text', text: 'done' }] })
        },
      })
    })
    after(async () => {
      await t.stop()
      await server.close()
    })

    let organizations = 0
    const open = async () => {
      received = []
      const organization = await t.createOrganization(`Hooks ${++organizations}`)
      const { key } = organization
      const api = (method: string, path: string, body?: object, by = key) =>
        t.call(method, `/api/v1${path}`, { key: by, ...(body && { body }) })
      const must = async (...of: Parameters<typeof api>) => {
        const answer = await api(...of)
        assert.ok(answer.status < 300, answer.text)
        return answer.body
      }
      await must('POST', '/connectors', { name: 'Theirs', slug: 'theirs', url: server.url })
      const { key: policyKey, id: keyId } = await must('POST', '/api-keys', { mode: 'production' })
      // Only an administrator can create such a key.
      await t.query(`update api_keys set groups = '{policies,read}' where id = $1`, [keyId])
      const user = await t.createUser({ origin_user_id: `user-${organizations}` }, key)
      const call = async (args: object = {}, name = 'theirs__pay') => {
        const options = { key, packId: organization.toolPackId }
        const { body } = await t.mcp(user.id, 'tools/call', { name, arguments: args }, options)
        return body.result ?? body
      }
      const errorOf = async (...of: Parameters<typeof call>) =>
        (await call(...of)).structuredContent?.error ?? null
      const add = (rule: object) =>
        must('POST', '/policy-rules', { name: 'Hooked', tools: ['theirs__pay'], ...rule }, policyKey)
      const addHook = (hook: object, rule: object = {}) => add({ ...rule, hook })
      const change = (id: string, patch: object) => must('PATCH', `/policy-rules/${id}`, patch, policyKey)
      const explain = async (args: object = {}) =>
        must('POST', '/explain', { registered_user_id: user.id, tool: 'theirs__pay', arguments: args })
      return { organization, key, policyKey, user, api, must, call, errorOf, add, addHook, change, explain }
    }
    type Decision = { decision: string; reason?: string }
    const decideBy = (endpoint: WebhookReceiver, decide: (request: any) => Decision): void =>
      endpoint.answerWith(({ body }, response) => void response.end(JSON.stringify(decide(JSON.parse(body)))))
    const requests = ({ received: all }: WebhookReceiver): any[] => all.map(({ body }) => JSON.parse(body))

    it('the endpoint of a hook allows, asks or denies, with its reason [policy.hook]', async () => {
      const { organization, user, call, errorOf, addHook, must } = await open()
      await using endpoint = await startReceiver()
      const rule = await addHook(
        { url: endpoint.url },
        { when: 'has(args.amount) && args.amount > 10.0', reason: 'Of the rule.' },
      )
      assert.deepEqual([rule.effect, rule.hook.on_error], [null, 'deny'])
      decideBy(endpoint, ({ arguments: { amount } }) => {
        if (amount > 1000) return { decision: 'deny', reason: 'Over the budget' }
        return amount > 100 ? { decision: 'ask', reason: 'Large.' } : { decision: 'allow' }
      })
      assert.equal((await call({ amount: 5 })).content[0].text, 'done')
      assert.equal(endpoint.received.length, 0, 'a call that the rule does not match asks no hook')
      assert.equal((await call({ amount: 50 })).content[0].text, 'done')
      const denied = await errorOf({ amount: 5000 })
      assert.deepEqual(
        [denied.code, denied.retryable, denied.message],
        [
          'policy_denied',
          false,
          'The organization’s policy denies this call (rule “Hooked”): Over the budget. The call was not made. Do not repeat it unchanged.',
        ],
      )
      const asked = (await call({ amount: 500, to: 'ana' })).structuredContent
      assert.equal(asked.type, 'approval_meta')
      const approval = await must('GET', `/approvals/${asked.approval_id}`)
      assert.deepEqual(
        approval.rules.map(({ name, reason }: any) => [name, reason]),
        [['Hooked', 'Large.']],
      )
      assert.deepEqual(received, [{ amount: 5 }, { amount: 50 }])
      const all = requests(endpoint)
      const schema = Compile(PolicyHookRequest)
      for (const request of all) assert.ok(schema.Check(request), JSON.stringify(request))
      const { id, call_digest: digest, ...rest } = all[2]
      assert.match(id, /^hook_[0-9a-f-]{36}$/)
      assert.match(digest, /^[0-9a-f]{64}$/)
      assert.deepEqual(rest, {
        type: 'policy.hook',
        stage: 'request',
        organization_id: organization.id,
        mode: 'production',
        policy_rule: { id: rule.id, name: 'Hooked' },
        registered_user: { id: user.id, origin_user_id: `user-${organizations}` },
        tool_pack_id: organization.toolPackId,
        connector: 'theirs',
        tool: 'pay',
        account_label: null,
        arguments: { amount: 500, to: 'ana' },
      })
      const records = await must('GET', '/tool-calls?outcome=blocked')
      assert.deepEqual(
        records.data.map((each: any) => [each.error_code, each.ended_at_step, each.counted]),
        [['policy_denied', 'policy_hooks', false]],
      )
    })

    it('requests are signed with the secret of the rule, and for a day with both secrets of a rotation [policy.hook-secret]', async () => {
      const { call, addHook, must, api, policyKey, key } = await open()
      await using endpoint = await startReceiver()
      decideBy(endpoint, () => ({ decision: 'allow' }))
      const { id, hook_secret: secret, hook } = await addHook({ url: endpoint.url, on_error: 'ask' })
      assert.match(secret, /^whsec_/)
      const shown = await must('GET', `/policy-rules/${id}`)
      assert.deepEqual([shown.hook, 'hook_secret' in shown], [hook, false])
      const verify = async (by: string) => {
        const { headers, body } = endpoint.received.at(-1) as (typeof endpoint.received)[number]
        return (await verifyPolicyHook(headers, body, by)).policy_rule.id
      }
      await call()
      assert.equal(await verify(secret), id)
      const path = `/policy-rules/${id}/rotate-hook-secret`
      assert.equal((await api('POST', path, undefined, key)).body.error.code, 'key_group_required')
      const { hook_secret: next } = await must('POST', path, undefined, policyKey)
      assert.notEqual(next, secret)
      await call()
      for (const each of [secret, next]) assert.equal(await verify(each), id)
      await t.moveClock(25 * 3_600_000)
      await call()
      assert.equal(await verify(next), id)
      await assert.rejects(
        verify(secret),
        (error: unknown) => (error as WebhookError).code === 'signature_mismatch',
      )
      const stored = await t.query('select sealed_hook_secret as sealed from policy_rules where id = $1', [
        id,
      ])
      assert.ok(!stored[0]?.sealed.toString('latin1').includes(next.slice(6)))
      const changed = await must(
        'PATCH',
        `/policy-rules/${id}`,
        { hook: { url: `${endpoint.url}?n=2` } },
        policyKey,
      )
      assert.deepEqual([changed.hook_secret, changed.hook.on_error], [null, 'deny'])
      await call()
      assert.equal(await verify(next), id, 'another URL keeps the secret')
    })

    it('a hook that does not decide denies the call, or asks about it if the rule says so [policy.hook-failure]', async () => {
      const { call, errorOf, addHook, change } = await open()
      await using endpoint = await startReceiver()
      await using target = await startReceiver()
      decideBy(target, () => ({ decision: 'allow' }))
      const { id } = await addHook({ url: endpoint.url })
      const answers: [string, Parameters<WebhookReceiver['answerWith']>[0]][] = [
        ['its answer is malformed', (_, response) => void response.end('allow')],
        ['its answer is malformed', (_, response) => void response.end('{"decision":"allow","note":1}')],
        ['its answer is malformed', (_, response) => void response.end('{"decision":"Allow"}')],
        [
          'its answer is malformed',
          (_, response) => void response.end('{"decision":"allow","reason":"\\u0000"}'),
        ],
        [
          'its answer is too large',
          (_, response) => void response.end(`{"decision":"allow"${' '.repeat(20_000)}}`),
        ],
        [
          'it answered with status 500',
          (_, response) => void response.writeHead(500).end('{"decision":"allow"}'),
        ],
        [
          'it answered with status 302',
          (_, response) => void response.writeHead(302, { location: target.url }).end(),
        ],
        ['it cannot be reached', (_, response) => void response.destroy()],
        ['it did not answer in time', () => undefined],
      ]
      for (const [why, answer] of answers) {
        endpoint.answerWith(answer)
        const error = await errorOf()
        assert.deepEqual([error?.code, error?.retryable], ['policy_denied', true], why)
        assert.equal(
          error.message,
          `The organization’s policy denies this call (rule “Hooked”): The hook of this rule gave no decision: ${why}. The call was not made. Try again later.`,
        )
      }
      assert.deepEqual(target.received, [], 'redirects are not followed')
      await change(id, { hook: { url: endpoint.url, on_error: 'ask' } })
      endpoint.answerWith((_, response) => void response.end('?'))
      assert.equal((await call()).structuredContent.type, 'approval_meta')
      assert.deepEqual(received, [])
    })

    it('deny beats ask beats allow, whether rules or hooks decide, and hooks are asked in parallel [policy.hook]', async () => {
      const { call, errorOf, add, addHook, must, policyKey } = await open()
      await using endpoint = await startReceiver()
      await using other = await startReceiver()
      let decisions = { first: 'allow', second: 'allow' }
      // Each answers only after both were asked.
      const both = (decision: () => string) => (_: unknown, response: any) =>
        void eventually(async () => {
          assert.equal(endpoint.received.length, other.received.length)
          response.end(JSON.stringify({ decision: decision() }))
        })
      endpoint.answerWith(both(() => decisions.first))
      other.answerWith(both(() => decisions.second))
      await must('PUT', '/policy', { default: 'deny' }, policyKey)
      await addHook({ url: endpoint.url })
      await addHook({ url: other.url }, { name: 'Other', tools: ['theirs__*'] })
      assert.equal((await call()).content[0].text, 'done', 'a hook that allows is a rule that allows')
      decisions = { first: 'allow', second: 'ask' }
      assert.equal((await call({ amount: 1 })).structuredContent.type, 'approval_meta')
      decisions = { first: 'deny', second: 'ask' }
      assert.equal((await errorOf({ amount: 2 })).code, 'policy_denied')
      decisions = { first: 'allow', second: 'allow' }
      await add({ name: 'Asks', effect: 'ask' })
      assert.equal((await call({ amount: 3 })).structuredContent.type, 'approval_meta')
      const asked = endpoint.received.length
      await add({ name: 'Never', effect: 'deny' })
      assert.equal((await errorOf({ amount: 4 })).code, 'policy_denied')
      assert.equal(endpoint.received.length, asked, 'no hook is asked about a call that a rule denies')
    })

    it('a call that a hook denies is not counted, and a count decides whether a hook is asked [policy.hook]', async () => {
      const { call, errorOf, add, addHook } = await open()
      await using endpoint = await startReceiver()
      decideBy(endpoint, ({ arguments: { amount } }) => ({ decision: amount > 1000 ? 'deny' : 'allow' }))
      const isMade = async (amount: number) => (await call({ amount })).content[0].text === 'done'
      await addHook({ url: endpoint.url }, { when: 'count("1h") >= 1' })
      await add({ name: 'Three an hour', effect: 'deny', when: 'count("1h") >= 3' })
      assert.ok(await isMade(5000))
      assert.equal(endpoint.received.length, 0)
      for (const amount of [2000, 3000, 4000, 5000])
        assert.match((await errorOf({ amount })).message, /rule “Hooked”/)
      assert.ok((await isMade(1)) && (await isMade(2)))
      assert.equal(endpoint.received.length, 6)
      assert.match((await errorOf({ amount: 3 })).message, /rule “Three an hour”/)
      assert.equal(endpoint.received.length, 6, 'a call that a rule denies asks no hook')
      assert.deepEqual(received, [{ amount: 5000 }, { amount: 1 }, { amount: 2 }])
    })

    it('a rule that could not be evaluated asks its hook, which then cannot allow the call [policy.hook]', async () => {
      const { user, errorOf, addHook, must, policyKey } = await open()
      await using endpoint = await startReceiver()
      decideBy(endpoint, () => ({ decision: 'allow' }))
      await must('PUT', '/policy', { default: 'deny' }, policyKey)
      await addHook({ url: endpoint.url }, { when: 'user.metadata.level == "trainee"' })
      assert.equal((await errorOf()).code, 'policy_denied', 'the user has no such field')
      await must('PATCH', `/registered-users/${user.id}`, { metadata: { level: 'trainee' } })
      assert.equal(await errorOf(), null)
      assert.equal(endpoint.received.length, 2)
    })

    it('an approved call asks its hook again, and is not made if the hook now denies it [policy.hook-again]', async () => {
      const { organization, call, errorOf, addHook, must } = await open()
      await using endpoint = await startReceiver()
      const member = await signInPerson(t, { role: 'security', organizationId: organization.id })
      await addHook({ url: endpoint.url })
      const approvedCall = async (args: object): Promise<string> => {
        const { approval_id: id } = (await call(args)).structuredContent
        const { approval_digest } = await must('GET', `/approvals/${id}`)
        const body = { decision: 'approve', approval_digest }
        const decided = await member.call('POST', `/api/v1/approvals/${id}/decision`, { body })
        assert.equal(decided.status, 200, decided.text)
        return id
      }
      const statusOf = async (id: string) => (await must('GET', `/approvals/${id}`)).status
      decideBy(endpoint, ({ stage }) => ({ decision: stage === 'execution' ? 'allow' : 'ask' }))
      const done = await approvedCall({ amount: 1 })
      assert.equal((await call({ amount: 1 })).content[0].text, 'done')
      assert.equal(await statusOf(done), 'done', 'the approval is used up, even if the hook no longer asks')
      const [first, second] = requests(endpoint)
      assert.deepEqual([first.stage, second.stage], ['request', 'execution'])
      assert.equal(first.call_digest, second.call_digest)
      const unanswered = await approvedCall({ amount: 2 })
      endpoint.answerWith((_, response) => void response.writeHead(503).end())
      assert.equal((await errorOf({ amount: 2 })).retryable, true)
      assert.equal(await statusOf(unanswered), 'approved', 'the hook may answer the next attempt')
      decideBy(endpoint, () => ({ decision: 'deny', reason: 'Frozen.' }))
      assert.match((await errorOf({ amount: 2 })).message, /Frozen\./)
      assert.equal(await statusOf(unanswered), 'void')
      decideBy(endpoint, () => ({ decision: 'ask' }))
      const next = (await call({ amount: 2 })).structuredContent
      assert.equal(next.type, 'approval_meta')
      assert.notEqual(next.approval_id, unanswered)
      assert.deepEqual(received, [{ amount: 1 }])
      const events = (await must('GET', '/events?type=approval.ended')).data
      assert.deepEqual(
        events.map(({ data }: any) => [data.approval_id, data.reason]),
        [[unanswered, 'void']],
      )
    })

    it('Explain, lists and tests of rules ask no hook, and say that it decides [policy.hook-unasked]', async () => {
      const { key, user, organization, must, add, addHook, explain, call } = await open()
      await using endpoint = await startReceiver()
      decideBy(endpoint, () => ({ decision: 'deny' }))
      await must('PATCH', '/organization', { capture: 'on' })
      assert.equal((await call({ amount: 1 })).content[0].text, 'done')
      const { id } = await addHook({ url: endpoint.url })
      const explained = await explain()
      const stepOf = (name: string) => explained.steps.find(({ step }: any) => step === name)
      assert.deepEqual([explained.allowed, explained.would], [true, 'run'])
      assert.match(explained.summary, /hook/)
      assert.equal(stepOf('policy').summary, 'A hook of the policy decides about the call.')
      assert.deepEqual(stepOf('policy').detail.policy_rules, [
        { id, name: 'Hooked', effect: null, status: 'matched' },
      ])
      assert.deepEqual(
        [stepOf('policy_hooks').status, stepOf('policy_hooks').summary],
        ['not_checked', 'The hook of the rule “Hooked” decides. It is asked only in a call.'],
      )
      assert.equal(stepOf('approval').status, 'not_checked')
      const listed = await t.mcp(user.id, 'tools/list', {}, { key, packId: organization.toolPackId })
      assert.ok(listed.body.result.tools.some(({ name }: any) => name === 'theirs__pay'))
      const tested = await must('POST', '/policy-rules/test', {
        tools: ['theirs__pay'],
        hook: { url: endpoint.url },
      })
      assert.deepEqual(tested.calls.decisions, { deny: 0, ask: 0, allow: 0, hook: 1 })
      const again = await must('POST', '/policy-rules/test', { id, effect: 'deny' })
      assert.deepEqual(
        again.calls.examples.map((each: any) => [each.previous_decision, each.decision]),
        [['hook', 'deny']],
      )
      assert.equal(endpoint.received.length, 0)
      assert.equal((await call({ amount: 2 })).structuredContent.error.code, 'policy_denied')
      const afterDenial = await must('POST', '/policy-rules/test', { id })
      assert.equal(afterDenial.calls.decisions.hook, 2, 'a call that a hook has denied is tested, too')
      await add({ name: 'Never', effect: 'deny' })
      assert.equal((await explain()).would, 'reject')
      assert.equal(endpoint.received.length, 1)
    })

    it('an unrestricted key neither adds nor changes a hook; keys that cannot change policies see no path of its URL [policy.hook-keys]', async () => {
      const { key, organization, api, must, add, addHook, policyKey } = await open()
      await using endpoint = await startReceiver()
      const { id } = await addHook({ url: endpoint.url })
      const { id: plain } = await add({ name: 'Asks', effect: 'ask' })
      const hook = { url: endpoint.url }
      const refused: [string, string, object?][] = [
        ['POST', '/policy-rules', { name: 'New', tools: ['*'], hook }],
        ['PATCH', `/policy-rules/${plain}`, { hook }],
        ['PATCH', `/policy-rules/${id}`, { hook }],
        ['PATCH', `/policy-rules/${id}`, { effect: 'ask' }],
        ['DELETE', `/policy-rules/${id}`],
        ['POST', `/policy-rules/${id}/rotate-hook-secret`],
      ]
      for (const [method, path, body] of refused) {
        const answer = await api(method, path, body)
        assert.deepEqual(
          [answer.status, answer.body.error.code],
          [403, 'key_group_required'],
          `${method} ${path}`,
        )
      }
      const admin = await signInPerson(t, { role: 'admin', organizationId: organization.id })
      const create = (name: string) =>
        admin.call('POST', '/api/v1/policy-rules', { body: { name, tools: ['theirs__read'], hook } })
      assert.equal((await create('By a person')).status, 201)
      await t.query(`update people_sessions set created_at = created_at - interval '11 minutes'`)
      assert.equal((await create('Too late')).body.error.code, 'recent_sign_in_required')
      const readers = await must('POST', '/api-keys', { mode: 'production' })
      await t.query(`update api_keys set groups = '{read}' where id = $1`, [readers.id])
      const origin = `${new URL(endpoint.url).origin}/…`
      assert.equal((await must('GET', `/policy-rules/${id}`, undefined, readers.key)).hook.url, origin)
      assert.equal((await must('GET', `/policy-rules/${id}`, undefined, policyKey)).hook.url, endpoint.url)
      const managed = await t.call('POST', '/api/v1/mcp', {
        key,
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'list_policy_rules', arguments: {} },
        },
      })
      assert.deepEqual(
        managed.body.result.structuredContent.data.map((rule: any) => rule.hook?.url ?? null),
        [origin, null, origin],
      )
    })

    it('a rule has either an effect or a hook, whose URL can be called', async () => {
      const { api, policyKey, addHook, change, must } = await open()
      await using endpoint = await startReceiver()
      const tools = ['theirs__pay']
      const issueOf = async (rule: object, path = '/policy-rules', method = 'POST') => {
        const { status, body } = await api(method, path, rule, policyKey)
        return status < 300 ? null : [body.error.code, body.error.param]
      }
      const hook = { url: endpoint.url }
      const neither = { name: 'New', tools }
      for (const wrong of [neither, { ...neither, effect: 'deny', hook }])
        assert.deepEqual(await issueOf(wrong), ['invalid_request', 'effect'])
      const blocked = { ...neither, hook: { url: 'https://10.0.0.1/decide' } }
      assert.deepEqual(await issueOf(blocked), ['invalid_webhook_url', 'hook.url'])
      const inFile = { default: 'allow', rules: [blocked] }
      assert.deepEqual(await issueOf(inFile, '/policy', 'PUT'), ['invalid_webhook_url', 'rules.0.hook.url'])
      assert.equal(
        (await issueOf({ ...neither, hook: { ...hook, on_error: 'allow' } }))?.[0],
        'invalid_request',
      )
      const { id } = await addHook(hook)
      const denying = await change(id, { effect: 'deny' })
      assert.deepEqual([denying.effect, denying.hook, denying.hook_secret], ['deny', null, null])
      const test = await api('POST', `/policy-rules/${id}/test-hook`)
      assert.deepEqual([test.status, test.body.error.code], [400, 'policy_rule_without_hook'])
      const hooked = await change(id, { hook })
      assert.deepEqual([hooked.effect, hooked.hook_secret.startsWith('whsec_')], [null, true])
      // A file names no secret: a hook keeps its own, and a new one is returned once.
      const policy = {
        default: 'allow',
        rules: [
          { name: 'Hooked', tools, hook },
          { ...neither, hook },
        ],
      }
      const set = await must('PUT', '/policy', policy, policyKey)
      assert.deepEqual(
        set.hook_secrets.map((each: any) => [each.name, each.secret.startsWith('whsec_')]),
        [['New', true]],
      )
      assert.deepEqual((await must('PUT', '/policy', policy, policyKey)).hook_secrets, [])
    })

    it('a test request has example data, and its answer decides nothing', async () => {
      const { must, addHook } = await open()
      await using endpoint = await startReceiver()
      const { id, hook_secret } = await addHook({ url: endpoint.url })
      decideBy(endpoint, () => ({ decision: 'ask', reason: 'Please.' }))
      const test = () => must('POST', `/policy-rules/${id}/test-hook`)
      const { duration_ms, ...tested } = await test()
      assert.deepEqual(tested, { decision: 'ask', reason: 'Please.', error: null })
      assert.ok(duration_ms >= 0)
      const { headers, body } = endpoint.received[0] as (typeof endpoint.received)[number]
      assert.equal((await verifyPolicyHook(headers, body, hook_secret)).stage, 'test')
      assert.ok(Compile(PolicyHookRequest).Check(JSON.parse(body)), body)
      endpoint.answerWith((_, response) => void response.writeHead(404).end())
      assert.deepEqual(await test().then(({ decision, error }) => [decision, error]), [
        null,
        'The hook gave no decision: it answered with status 404.',
      ])
    })

    it('an endpoint that fails is not called for a while, and one that hangs delays no other organization [policy.hook-failure]', async () => {
      const [failing, other] = [await open(), await open()]
      const { db, vault, egress } = t.service.features
      let now = 0
      const inTime = { db, vault, egress, metrics: createMetrics(), now: () => now }
      const hooks = createPolicyHooks(inTime)
      const closed = createServer()
      closed.listen(0, '127.0.0.1')
      await once(closed, 'listening')
      const { port } = closed.address() as AddressInfo
      closed.close()
      await using hanging = await startReceiver()
      await using working = await startReceiver()
      const held: ServerResponse[] = []
      hanging.answerWith((_, response) => void held.push(response))
      decideBy(working, () => ({ decision: 'allow' }))
      const down = await failing.addHook({ url: `http://127.0.0.1:${port}/` }, { name: 'Down' })
      const hangs = await failing.addHook({ url: hanging.url }, { name: 'Hangs' })
      const works = await other.addHook({ url: working.url })
      const ask = async (
        { organization }: typeof failing,
        rule: { id: string; name: string },
        asked = hooks,
      ) => (await asked.ask(callOf(organization.id), [rule])).get(rule.id)
      for (let n = 0; n < 5; n++) assert.match((await ask(failing, down))?.reason ?? '', /cannot be reached/)
      assert.match((await ask(failing, down))?.reason ?? '', /failed several times in a row/)
      now += 10_000
      assert.match((await ask(failing, down))?.reason ?? '', /cannot be reached/)
      // However long the machine takes, no request ends before all of them wait.
      const patient = createPolicyHooks({ ...inTime, metrics: createMetrics(), answerMs: 10 * MINUTE })
      let ended = 0
      const waiting = Array.from({ length: 130 }, () => ask(failing, hangs, patient).finally(() => ended++))
      await eventually(async () => assert.equal(held.length, 64))
      assert.deepEqual(await ask(other, works, patient), { effect: 'allow', reason: null, isFallback: false })
      // As many wait again, and no more.
      assert.deepEqual(
        [ended, held.length],
        [130 - 2 * 64, 64],
        'the other organization did not wait for them',
      )
      hanging.answerWith((_, response) => void response.writeHead(500).end())
      for (const response of held) response.writeHead(500).end()
      for (const answer of await Promise.all(waiting)) assert.equal(answer?.effect, 'deny')
    })

    it('in production, no hook is called at a private address [policy.hook-failure]', async () => {
      const { organization, addHook } = await open()
      await using endpoint = await startReceiver()
      decideBy(endpoint, () => ({ decision: 'allow' }))
      const rule = await addHook({ url: endpoint.url })
      const { db, vault } = t.service.features
      const egress = createEgress()
      const hooks = createPolicyHooks({ db, vault, egress, metrics: createMetrics() })
      const answer = (await hooks.ask(callOf(organization.id), [rule])).get(rule.id)
      assert.deepEqual([answer?.effect, answer?.isFallback], ['deny', true])
      assert.match(answer?.reason ?? '', /its address is not allowed/)
      assert.equal(endpoint.received.length, 0)
      for (const url of [endpoint.url, 'https://127.0.0.1/', 'https://169.254.169.254/'])
        await assert.rejects(
          vetWebhookUrl(egress, url),
          error => isRefusal(error, 'invalid_webhook_url'),
          url,
        )
      await egress.close()
    })
  })

const callOf = (organizationId: string): HookedCall => ({
  stage: 'request',
  organization_id: organizationId,
  mode: 'production',
  registered_user: { id: newUuid(), origin_user_id: '1' },
  tool_pack_id: newUuid(),
  connector: 'theirs',
  tool: 'pay',
  account_label: null,
  arguments: {},
  call_digest: '0'.repeat(64),
})
