import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { prepareTrial } from '../../src/features/policies/prepare-trial.ts'
import { TRY_BOUNDS, type TryBounds, tryRule } from '../../src/features/tools/rule-tests/try-rule.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const TOOLS = ['pay', 'read'].map(name => ({
  name,
  inputSchema: {
    type: 'object',
    properties: { amount: { type: 'number' }, to: { type: 'string' } },
    additionalProperties: false,
  },
}))
const LARGE = { effect: 'deny', tools: ['theirs__pay'], when: 'has(args.amount) && args.amount > 100.0' }

for (const engine of flowEngines)
  describe(`tests of policy rules on ${engine}`, () => {
    let t: TestService
    let server: HostileServer
    before(async () => {
      t = await joinTestService(engine)
      server = await startHostileMcp()
      server.reset({
        'tools/list': exchange => result(exchange, { tools: TOOLS }),
        'tools/call': exchange => result(exchange, { content: [{ type: 'text', text: 'done' }] }),
      })
    })
    after(async () => {
      await t.stop()
      await server.close()
    })

    let organizations = 0
    const open = async (capture: 'on' | 'off' = 'on') => {
      const organization = await t.createOrganization(`Rule tests ${++organizations}`)
      const { key } = organization
      const must = async (method: string, path: string, body: unknown, by = key) => {
        const answer = await t.call(method, `/api/v1${path}`, { key: by, body })
        assert.ok(answer.status < 300, answer.text)
        return answer.body
      }
      await must('POST', '/connectors', { name: 'Theirs', slug: 'theirs', url: server.url })
      await must('PATCH', '/organization', { capture })
      const keyWith = async (groups: string[], mode = 'production'): Promise<string> => {
        const created = await must('POST', '/api-keys', { mode })
        await t.query('update api_keys set groups = $2 where id = $1', [created.id, `{${groups.join()}}`])
        return created.key
      }
      const user = await t.createUser({ metadata: { level: 'trainee' } }, key)
      const call = async (name: string, args: object = {}) => {
        const { body } = await t.mcp(
          user.id,
          'tools/call',
          { name, arguments: args },
          { key, packId: organization.toolPackId },
        )
        return body.result
      }
      const test = (body: object, by = key) => t.call('POST', '/api/v1/policy-rules/test', { key: by, body })
      const tested = async (body: object, by = key) => {
        const answer = await test(body, by)
        assert.equal(answer.status, 200, answer.text)
        return answer.body
      }
      return { organization, key, keyWith, user, must, call, test, tested }
    }

    it('counts the recorded calls that a rule would have denied, and changes nothing [policy.test]', async () => {
      const { organization, must, key, call, tested } = await open()
      for (const amount of [50, 150, 9_876_543]) await call('theirs__pay', { amount })
      await call('theirs__read', { amount: 500 })
      const { issues, warnings, calls } = await tested(LARGE)
      assert.deepEqual([issues, warnings], [[], []])
      const { since, covered_since, examples, ...counts } = calls
      assert.equal(covered_since, since)
      assert.deepEqual(counts, {
        limit: null,
        checked: 3,
        matched: 2,
        failed: 0,
        undecided: 0,
        without_arguments: 0,
        decisions: { deny: 2, ask: 0, allow: 0, hook: 0 },
        changed: { deny: 2, ask: 0, allow: 0, hook: 0 },
      })
      const { data: records } = (await t.call('GET', '/api/v1/tool-calls?tool=theirs__pay', { key })).body
      assert.deepEqual(
        examples.map((each: any) => [each.tool_call_id, each.tool, each.decision, each.previous_decision]),
        records.slice(0, 2).map(({ id }: { id: string }) => [id, 'theirs__pay', 'deny', 'allow']),
        'the newest first',
      )
      assert.ok(!JSON.stringify(calls).includes('9876543'), 'no value of an argument')
      assert.equal((await must('GET', '/policy', undefined)).rules, 0)
      const audited = await t.query(
        `select action from audit_entries where organization_id = $1 and action like 'policy%'`,
        [organization.id],
      )
      assert.deepEqual(audited, [])
    })

    it('reports each invalid field with its position and the nearest name', async () => {
      const { tested, test, must } = await open()
      const issuesOf = async (body: object) => (await tested(body)).issues
      const [unknown] = await issuesOf({ ...LARGE, when: 'args.amuont > 1.0' })
      assert.deepEqual(
        [unknown.param, unknown.position, /Did you mean "amount"/.test(unknown.message)],
        ['when', { offset: 5, length: 6 }, true],
        JSON.stringify(unknown),
      )
      const wrong = await issuesOf({ ...LARGE, when: 'modee == "test" && tool.destructive == 1' })
      assert.deepEqual(
        wrong.map(({ param, position }: any) => [param, position.offset]),
        [
          ['when', 0],
          ['when', 36],
        ],
        JSON.stringify(wrong),
      )
      const [syntax] = await issuesOf({ ...LARGE, when: 'args.amount >' })
      assert.deepEqual([syntax.param, syntax.position.offset], ['when', 13])
      const tools = await issuesOf({ effect: 'deny', tools: ['*', 'theirs__pya', 'nobody__*'] })
      assert.deepEqual(
        tools.map(({ param }: any) => param),
        ['tools.1', 'tools.2'],
      )
      assert.match(tools[0].message, /theirs__pay/)
      await must('POST', '/policy-rules', { ...LARGE, name: 'Taken' })
      assert.deepEqual(
        (await issuesOf({ ...LARGE, name: 'Taken' })).map(({ param }: any) => param),
        ['name'],
      )
      assert.equal((await tested({ ...LARGE, when: 'args.amuont > 1.0' })).calls, null)
      for (const [body, param] of [
        [{ tools: ['*'] }, 'effect'],
        [{ effect: 'deny' }, 'tools'],
      ] as const) {
        const { status, body: answer } = await test(body)
        assert.deepEqual([status, answer.error.param], [400, param])
      }
      const warned = await tested({ effect: 'allow', tools: ['*'], when: 'has(user.metadata.level)' })
      assert.equal(warned.warnings.length, 1)
    })

    it('calls without recorded arguments are counted, unless the condition does not need them', async () => {
      const { call, tested } = await open('off')
      await call('theirs__pay', { amount: 500 })
      const { calls } = await tested(LARGE)
      assert.deepEqual(
        [calls.checked, calls.matched, calls.undecided, calls.without_arguments],
        [1, 0, 1, 1],
        JSON.stringify(calls),
      )
      assert.deepEqual(calls.changed, { deny: 0, ask: 0, allow: 0, hook: 0 })
      const matchedBy = async (when: string) => {
        const { matched, undecided, without_arguments } = (
          await tested({ effect: 'ask', tools: ['theirs__*'], when })
        ).calls
        return [matched, undecided, without_arguments]
      }
      assert.deepEqual(
        await matchedBy('tool.destructive || (has(args.amount) && args.amount > 1.0)'),
        [1, 0, 0],
      )
      assert.deepEqual(await matchedBy('user.metadata.level == "trainee"'), [1, 0, 0])
      assert.deepEqual(await matchedBy('user.metadata.level == "expert"'), [0, 0, 0])
      assert.deepEqual(await matchedBy('account.organization'), [1, 0, 0])
      assert.deepEqual(await matchedBy('client.type == "mcp_key"'), [0, 1, 0], 'the key is not recorded')
      assert.deepEqual(await matchedBy('count("1h") > 0'), [0, 1, 0], 'calls are not counted for the past')
      assert.deepEqual(await matchedBy('tool.read_only && count("1h") > 0'), [0, 0, 0])
    })

    it('a changed rule is compared with the saved one, and the other rules of its policy count', async () => {
      const { keyWith, must, call, tested, organization } = await open()
      for (const amount of [50, 150, 9_876_543]) await call('theirs__pay', { amount })
      const policyKey = await keyWith(['policies'])
      const saved = await must('POST', '/policy-rules', { ...LARGE, name: 'Large' }, policyKey)
      await call('theirs__pay', { amount: 150 })
      const same = await tested({ id: saved.id, name: 'Large' })
      assert.deepEqual(same.issues, [])
      assert.deepEqual([same.calls.checked, same.calls.matched], [4, 3], 'with the call that it denied')
      assert.deepEqual(same.calls.changed, { deny: 0, ask: 0, allow: 0, hook: 0 })
      const higher = await tested({ id: saved.id, when: 'has(args.amount) && args.amount > 200.0' })
      assert.deepEqual(higher.calls.changed, { deny: 0, ask: 0, allow: 2, hook: 0 })
      assert.ok(higher.calls.examples.every((each: any) => each.previous_decision === 'deny'))
      const asks = await tested({ effect: 'ask', tools: ['theirs__pay'] })
      assert.deepEqual(asks.calls.decisions, { deny: 3, ask: 1, allow: 0, hook: 0 }, 'deny beats ask')
      assert.deepEqual(asks.calls.changed, { deny: 0, ask: 1, allow: 0, hook: 0 })
      // A rule of the organization does not count in the policy of a Tool Pack.
      const ofPack = await tested({ ...LARGE, tool_pack_id: organization.toolPackId, name: 'Large' })
      assert.deepEqual(ofPack.calls.changed, { deny: 3, ask: 0, allow: 0, hook: 0 })
      const failing = await tested({ ...LARGE, when: 'int(args.amount * 1e300) > 1' })
      assert.deepEqual([failing.issues.length, failing.calls], [1, null], 'args.amount may be missing')
      const failed = await tested({ ...LARGE, when: 'has(args.amount) && int(args.amount * 1e300) > 1' })
      assert.deepEqual([failed.calls.failed, failed.calls.matched], [4, 4], 'a rule that denies matches')
    })

    it('a raw request counts for the tools with the same operation, and an account by its owner', async () => {
      const { key, must, user, call, organization, tested } = await open()
      await must('PATCH', `/tool-packs/${organization.toolPackId}`, {
        connectors: [
          { slug: 'sandbox-notes', requests: { methods: ['GET', 'POST'], paths: ['/notes/api/*'] } },
        ],
      })
      const minted = await t.mint(user.id, { connector_slug: 'sandbox-notes' }, key)
      await linkNotes(createBrowserUser(), minted.magic_link_url)
      const made = await call('sandbox-notes__request', {
        method: 'POST',
        path: '/notes/api/notes',
        body: { title: 'Milk', text: 'Two' },
      })
      assert.ok(!made.isError, JSON.stringify(made))
      await call('sandbox-notes__list_notes')
      const matchedBy = async (body: object) => (await tested({ effect: 'deny', ...body })).calls.matched
      assert.equal(await matchedBy({ tools: ['sandbox-notes__create_note'] }), 1)
      assert.equal(await matchedBy({ tools: ['sandbox-notes__*'], when: 'tool.destructive' }), 1)
      assert.equal(await matchedBy({ tools: ['theirs__*'] }), 0)
      assert.equal(await matchedBy({ tools: ['*'], when: 'account.shared || account.organization' }), 0)
      assert.equal(await matchedBy({ tools: ['*'], when: '!account.shared' }), 2)
    })

    it('needs what reading recorded arguments needs, and sees calls of the caller’s mode only [policy.test-access]', async () => {
      const { organization, keyWith, call, test, tested } = await open()
      await call('theirs__pay', { amount: 500 })
      for (const groups of [['policies'], ['settings', 'tools', 'users', 'approvals']]) {
        const { status, body } = await test(LARGE, await keyWith(groups))
        assert.deepEqual([status, body.error.code], [403, 'key_group_required'], groups.join())
      }
      assert.equal((await tested(LARGE, await keyWith(['read']))).calls.matched, 1)
      assert.equal((await tested(LARGE, await keyWith(['read'], 'test'))).calls.checked, 0)
      const other = await open()
      assert.equal((await other.tested({ effect: 'deny', tools: ['*'] })).calls.checked, 0)
      const member = await signInPerson(t, { role: 'read_only', organizationId: organization.id })
      for (const [mode, checked] of [
        ['production', 1],
        ['test', 0],
      ] as const) {
        const answer = await member.call('POST', '/api/v1/policy-rules/test', { body: LARGE, mode })
        assert.deepEqual([answer.status, answer.body.calls?.checked], [200, checked], answer.text)
      }
    })

    it('reads a bounded number of records for a bounded time, and says which bound ended it', async () => {
      const { organization, call } = await open()
      for (const amount of [50, 150, 9_876_543]) await call('theirs__pay', { amount })
      const { features } = t.service
      const tryWith = async (bounds: Partial<TryBounds>) => {
        const { owner, toTry } = await prepareTrial(features, organization.id, LARGE as never)
        const caller = { organizationId: organization.id, mode: 'production' as const }
        return tryRule(features, caller, owner, toTry, { ...TRY_BOUNDS, ...bounds })
      }
      const two = await tryWith({ records: 2, ms: Infinity })
      assert.deepEqual([two.limit, two.checked, two.matched], ['records', 2, 2])
      assert.equal(two.covered_since, two.examples[1]?.started_at)
      assert.equal((await tryWith({ records: 3, ms: Infinity })).limit, null)
      let at = 0
      const timed = await tryWith({ ms: 2, now: () => at++ })
      assert.deepEqual([timed.limit, timed.checked], ['time', 2])
    })

    it('other work runs between two recorded calls', async () => {
      const { organization, call } = await open()
      for (const amount of [1, 2, 3, 4]) await call('theirs__pay', { amount })
      const { features } = t.service
      const { owner, toTry } = await prepareTrial(features, organization.id, LARGE as never)
      const caller = { organizationId: organization.id, mode: 'production' as const }
      const log: string[] = []
      const stop = new AbortController()
      const other = async () => {
        while (!stop.signal.aborted) {
          log.push('other')
          await new Promise(resolve => setImmediate(resolve))
        }
      }
      const now = () => {
        log.push('call')
        return 0
      }
      const running = other()
      await tryRule(features, caller, owner, toTry, { ...TRY_BOUNDS, now })
      stop.abort()
      await running
      const text = log.join(' ')
      assert.ok((text.match(/call/g)?.length ?? 0) >= 4 && !text.includes('call call call'), text)
    })
  })
