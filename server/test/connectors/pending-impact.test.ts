import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY } from '../../src/core/duration.ts'
import { type PlainMcp, startPlainMcp } from '../support/plain-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const issue = (properties: object, required: string[], more = {}) => ({
  name: 'create_issue',
  description: 'Creates an issue.',
  inputSchema: { type: 'object', properties, required, additionalProperties: false, ...more },
})
const text = { type: 'string' }
const ACCEPTED = issue({ repo: text, title: text }, ['repo'])
const LOOK = { name: 'look', description: 'Looks.' }
const IMPACT = '/api/v1/connectors/issues/tools/pending/impact'

describe('recorded calls against changed tools', () => {
  let t: TestService
  let server: PlainMcp
  let userId: string
  before(async () => {
    t = await joinTestService()
    server = await startPlainMcp()
    server.tools = [ACCEPTED, LOOK]
    const added = await t.call('POST', '/api/v1/connectors', {
      body: { slug: 'issues', name: 'Issues', url: server.url },
    })
    assert.equal(added.status, 201, added.text)
    userId = (await t.createUser()).id
  })
  after(async () => {
    await t.stop()
    await server.stop()
  })

  const run = async (name: string, args: object, user = userId, key = t.organization.key) => {
    const { body } = await t.mcp(user, 'tools/call', { name: `issues__${name}`, arguments: args }, { key })
    assert.equal(body.result.isError ?? false, false, JSON.stringify(body))
  }
  const offer = async (...tools: PlainMcp['tools']) => {
    server.tools = tools
    const checked = await t.call('POST', '/api/v1/connectors/issues/tools/check')
    assert.equal(checked.status, 200, checked.text)
  }
  const impact = async (query = '') => {
    const answer = await t.call('GET', IMPACT + query)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  it('without pending tools, for catalog connectors and with wrong days: an error', async () => {
    assert.equal((await t.call('GET', IMPACT)).body.error.code, 'no_pending_tools')
    const catalog = await t.call('GET', '/api/v1/connectors/sandbox-notes/tools/pending/impact')
    assert.equal(catalog.body.error.code, 'connector_not_found')
    for (const days of ['0', '31', '-1', 'x', '100'])
      assert.equal((await t.call('GET', `${IMPACT}?days=${days}`)).status, 400, days)
    const asTest = await t.call('GET', IMPACT, { key: t.organization.testKey })
    assert.equal(asTest.body.error.code, 'production_key_required')
  })

  it('without stored arguments: no call is checked, and they are counted as such', async () => {
    await run('create_issue', { repo: 'secret-repository' })
    await offer(issue({ repository: text, title: text }, ['repository']), LOOK)
    const found = await impact()
    assert.deepEqual(
      [found.calls_checked, found.calls_failing, found.calls_not_checked, found.failures],
      [0, 0, 1, []],
    )
  })

  it('counts the calls that a renamed input would break, in both modes, without their values', async () => {
    await t.call('PATCH', '/api/v1/organization', { body: { capture: 'on' } })
    await run('create_issue', { repo: 'secret-repository', title: 'One' })
    await run('create_issue', { repo: 'secret-repository' })
    await run('look', {})
    const inTest = await t.createUser({}, t.organization.testKey)
    await run('create_issue', { repo: 'secret-repository' }, inTest.id, t.organization.testKey)
    const found = await impact()
    assert.deepEqual(
      [found.calls_checked, found.calls_failing, found.calls_not_checked, found.is_complete],
      [4, 3, 1, true],
    )
    const [failure] = found.failures
    assert.deepEqual(
      [failure.tool, failure.calls, failure.message],
      ['create_issue', 3, '`repo` was renamed to `repository`.'],
    )
    assert.equal(
      (await t.call('GET', `/api/v1/tool-calls/${failure.example_tool_call_id}`)).status < 500,
      true,
    )
    assert.ok(!JSON.stringify(found).includes('secret-repository'))
  })

  it('names removed tools and other reasons, and accepts compatible changes', async () => {
    await offer(issue({ repo: text, title: text, labels: text }, ['repo', 'title']))
    const reasons = (await impact()).failures.map(({ tool, calls, message }: any) => [tool, calls, message])
    assert.deepEqual(
      reasons.map(([tool, calls]: [string, number]) => [tool, calls]),
      [
        ['create_issue', 2],
        ['look', 1],
      ],
    )
    assert.match(reasons[0][2], /`title`/)
    assert.equal(reasons[1][2], 'The server no longer lists this tool.')
    await offer(issue({ repo: text, title: text, labels: text }, ['repo']), LOOK)
    assert.equal((await impact()).calls_failing, 0)
  })

  it('looks back only for the given days', async () => {
    await t.query(`update tool_calls set started_at = started_at - interval '3 days' where tool = 'look'`)
    assert.equal((await impact('?days=1')).calls_checked, 3)
    assert.equal((await impact('?days=7')).calls_checked, 4)
    assert.ok(Date.parse((await impact('?days=2')).since) < Date.now() - 1.9 * DAY)
  })
})
