import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { ReadinessReport } from '../../src/platform/health/readiness.ts'
import { createLog } from '../../src/platform/log.ts'
import { type Service, startService } from '../../src/service.ts'
import { eventually } from '../support/eventually.ts'
import { scrape, sumOf } from '../support/scrape.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const JOB = 'expire-codes'

describe('an api process and a worker process', () => {
  let api: TestService
  let worker: Service
  let workerUrl: string
  const port = { api: 0, worker: 0 }
  const workerLog: string[] = []
  before(async () => {
    port.api = await freePort()
    port.worker = await freePort()
    api = await startTestService('postgres', { ROLE: 'api', METRICS_PORT: String(port.api) })
    const config = readConfig({
      ROLE: 'worker',
      PORT: String(await freePort()),
      METRICS_PORT: String(port.worker),
      DATABASE_URL: api.databaseUrl,
      KEY_FILE: api.keyFile,
      TOMBSTONE_PATH: api.tombstonePath,
      CONNECTORS: 'sandbox-notes',
      SANDBOX_URL: api.sandbox.url,
    })
    workerUrl = config.baseUrl
    worker = await startService(config, createLog('debug', { write: line => void workerLog.push(line) }), {
      withDemo: true,
    })
    await worker.queue.started
  })
  after(async () => {
    await worker.stop()
    await api.stop()
  })

  const queueState = async (baseUrl: string) => {
    const report = (await (await fetch(`${baseUrl}/readyz`)).json()) as ReadinessReport
    return [report.status, report.checks.find(({ name }) => name === 'queue')?.status]
  }

  it('are both ready, and only the worker uses the queue', async () => {
    assert.deepEqual(await queueState(api.baseUrl), ['ready', 'not_used'])
    assert.deepEqual(await queueState(workerUrl), ['ready', 'ok'])
  })

  it('run jobs in the worker only', async () => {
    const completed = (lines: string[]) => lines.filter(line => line.includes('job completed')).length
    const known = completed(workerLog)
    await api.service.queue.wake(JOB)
    await eventually(async () => assert.ok(completed(workerLog) > known, 'the job ran'))
    assert.equal(completed(api.logLines), 0)
    assert.ok(sumOf(await scrape(port.worker), 'carabiner_job_runs_total', { job_name: JOB }) >= 1)
    const ofApi = await scrape(port.api)
    assert.ok(!ofApi.some(({ name }) => name === 'carabiner_job_last_success_timestamp_seconds'))
  })

  it('serve nothing but the health of the worker', async () => {
    assert.equal((await fetch(`${workerUrl}/livez`)).status, 200)
    for (const path of ['/', '/link/', '/api/v1/registered-users', '/api/v1/openapi.json', '/docs/errors']) {
      const headers = { authorization: `Bearer ${api.organization.key}` }
      assert.equal((await fetch(workerUrl + path, { headers })).status, 404, path)
    }
    assert.equal(worker.sandbox, undefined)
    assert.equal(worker.demo, null)
  })
})
