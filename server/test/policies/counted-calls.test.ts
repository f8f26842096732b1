import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import { HOUR, MINUTE } from '../../src/core/duration.ts'
import { SHIPPED_FOLDER } from '../../src/features/connectors/catalog/catalog.ts'
import { settlementStore } from '../../src/features/tools/admission/settlement-store.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import { type HostileServer, json, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { writeConnectors } from '../support/listed-connectors.ts'
import { signInPerson } from '../support/person-session.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const NOTES = 'sandbox-notes'

/** Notes with two tools that send, and raw requests. */
const notesThatSend = (): ConnectorFile => {
  const file = JSON.parse(readFileSync(join(SHIPPED_FOLDER, `${NOTES}.json`), 'utf8'))
  const [, create] = file.tools
  file.replaces = true
  create.effects = ['sends']
  file.tools.push({ ...create, name: 'send_copy', title: 'Send a copy' })
  return file
}

describe('conditions that count calls', () => {
  const files = writeConnectors([notesThatSend()])
  let t: TestService
  /** Another node of the same installation. */
  let other: TestService
  let server: HostileServer
  let received: number
  let answer: 'done' | 'rejected' | 'broken'
  /** The provider answers once it is resolved. */
  let hold: Promise<void> | undefined
  before(async () => {
    t = await startTestService('postgres', { CONNECTORS_DIRECTORY: files.folder })
    other = await startTestService(
      'postgres',
      { CONNECTORS_DIRECTORY: files.folder, DATABASE_URL: t.databaseUrl as string, KEY_FILE: t.keyFile },
      { withJobs: false },
    )
    server = await startHostileMcp()
    server.reset({
      'tools/list': exchange =>
        result(exchange, { tools: ['pay', 'read'].map(name => ({ name, inputSchema: { type: 'object' } })) }),
      'tools/call': async exchange => {
        received++
        await hold
        if (answer !== 'done') return json(exchange.response, {}, answer === 'broken' ? 500 : 429)
        return result(exchange, { content: [{ type: 'text', text: 'done' }] })
      },
    })
  })
  after(async () => {
    await other.stop()
    await t.stop()
    await server.close()
    files.remove()
  })

  let organizations = 0
  const open = async () => {
    received = 0
    answer = 'done'
    hold = undefined
    const organization = await t.createOrganization(`Counts ${++organizations}`)
    const { key } = organization
    const api = async (method: string, path: string, body?: unknown) => {
      const sent = await t.call(method, `/api/v1${path}`, { key, ...(body !== undefined && { body }) })
      assert.ok(sent.status < 300, sent.text)
      return sent.body
    }
    await api('POST', '/connectors', { name: 'Theirs', slug: 'theirs', url: server.url })
    const user = await t.createUser({}, key)
    const add = (when: string, rule: object = {}) =>
      api('POST', '/policy-rules', { name: when, effect: 'deny', tools: ['theirs__pay'], when, ...rule })
    type Options = { name?: string; args?: object; userId?: string; at?: TestService; packId?: string }
    const call = async ({
      name = 'theirs__pay',
      args = {},
      userId = user.id,
      at = t,
      packId = organization.toolPackId,
    }: Options = {}) => {
      const { body } = await at.mcp(userId, 'tools/call', { name, arguments: args }, { key, packId })
      return body.result ?? body
    }
    const codeOf = async (options?: Options): Promise<string | null> => {
      const { structuredContent: content } = await call(options)
      return content?.error?.code ?? (content?.type === 'approval_meta' ? 'approval' : null)
    }
    const explain = async (tool = 'theirs__pay') => {
      const body = { registered_user_id: user.id, tool, arguments: {} }
      const explained = await api('POST', '/explain', body)
      return explained.steps.find(({ step }: { step: string }) => step === 'policy').status
    }
    return { organization, key, api, user, add, call, codeOf, explain }
  }

  it('a limit holds exactly for concurrent calls, on several nodes [policy.count]', async () => {
    const { add, codeOf } = await open()
    await add('count("1h") >= 5')
    const nodes = [t, other]
    const codes = await Promise.all(
      Array.from({ length: 100 }, (_, n) => codeOf({ at: nodes[n % 2] as TestService })),
    )
    assert.ok(codes.includes('policy_denied'))
    // Calls are repeated that have failed because many at once have overloaded the server.
    await eventually(async () => {
      await codeOf()
      assert.equal(received, 5)
    })
    for (const at of nodes) assert.equal(await codeOf({ at }), 'policy_denied')
    assert.equal(received, 5)
  })

  it('a running call counts, and one that was not carried out does not [policy.count]', async () => {
    const { add, codeOf, explain } = await open()
    await add('count("1h") >= 2')
    answer = 'rejected'
    for (let rejected = 0; rejected < 3; rejected++)
      assert.equal(await codeOf(), 'third_party_rate_limited', 'the provider has rejected the call')
    assert.equal(received, 3)
    answer = 'broken'
    assert.equal(await codeOf(), 'third_party_error', 'the provider may have carried out the call')
    answer = 'done'
    const release = Promise.withResolvers<void>()
    hold = release.promise
    const running = codeOf()
    await eventually(async () => assert.equal(received, 5))
    assert.equal(await explain(), 'failed')
    assert.equal(await codeOf(), 'policy_denied')
    release.resolve()
    assert.equal(await running, null)
    assert.equal(received, 5)
  })

  it('counts calls from before the rule, of this tool and user, until the window has passed [policy.count]', async () => {
    const { add, codeOf, explain, key } = await open()
    const stranger = await open()
    const { id: second } = await t.createUser({}, key)
    assert.equal(await codeOf(), null)
    assert.equal(await codeOf({ name: 'theirs__read' }), null)
    assert.equal(await codeOf({ userId: second }), null)
    assert.equal(await stranger.codeOf(), null)
    await add('count("30m") >= 2')
    for (let attempt = 0; attempt < 3; attempt++)
      assert.equal(await explain(), 'passed', 'Explain reserves nothing')
    assert.equal(await codeOf(), null)
    assert.equal(await codeOf(), 'policy_denied')
    assert.equal(await codeOf({ userId: second }), null)
    assert.equal(await codeOf({ name: 'theirs__read' }), null)
    await t.moveClock(30 * MINUTE)
    assert.equal(await codeOf(), null)
    assert.equal(await codeOf(), null, 'denied calls do not count')
    assert.equal(await codeOf(), 'policy_denied')
  })

  it('a call that waits for an approval does not count, its execution does [policy.count]', async () => {
    const { organization, api, add, call, codeOf } = await open()
    await add('count("1h") >= 2')
    await add('args == {"large": true}', { effect: 'ask' })
    const large = { args: { large: true } }
    const meta = (await call(large)).structuredContent
    assert.equal(meta.type, 'approval_meta')
    for (let repeat = 0; repeat < 3; repeat++) assert.equal(await codeOf(large), 'approval')
    assert.equal(await codeOf(), null)
    const member = await signInPerson(t, { role: 'security', organizationId: organization.id })
    const path = `/approvals/${meta.approval_id}`
    const { approval_digest } = await api('GET', path)
    const body = { decision: 'approve', approval_digest }
    assert.equal((await member.call('POST', `/api/v1${path}/decision`, { body })).status, 200)
    assert.equal(await codeOf(large), null)
    assert.equal(await codeOf(), 'policy_denied')
    assert.equal(received, 2)
  })

  it('a call whose process has died counts [policy.count]', async () => {
    const { add, codeOf } = await open()
    await add('count("1h") >= 1')
    const release = Promise.withResolvers<void>()
    hold = release.promise
    const lost = codeOf()
    await eventually(async () => assert.equal(received, 1))
    await t.moveClock(20 * MINUTE)
    await settlementStore.markUnknown(t.service.features.db)
    assert.equal(await codeOf(), 'policy_denied')
    release.resolve()
    await lost
    await t.moveClock(HOUR)
    assert.equal(await codeOf(), null)
  })

  it('counts all tools with an effect, and a raw request as the tools with its operation [policy.count]', async () => {
    const { api, user, key, organization, add, codeOf } = await open()
    const link = await t.mint(user.id, { connector_slug: NOTES }, key)
    await linkNotes(createBrowserUser(), link.magic_link_url)
    await api('PATCH', `/tool-packs/${organization.toolPackId}`, {
      connectors: [{ slug: NOTES, requests: { methods: ['GET', 'POST'], paths: ['/notes/api/*'] } }],
    })
    const note = { title: 'A', text: 'b' }
    const create = { name: `${NOTES}__create_note`, args: note }
    const copy = { name: `${NOTES}__send_copy`, args: note }
    const raw = { name: `${NOTES}__request`, args: { method: 'POST', path: '/notes/api/notes', body: note } }
    const read = { name: `${NOTES}__request`, args: { path: '/notes/api/notes' } }
    await add('count("1h", "sends") >= 4', { tools: [create.name] })
    for (const sends of [copy, create, copy, raw]) assert.equal(await codeOf(sends), null)
    assert.equal(await codeOf(create), 'policy_denied')
    assert.equal(await codeOf(raw), 'policy_denied', 'it makes the same request')
    assert.equal(await codeOf(copy), null, 'the rule is not for this tool')
    assert.equal(await codeOf(read), null)
    await t.moveClock(HOUR)
    assert.equal(await codeOf(raw), null)
    await add('count("1h") >= 2', { tools: [copy.name] })
    assert.equal(await codeOf(copy), null)
    assert.equal(await codeOf(copy), 'policy_denied', 'the raw request counts as this tool')
  })

  it('concurrent calls of tools with the same effect share one limit [policy.count]', async () => {
    const { user, key, add, codeOf } = await open()
    const link = await t.mint(user.id, { connector_slug: NOTES }, key)
    await linkNotes(createBrowserUser(), link.magic_link_url)
    await add('count("1h", "sends") >= 3', { tools: [`${NOTES}__*`] })
    const names = ['create_note', 'send_copy']
    const codes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        codeOf({ name: `${NOTES}__${names[n % 2]}`, args: { title: `${n}`, text: 'x' } }),
      ),
    )
    assert.deepEqual(codes.filter(code => code === null).length, 3, codes.join())
  })

  it('a rule that counts is saved with a valid period only, and hides no tool from lists [policy.count]', async () => {
    const { organization, key, user, add, codeOf } = await open()
    for (const period of ['59s', '32d', '1w']) {
      const body = { name: period, effect: 'deny', tools: ['*'], when: `count("${period}") > 1` }
      const { status, body: refused } = await t.call('POST', '/api/v1/policy-rules', { key, body })
      assert.deepEqual([status, refused.error.code, refused.error.param], [400, 'invalid_condition', 'when'])
      assert.match(refused.error.message, /from "1m" to "31d"/)
    }
    await add('count("31d") >= 0')
    assert.equal(await codeOf(), 'policy_denied')
    const { body } = await t.mcp(user.id, 'tools/list', {}, { key, packId: organization.toolPackId })
    assert.ok(body.result.tools.some(({ name }: { name: string }) => name === 'theirs__pay'))
    // A rule that was saved some other way fails, and a rule that denies then matches.
    await t.query(`update policy_rules set condition = 'count("9999d") > 100' where organization_id = $1`, [
      organization.id,
    ])
    assert.equal(await codeOf(), 'policy_denied')
  })
})
