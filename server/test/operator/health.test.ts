import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { HOUR, MINUTE } from '../../src/core/duration.ts'
import { describeJobs, intervalOf } from '../../src/features/operator/job-health.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type PersonSession, signInPerson } from '../support/person-session.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines)
  describe(`health of the installation (${engine})`, () => {
    let t: TestService
    let operator: PersonSession
    before(async () => {
      t = await startTestService(engine)
      operator = await signInPerson(t, { isOperator: true })
    })
    after(() => t.stop())
    const read = async () => {
      const answer = await operator.own('GET', '/dashboard/installation/health')
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const statusOf = (health: any, name: string) =>
      health.checks.find((check: any) => check.name === name)?.status

    it('describes version, database, jobs, queues and storage', async () => {
      const health = await read()
      assert.equal(health.database.engine, engine)
      assert.match(health.database.version, /^1[5-9]/)
      assert.ok(health.database.bytes > 0)
      assert.ok(health.database.migrations >= 13)
      assert.ok(health.database.latency_ms >= 0)
      assert.deepEqual(
        health.queues.map(({ name, waiting }: any) => [name, waiting]),
        [
          ['webhooks', 0],
          ['revocations', 0],
          ['refreshes', 0],
          ['deletions', 0],
        ],
      )
      assert.ok(health.jobs.some(({ name }: any) => name === 'retention'))
      assert.ok(health.storage.length > 5)
      assert.deepEqual(health.organizations, [{ state: 'active', count: 1 }])
      assert.equal(statusOf(health, 'migrations'), 'ok')
    })

    it('contains no secret and no path of a database', async () => {
      const { text } = await operator.own('GET', '/dashboard/installation/health')
      assert.doesNotMatch(text, /postgres:\/\/|cb_sk_|password/i)
    })

    it('records the runs of jobs, and reports those that stopped', async () => {
      await t.service.queue.started
      await t.service.queue.wake('resume-connections')
      await eventually(async () => {
        const { jobs } = await read()
        assert.ok(jobs.find(({ name }: any) => name === 'resume-connections').last_success_at)
      })
      await t.query(
        "update job_runs set ended_at = app_now() - interval '1 day', succeeded_at = app_now() - interval '1 day'",
      )
      await t.query(
        `insert into job_runs (name, ended_at, succeeded_at) values ('check-tools', app_now() - interval '1 day', app_now() - interval '1 day')
         on conflict (name) do nothing`,
      )
      const health = await read()
      assert.deepEqual([health.status, statusOf(health, 'jobs')], ['problem', 'problem'])
      assert.match(health.checks.find((check: any) => check.name === 'jobs').found, /check-tools/)
    })

    it('reports a queue that is behind, with the fix', async () => {
      await t.query(
        `insert into revocations (organization_id, registered_user_id, connector_slug, oauth_app, secret_id, sealed, sealed_under, reason, give_up_at, due_at)
         values ($1, gen_random_uuid(), 'sandbox-notes', 'service:x', gen_random_uuid(), '\\x00', 'user', 'session_over',
           app_now() + interval '1 day', app_now() - interval '3 hours')`,
        [t.organization.id],
      )
      const health = await read()
      const check = health.checks.find((each: any) => each.name === 'revocations')
      assert.equal(check.status, 'warning')
      assert.match(check.found, /1 waiting, the oldest for 180 minutes/)
      assert.ok(check.fix.length > 10)
    })
  })

describe('health of jobs', () => {
  const job = { name: 'a', cron: '*/10 * * * *' }
  const at = new Date(0)
  const statusOf = (run: object | null, uptimeSeconds = 10): string | undefined =>
    describeJobs(
      [job],
      run ? [{ name: 'a', endedAt: at, succeededAt: at, idleSeconds: 1, ...run }] : [],
      uptimeSeconds,
    )[0]?.status

  it('the interval follows from the schedule', () => {
    assert.deepEqual(['* * * * *', '*/5 * * * *', '17 * * * *'].map(intervalOf), [60, 300, HOUR / 1000])
  })

  it('late, failing and new jobs are told apart', () => {
    assert.equal(statusOf({}), 'ok')
    assert.equal(statusOf({ idleSeconds: (25 * MINUTE) / 1000 + 1 }), 'problem')
    assert.equal(statusOf({ endedAt: new Date(1) }), 'warning')
    assert.equal(statusOf({ succeededAt: null, idleSeconds: null }), 'warning')
    assert.equal(statusOf(null), 'ok')
    assert.equal(statusOf(null, 10_000), 'problem')
  })
})
