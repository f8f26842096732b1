import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret } from '../../src/core/secret.ts'
import { openPostgres } from '../../src/platform/database/postgres/postgres.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { createTestDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type Pooler, queryOnce, startPgbouncer } from '../support/pgbouncer.ts'
import { runSql } from '../support/run-sql.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const CALLBACK = 'https://app.example.com/callback'
/** Concurrent calls of the flows, more than the pooler has connections to PostgreSQL. */
const CONCURRENT = 12

describe('through PgBouncer in transaction mode', () => {
  const opened = new AsyncDisposableStack()
  let directUrl: string
  let pooler: Pooler
  let t: TestService
  before(async () => {
    const database = await createTestDatabase('postgres')
    opened.defer(() => database.drop())
    directUrl = database.url as string
    // The service reads ISO dates only. An operator may have configured another style.
    await queryOnce(
      directUrl,
      `alter database ${new URL(directUrl).pathname.slice(1)} set datestyle to 'German'`,
    )
    pooler = await startPgbouncer(directUrl)
    opened.defer(() => pooler.close())
    t = await startTestService(
      'postgres',
      { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: directUrl },
      { withSchedule: true },
    )
    opened.defer(() => t.stop())
    await t.service.queue.started
    await t.allowOrigin(new URL(CALLBACK).origin)
  })
  after(() => opened.disposeAsync())

  const times = <T>(work: (n: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: CONCURRENT }, (_, n) => work(n)))
  const linkVault = async (userId: string): Promise<void> => {
    const browser = createBrowserUser()
    const form = await browser.open((await t.mint(userId, { connector: 'sandbox-vault' })).magic_link_url)
    await browser.submit(form, /\/api-key$/, { api_key: t.sandbox.vaultKeys.ana })
  }
  const issueCode = async (userId: string): Promise<string> => {
    const browser = createBrowserUser()
    const target = { Connector: 'sandbox-notes', callback_url: CALLBACK, state: 's' }
    await linkNotes(browser, (await t.mint(userId, target)).magic_link_url)
    return new URL(browser.lastLocation as string).searchParams.get('code') as string
  }
  const callTool = async (userId: string, name: string): Promise<string> => {
    const { body, text, headers } = await t.mcp(userId, 'tools/call', { name, arguments: {} })
    assert.equal(body.result?.isError, false, text)
    return headers.get('x-request-id') as string
  }

  it('links by API key and by OAuth, redeems a code once, lists and calls tools, and records the calls', async () => {
    const users = await times(() => t.createUser())
    const { id } = users[0] as { id: string }
    await linkVault(id)
    const code = await issueCode(id)
    const confirmations = await times(() => t.call('POST', '/api/v1/link-token/confirm', { body: { code } }))
    assert.equal(confirmations.filter(({ status }) => status === 200).length, 1)

    const { body } = await t.mcp(id, 'tools/list')
    const tools = body.result.tools.map(({ name }: { name: string }) => name)
    assert.ok(tools.includes('sandbox-notes__list_notes') && tools.includes('sandbox-vault__list_items'))
    const calls = await times(n =>
      callTool(id, n % 2 === 0 ? 'sandbox-notes__list_notes' : 'sandbox-vault__list_items'),
    )
    const records = await t.call('GET', `/api/v1/tool-calls?registered_user_id=${id}&limit=100`)
    const recorded = records.body.data.filter(({ outcome }: { outcome: string }) => outcome === 'success')
    assert.deepEqual(
      recorded.map(({ request_id }: { request_id: string }) => request_id).toSorted(),
      calls.toSorted(),
    )
    await Promise.all(users.map(user => t.mint(user.id)))
  })

  it('reads dates, whatever style the database has', async () => {
    const [{ style } = { style: '' }] = await queryOnce(
      directUrl,
      `select current_setting('datestyle') as style`,
    )
    assert.match(String(style), /^German/)
    const db = await openPooled()
    const now = await runSql<{ at: Date }>(db, `select timestamptz '2030-01-31 12:00Z' as at`)
    assert.equal(now[0]?.at.toISOString(), '2030-01-31T12:00:00.000Z')
    const { rows } = await db.foreign('select $1::timestamptz as at', [new Date(0)])
    assert.deepEqual(rows, [{ at: new Date(0) }])
    await db.close()
  })

  it('the service does not start without DATABASE_DIRECT_URL', async () => {
    await assert.rejects(startTestService('postgres', { DATABASE_URL: pooler.url }), {
      name: 'TransactionPooling',
      message: /^DATABASE_URL: A connection pooler assigns transactions .*Set DATABASE_DIRECT_URL/,
    })
  })

  const openPooled = () =>
    openPostgres({
      url: new Secret(pooler.url),
      directUrl: new Secret(directUrl),
      preparedStatements: false,
      poolSize: 4,
      timeoutMs: 60_000,
      onIdleError: () => undefined,
    })

  it('receives notifications, which the pooler does not deliver, through the direct connection', async () => {
    const db = await openPooled()
    const received = Promise.withResolvers<string>()
    await db.listen('pooled', received.resolve)
    await db.notify('pooled', 'sent through the pooler')
    assert.equal(await received.promise, 'sent through the pooler')
    await db.close()
  })

  it('applies settings to its own transactions only, and leaves no prepared statement behind', async () => {
    const db = await openPooled()
    const show = `select current_setting('statement_timeout') as timeout, current_setting('enable_seqscan') as seqscan`
    assert.deepEqual(await runSql(db, show), [{ timeout: '2min', seqscan: 'on' }])
    assert.deepEqual(await db.transaction(tx => runSql(tx, show)), [{ timeout: '2min', seqscan: 'on' }])
    const shown = { name: 'test.show', text: show, parameters: {}, columns: undefined, order: [] }
    assert.deepEqual(await db.batch([[shown]]), [[{ timeout: '1min', seqscan: 'off' }]])
    await assert.rejects(runSql(db, 'select 1 / 0'), { code: '22012' })
    assert.deepEqual(await runSql(db, 'select 1 as ok'), [{ ok: 1 }])
    await db.close()

    const sessions = await times(() =>
      queryOnce(
        pooler.url,
        `select current_setting('statement_timeout') as timeout, current_setting('enable_seqscan') as seqscan,
           (select count(*)::int from pg_prepared_statements) as prepared, pg_sleep(0.01)::text as slept`,
      ),
    )
    for (const [session] of sessions)
      assert.deepEqual(session, { timeout: '0', seqscan: 'on', prepared: 0, slept: '' })
  })

  it('without the pooler: 503 with Retry-After, and recovery after its restart', async () => {
    const { id } = await t.createUser()
    const mint = () => t.call('POST', `/api/registered-users/${id}/link-token`, { body: {} })
    await pooler.stop()
    await eventually(async () => {
      const { status, headers } = await mint()
      assert.equal(status, 503)
      assert.ok(headers.get('retry-after'))
    })
    await pooler.start()
    await eventually(async () => assert.equal((await mint()).status, 201))
  })
})
