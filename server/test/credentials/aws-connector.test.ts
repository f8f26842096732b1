import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AWS_KEY, startAwsStandIn } from '../support/aws-stand-in.ts'
import { createBrowserUser } from '../support/browser-user.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const ARN = 'arn:aws:iam::123456789012:user/agent'
const ANSWERS = {
  sts: { GetCallerIdentityResponse: { GetCallerIdentityResult: { Arn: ARN, Account: '123456789012' } } },
  lambda: { Functions: [{ FunctionName: 'invoices', Runtime: 'nodejs24.x' }] },
  logs: { events: [{ timestamp: 1, message: 'ERROR out of paper' }] },
  monitoring: { MetricAlarms: [{ AlarmName: 'too-slow', StateValue: 'ALARM' }] },
  dynamodb: { TableNames: ['orders'] },
}
const CALLS: [service: keyof typeof ANSWERS, tool: string, args: object, result: RegExp][] = [
  ['lambda', 'list_functions', {}, /invoices/],
  ['logs', 'search_logs', { log_group: '/aws/lambda/invoices', filter: 'ERROR', limit: 5 }, /out of paper/],
  ['monitoring', 'list_alarms', { state: 'ALARM' }, /too-slow/],
  ['dynamodb', 'list_dynamodb_tables', {}, /orders/],
]

describe('the connector of AWS', () => {
  const standIns = new Map<string, Awaited<ReturnType<typeof startAwsStandIn>>>()
  let t: TestService
  before(async () => {
    for (const [service, answer] of Object.entries(ANSWERS))
      standIns.set(service, await startAwsStandIn({ service, answer }))
    t = await startTestService('postgres', {
      CONNECTORS: 'sandbox-notes aws',
      STAND_INS: [...standIns]
        .map(([service, { origin }]) => `https://${service}.{tenant.region}.amazonaws.com=${origin}`)
        .join(' '),
    })
  })
  after(async () => {
    await t.stop()
    for (const standIn of standIns.values()) standIn.stop()
  })

  const submit = async (userId: string, changes: Record<string, string> = {}) => {
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(userId, { connector: 'aws' })).magic_link_url)
    return browser.submit(page, /\/api-key$/, {
      'tenant.region': 'eu-west-1',
      access_key_id: AWS_KEY.id,
      secret_access_key: AWS_KEY.secret,
      session_token: '',
      ...changes,
    })
  }
  const call = async (userId: string, tool: string, args: object) =>
    (await t.mcp(userId, 'tools/call', { name: `aws__${tool}`, arguments: args })).body.result

  it('is named by STS, and each service accepts the signatures of its calls', async () => {
    const user = await t.createUser()
    assert.match((await submit(user.id)).url, /\/done/)
    const { body } = await t.call('GET', `/api/v1/registered-users/${user.id}/credentials`)
    assert.deepEqual([body.data[0].method, body.data[0].account], ['aws_signature', ARN])
    for (const [service, tool, args, expected] of CALLS) {
      const result = await call(user.id, tool, args)
      assert.equal(result.isError, false, JSON.stringify(result))
      assert.match(JSON.stringify(result), expected)
      const sent = standIns.get(service)?.requests.at(-1)
      assert.equal(sent?.headers['x-amz-security-token'], undefined)
      if (service !== 'lambda')
        assert.match(String(sent?.headers['content-type']), /^application\/x-amz-json-1/)
    }
  })

  it('signs a session token of temporary keys', async () => {
    const user = await t.createUser()
    assert.match((await submit(user.id, { session_token: 'session-token-canary' })).url, /\/done/)
    assert.equal((await call(user.id, 'list_functions', {})).isError, false)
    const sent = standIns.get('lambda')?.requests.at(-1)
    assert.equal(sent?.headers['x-amz-security-token'], 'session-token-canary')
    assert.match(String(sent?.headers.authorization), /x-amz-security-token/)
  })

  it('is not linked with a wrong key, a wrong region or an invalid access key ID', async () => {
    for (const changes of [
      { secret_access_key: 'another-secret-key-of-forty-characters' },
      { 'tenant.region': 'eu-west-1.evil.example' },
      { access_key_id: 'not a key' },
    ]) {
      const user = await t.createUser()
      assert.doesNotMatch((await submit(user.id, changes)).url, /\/done/, JSON.stringify(changes))
    }
  })

  it('stays linked while the key is refused for the clock of one service', async () => {
    const user = await t.createUser()
    await submit(user.id)
    standIns.get('logs')?.setClockAhead(20 * 60_000)
    const result = await call(user.id, 'search_logs', { log_group: 'g', limit: 1 })
    standIns.get('logs')?.setClockAhead(0)
    assert.equal(result.isError, true)
    const { body } = await t.call('GET', `/api/v1/registered-users/${user.id}/credentials`)
    assert.equal(body.data[0].status, 'active')
    assert.equal((await call(user.id, 'search_logs', { log_group: 'g', limit: 1 })).isError, false)
  })
})
