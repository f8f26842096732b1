import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { HOUR } from '../../src/core/duration.ts'
import { approvalStore } from '../../src/features/approvals/approval-store.ts'
import { endpointStore } from '../../src/features/webhooks/endpoint-store.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import { metricsInUse } from '../support/monitoring-files.ts'
import { type PlainMcp, startPlainMcp } from '../support/plain-mcp.ts'
import { type Sample, scrape, sumOf } from '../support/scrape.ts'
import { SANDBOX_CONNECTORS, startTestService, type TestService } from '../support/test-service.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

const NOTES = 'sandbox-notes'
const CALLS = 'carabiner_tool_calls_total'
const LABELS = [
  'connector',
  'format',
  'job_name',
  'le',
  'outcome',
  'pool',
  'state',
  'status',
  'step',
  'version',
]
const CONNECTORS = [...SANDBOX_CONNECTORS.split(' '), 'custom', 'none']
const OUTCOMES = 7
const REFRESH_OUTCOMES = 3
/** Per histogram: 16 buckets, sum and count. There is one for the call and one for each of its six steps, and two for webhooks. */
const HISTOGRAM_SERIES = 9 * 18
/** Jobs, pools, statuses and single values. */
const OTHER_SERIES = 52

describe('/metrics', () => {
  let t: TestService
  let plain: PlainMcp
  let port: number
  before(async () => {
    port = await freePort()
    t = await startTestService('postgres', { METRICS_PORT: String(port) }, { webhookWorker: { idleMs: 20 } })
    plain = await startPlainMcp()
    plain.tools = [{ name: 'look', description: 'Looks.' }]
  })
  after(async () => {
    await t.stop()
    await plain.stop()
  })

  const call = (userId: string, name: string, key?: string) =>
    t.mcp(userId, 'tools/call', { name, arguments: {} }, key ? { key } : {})
  /** The change of a sum during `work`. */
  const during = async (work: () => Promise<unknown>) => {
    const earlier = await scrape(port)
    await work()
    const later = await scrape(port)
    return (name: string, labels: Record<string, string> = {}) =>
      sumOf(later, name, labels) - sumOf(earlier, name, labels)
  }
  const createLinkedUser = async (): Promise<string> => {
    const { id } = await t.createUser()
    await linkNotes(createBrowserUser(), (await t.mint(id)).magic_link_url)
    return id
  }

  it('are not served on the public port', async () => {
    assert.equal((await t.call('GET', '/metrics', { key: null })).status, 404)
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 404)
  })

  it('count calls by connector and outcome, and measure each step', async () => {
    const linked = await createLinkedUser()
    const other = await t.createUser()
    const change = await during(async () => {
      await call(linked, `${NOTES}__list_notes`)
      await call(linked, `${NOTES}__list_notes`)
      await call(other.id, `${NOTES}__list_notes`)
      await call(linked, `${NOTES}__no_such_tool`)
      t.sandbox.script({ target: 'notes', behavior: 'status', status: 400 })
      await call(linked, `${NOTES}__list_notes`)
    })
    assert.equal(change(CALLS, { connector: NOTES, outcome: 'success' }), 2)
    assert.equal(change(CALLS, { connector: NOTES, outcome: 'needs_auth' }), 1)
    assert.equal(change(CALLS, { connector: NOTES, outcome: 'error' }), 1)
    assert.equal(change(CALLS, { connector: 'none', outcome: 'refused' }), 1)
    assert.equal(change(CALLS), 5)
    assert.equal(change('carabiner_tool_call_duration_seconds_count'), 5)
    const steps = (step: string) => change('carabiner_tool_call_step_duration_seconds_count', { step })
    assert.deepEqual(
      ['admission', 'argument_rules', 'credential', 'provider', 'result_rules', 'settlement'].map(steps),
      [5, 4, 4, 3, 2, 4],
    )
    assert.equal(sumOf(await scrape(port), 'carabiner_tool_calls_in_flight'), 0)
  })

  it('count refreshes by connector and outcome', async () => {
    const user = await createLinkedUser()
    const refreshes = 'carabiner_token_refreshes_total'
    const renewed = await during(async () => {
      await t.moveClock(2 * HOUR)
      await call(user, `${NOTES}__list_notes`)
    })
    assert.equal(renewed(refreshes, { connector: NOTES, outcome: 'refreshed' }), 1)
    const rejected = await during(async () => {
      await t.moveClock(2 * HOUR)
      t.sandbox.script({ target: 'token', behavior: 'status', status: 400, body: { error: 'invalid_grant' } })
      await call(user, `${NOTES}__list_notes`)
    })
    assert.equal(rejected(refreshes, { connector: NOTES, outcome: 'rejected' }), 1)
  })

  it('measure webhooks: attempts by outcome, their lag, and the queue', async () => {
    await using receiver = await startReceiver()
    const created = await t.call('POST', '/api/v1/webhook-endpoints', { body: { url: receiver.url } })
    const attempts = (from: Sample[], outcome: string) =>
      sumOf(from, 'carabiner_webhook_attempts_total', { format: 'single', outcome })
    await t.createUser()
    await eventually(async () => assert.equal(attempts(await scrape(port), 'delivered'), 1))
    receiver.answerWith((_, response) => void response.writeHead(410).end())
    await t.createUser()
    const later = await eventually(async () => {
      const samples = await scrape(port)
      assert.equal(attempts(samples, 'gone'), 1)
      return samples
    })
    assert.equal(sumOf(later, 'carabiner_webhook_attempt_duration_seconds_count'), 2)
    assert.equal(sumOf(later, 'carabiner_webhook_lag_seconds_count'), 2)
    const read = `/api/v1/webhook-endpoints/${created.body.id}`
    await eventually(async () => assert.equal((await t.call('GET', read)).body.status, 'disabled'))
    const { db, webhookMetrics } = t.service.features
    webhookMetrics.sampled(await endpointStore.sampleQueue(db))
    const sampled = await scrape(port)
    const endpoints = (status: string) => sumOf(sampled, 'carabiner_webhook_endpoints', { status })
    assert.deepEqual(['active', 'paused', 'disabled'].map(endpoints), [0, 0, 1])
    assert.equal(sumOf(sampled, 'carabiner_webhook_pending_deliveries', { status: 'disabled' }), 1)
    await t.moveClock(3_600_000)
    webhookMetrics.sampled(await endpointStore.sampleQueue(db))
    const due = sumOf(await scrape(port), 'carabiner_webhook_oldest_due_seconds', { status: 'disabled' })
    await t.moveClock(-3_600_000)
    assert.ok(due > 3000, `due for ${due} s`)
  })

  it('count the calls that wait for an approval, and the time of the first', async () => {
    const { db, approvalMetrics } = t.service.features
    const user = await t.createUser()
    await t.query(
      `insert into approvals (organization_id, id, registered_user_id, mode, tool_pack_id, connector_slug, tool, caller_type, caller_id, rules, call_hash,
         is_destructive, digest, requested_at, expires_at)
       values ($1, $2, $3, 'test', $4, 'notes', 'create', 'api_key', '1', '[]', '', true, '', app_now() - interval '10 minutes', app_now() + interval '5 minutes')`,
      [t.organization.id, randomUUID(), user.id, t.organization.toolPackId],
    )
    approvalMetrics.sampled(await approvalStore.samplePending(db))
    const samples = await scrape(port)
    assert.equal(sumOf(samples, 'carabiner_approvals_pending'), 1)
    const oldest = sumOf(samples, 'carabiner_approvals_oldest_pending_seconds')
    assert.ok(oldest >= 600 && oldest < 900, `${oldest} s`)
  })

  it('include the process, the event loop, the pools, the jobs and the responses', async () => {
    const job = { job_name: 'expire-codes' }
    const change = await during(async () => {
      await t.service.queue.started
      await t.call('GET', '/no-such-page', { key: null })
    })
    assert.ok(change('carabiner_http_requests_total', { status: '4xx' }) >= 1)
    const samples = await scrape(port)
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p99_seconds',
      'carabiner_processes',
      'carabiner_build_info',
      'carabiner_file_descriptors_used_ratio',
    ])
      assert.ok(sumOf(samples, name) > 0, name)
    assert.ok(sumOf(samples, 'carabiner_database_connections', { pool: 'general' }) >= 1)
    assert.ok(sumOf(samples, 'carabiner_job_last_success_timestamp_seconds', job) > 1e9)
  })

  it('follow the naming rules of Prometheus, and include all that the dashboard and the alerts read', async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    // Some names of the Prometheus client itself do not follow the rules.
    const own = text.split('\n').filter(line => /^(?:# \w+ )?carabiner_/.test(line))
    const checked = spawnSync('promtool', ['check', 'metrics'], {
      input: `${own.join('\n')}\n`,
      encoding: 'utf8',
    })
    assert.equal(checked.status, 0, checked.stdout + checked.stderr)
    const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({ name, type }))
    const series = types.flatMap(({ name, type }) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map(suffix => `${name}_${suffix}`) : [name],
    )
    const inUse = metricsInUse()
    assert.ok(inUse.length > 15, 'the metrics were found')
    assert.deepEqual(
      inUse.filter(name => !series.includes(name)),
      [],
    )
  })

  it('have a bounded number of series, and no label that a caller chooses', async () => {
    const user = await t.createUser()
    for (const organization of [t.organization, await t.createOrganization('Comet')])
      for (let n = 0; n < 3; n++) {
        const slug = `mine-${n}`
        const { key } = organization
        await t.call('POST', '/api/v1/connectors', { key, body: { slug, name: slug, url: plain.url } })
        await call(user.id, `${slug}__look`, key)
        await call(user.id, `unknown-${n}__tool-${n}`, key)
      }
    const samples = await scrape(port)
    assert.ok(sumOf(samples, CALLS, { connector: 'custom', outcome: 'success' }) >= 3)
    const own = samples.filter(({ name }) => name.startsWith('carabiner_'))
    const valuesOf = (label: string, from: Sample[]) =>
      new Set(from.flatMap(({ labels }) => (labels[label] === undefined ? [] : [labels[label]])))
    assert.deepEqual(
      [...new Set(own.flatMap(({ labels }) => Object.keys(labels)))].filter(label => !LABELS.includes(label)),
      [],
    )
    assert.deepEqual(
      [...valuesOf('connector', own)].filter(connector => !CONNECTORS.includes(connector)),
      [],
    )
    const bound = CONNECTORS.length * (OUTCOMES + REFRESH_OUTCOMES) + HISTOGRAM_SERIES + OTHER_SERIES
    assert.ok(own.length <= bound, `${own.length} series, at most ${bound}`)
    assert.ok(samples.length - own.length < 150, `${samples.length - own.length} series of Node`)
  })
})
