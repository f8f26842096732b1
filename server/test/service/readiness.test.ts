import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ReadinessReport } from '../../src/platform/health/readiness.ts'
import { eventually } from '../support/eventually.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

describe('/readyz', () => {
  let t: TestService
  const drained = Promise.withResolvers<void>()
  before(async () => {
    t = await startTestService('postgres', {}, { drained: () => drained.promise, withSchedule: true })
    await t.service.queue.started
  })
  after(() => t.stop())

  const read = () => t.call<ReadinessReport>('GET', '/readyz', { key: null })
  const untilFailed = (name: string) =>
    eventually(async () => {
      const { status, headers, body } = await read()
      assert.equal(status, 503)
      assert.ok(headers.get('retry-after'))
      assert.equal(body.status, 'not_ready')
      const failed = body.checks.filter(check => check.status === 'failed')
      assert.deepEqual(
        failed.map(check => check.name),
        [name],
      )
      assert.ok(failed[0]?.action, 'the body contains what to do')
    })
  const untilReady = () => eventually(async () => assert.equal((await read()).status, 200))

  it('lists every check', async () => {
    const { status, headers, body } = await read()
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual(body, {
      status: 'ready',
      checks: ['database', 'migrations', 'vault_key', 'queue'].map(name => ({ name, status: 'ok' })),
    })
  })

  it('names the migrations if the database lacks one', async () => {
    const [newest] = await t.query(
      'delete from schema_migrations where version = (select max(version) from schema_migrations) returning *',
    )
    await untilFailed('migrations')
    await t.query(
      'insert into schema_migrations (version, name, checksum, breaking) values ($1, $2, $3, $4)',
      [newest.version, newest.name, newest.checksum, newest.breaking],
    )
    await untilReady()
  })

  it('names the vault key if the database uses one that this process does not have', async () => {
    const [{ wrapped }] = await t.query('select wrapped from service_secrets')
    const foreign = Buffer.from(wrapped as Buffer)
    // The ID of the wrapping key.
    foreign.writeUInt8(foreign.readUInt8(1) ^ 0xff, 1)
    await t.query('update service_secrets set wrapped = $1', [foreign])
    await untilFailed('vault_key')
    await t.query('update service_secrets set wrapped = $1', [wrapped])
    await untilReady()
  })

  it('names the queue if its tables are missing', async () => {
    await t.query('alter schema pgboss rename to elsewhere')
    await untilFailed('queue')
    await t.query('alter schema elsewhere rename to pgboss')
    await untilReady()
  })

  it('responds with 503 while draining, when requests are still served', async () => {
    const stopped = t.service.stop()
    const { status, body } = await read()
    assert.deepEqual([status, body], [503, { status: 'draining', checks: [] }])
    assert.equal((await t.call('GET', '/livez', { key: null })).status, 200)
    assert.equal((await t.call('GET', '/api/v1/registered-users')).status, 200)
    drained.resolve()
    await stopped
    await assert.rejects(read())
  })
})
