import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, startCluster } from '../../../scripts/postgres-cluster.ts'
import { ensureDemo } from '../../src/first-boot.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { ReadinessReport } from '../../src/platform/health/readiness.ts'
import { createLog } from '../../src/platform/log.ts'
import { startService } from '../../src/service.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { createTestDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { queryOnce } from '../support/pgbouncer.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { type Answer, startTestService } from '../support/test-service.ts'

/** A service whose connections to its database go through a proxy. */
const startBehindProxy = async (settings: Record<string, string> = {}) => {
  const database = await createTestDatabase('postgres')
  const url = new URL(database.url as string)
  const proxy = await startTcpProxy(Number(url.port))
  url.port = String(proxy.port)
  const keys = mkdtempSync(join(tmpdir(), 'carabiner-keys-'))
  const config = readConfig({
    PORT: String(await freePort()),
    SANDBOX_PORT: '0',
    KEY_FILE: join(keys, 'vault.key'),
    TOMBSTONE_PATH: join(keys, 'tombstones', 'deleted-users.log'),
    DATABASE_URL: url.href,
    ...settings,
  })
  const service = await startService(config, createLog('silent'))
  await service.queue.started
  const demo = await ensureDemo(config, service.features)
  assert.ok(demo)
  const headers = { authorization: `Bearer ${demo.test_key}` }
  const mint = () =>
    fetch(`${config.baseUrl}/api/registered-users/${demo.registered_user_id}/link-token`, {
      method: 'POST',
      headers,
    })
  const stop = async (): Promise<void> => {
    await service.stop()
    await proxy.close()
    await database.drop()
    rmSync(keys, { recursive: true })
  }
  const sandbox = service.sandbox
  assert.ok(sandbox)
  return { config, proxy, demo, headers, mint, sandbox, stop }
}

test('without the database every route answers 503 with Retry-After, and recovers afterwards', async () => {
  const { config, proxy, mint, stop } = await startBehindProxy()
  const before = (await (await mint()).json()) as { magic_link_url: string }

  await proxy.cut()
  await eventually(async () => {
    const answer = await mint()
    assert.equal(answer.status, 503)
    assert.ok(answer.headers.get('retry-after'))
    assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'unavailable')
  })
  const readyz = await fetch(`${config.baseUrl}/readyz`)
  assert.equal(readyz.status, 503)
  const report = (await readyz.json()) as ReadinessReport
  assert.deepEqual(
    report.checks.map(({ name, status }) => `${name}: ${status}`),
    ['database: failed', 'migrations: not_checked', 'vault_key: not_checked', 'queue: not_checked'],
  )
  assert.equal((await fetch(`${config.baseUrl}/livez`)).status, 200)
  const page = await createBrowserUser().open(before.magic_link_url)
  assert.equal(page.status, 503)
  assert.match(page.headers.get('content-type') ?? '', /text\/html/)

  await proxy.restore()
  await eventually(async () => assert.equal((await mint()).status, 201))
  assert.equal((await linkNotes(createBrowserUser(), before.magic_link_url)).status, 200)
  await stop()
})

const callNotes = async (
  {
    config,
    demo,
    headers,
  }: Pick<Awaited<ReturnType<typeof startBehindProxy>>, 'config' | 'demo' | 'headers'>,
  idempotencyKey: string,
) =>
  fetch(
    `${config.baseUrl}/api/v1/tool-packs/${demo.tool_pack_id}/registered-users/${demo.registered_user_id}/mcp`,
    {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'sandbox-notes__create_note', arguments: { title: idempotencyKey, text: 'x' } },
      }),
    },
  )

for (const { title, isShort } of [
  {
    title: 'a short outage after the provider was called is waited for, and the result is returned',
    isShort: true,
  },
  {
    title: 'an outage after the provider was called: the error says that the call was carried out',
    isShort: false,
  },
])
  test(title, async () => {
    const started = await startBehindProxy()
    const { proxy, mint, sandbox, stop } = started
    const { magic_link_url: link } = (await (await mint()).json()) as { magic_link_url: string }
    await linkNotes(createBrowserUser(), link)
    const release = sandbox.hold('notes')
    const calling = callNotes(started, 'during the outage')
    await eventually(async () => assert.deepEqual(sandbox.pendingFaults(), [], 'the call has arrived'))
    await proxy.cut()
    release()
    if (isShort) {
      await eventually(async () =>
        assert.equal(
          sandbox.ledger.filter(({ kind, outcome }) => kind === 'notes.create' && outcome === 'ok').length,
          1,
        ),
      )
      await proxy.restore()
    }
    const answer = await calling
    assert.equal(answer.status, 200, 'never a 503, which clients repeat automatically')
    assert.equal(answer.headers.get('retry-after'), null)
    const { result } = (await answer.json()) as { result: { isError: boolean; structuredContent: any } }
    assert.equal(result.isError, !isShort)
    if (isShort) assert.equal(result.structuredContent.title, 'during the outage')
    else {
      const { code, retryable, carried_out } = result.structuredContent.error
      assert.deepEqual([code, retryable, carried_out], ['result_withheld', false, 'yes'])
      await proxy.restore()
      await eventually(async () => assert.equal((await mint()).status, 201))
      const repeated = (await (await callNotes(started, 'during the outage')).json()) as any
      const { code: repeatedCode } = repeated.result.structuredContent.error
      assert.match(repeatedCode, /^idempotency_(in_progress|outcome_unknown)$/)
    }
    assert.equal(sandbox.ledger.filter(({ kind }) => kind === 'notes.create').length, 1, 'carried out once')
    await stop()
  })

test('connections that hang without a reset are replaced, and /readyz reports them', async () => {
  const { config, proxy, demo, headers, mint, stop } = await startBehindProxy({ DATABASE_TIMEOUT_MS: '500' })
  const tools = new URL(`${config.baseUrl}/api/registered-users/${demo.registered_user_id}`)
  const read = () => fetch(tools, { headers })
  const ready = () => fetch(`${config.baseUrl}/readyz`)
  assert.equal((await ready()).status, 200)

  // As behind a load balancer after a failover: existing connections hang, new ones work.
  proxy.freeze({ andNew: false })
  await eventually(async () => assert.equal((await mint()).status, 201))
  await eventually(async () => assert.equal((await read()).status, 200))
  await eventually(async () => assert.equal((await ready()).status, 200))

  // Paused: new connections hang too.
  proxy.freeze({ andNew: true })
  const answers = await Promise.all([mint(), read(), ...Array.from({ length: 20 }, mint)])
  for (const answer of answers) {
    assert.equal(answer.status, 503)
    assert.ok(answer.headers.get('retry-after'))
  }
  await eventually(async () => assert.equal((await ready()).status, 503))
  proxy.thaw()
  await eventually(async () => assert.equal((await mint()).status, 201))
  await eventually(async () => assert.equal((await ready()).status, 200))
  await stop()
})

test('a database that does not answer: concurrent requests wait for one deadline, and not for each statement', async () => {
  const timeoutMs = 2000
  const { config, proxy, demo, headers, mint, stop } = await startBehindProxy({
    DATABASE_TIMEOUT_MS: String(timeoutMs),
  })
  const request = (path: string, body?: object) =>
    fetch(`${config.baseUrl}/api/v1${path}`, {
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  const requests = () => [
    mint(),
    request('/registered-users'),
    request('/registered-users', { origin_user_id: crypto.randomUUID() }),
    request('/tool-packs'),
    request(`/registered-users/${demo.registered_user_id}`),
  ]
  // On a busy machine, the first statement of a new connection may take longer than the timeout.
  await eventually(async () => {
    for (const answer of await Promise.all(requests())) assert.ok(answer.ok, answer.url)
  })
  proxy.freeze({ andNew: true })
  // Both are measured by the timers of this process. The deadline is twice the timeout; one per statement added up to six times.
  const late = delay(4 * timeoutMs - 500, 'late', { ref: false })
  for (const answer of await Promise.all(requests().map(sent => Promise.race([sent, late])))) {
    assert.ok(answer instanceof Response, 'not answered in time')
    assert.equal(answer.status, 503)
  }
  // Otherwise the service waits for its connections before it stops.
  await proxy.cut()
  await stop()
})

/** Of one process: the pool, and the connections for calls, notifications and jobs. */
const MAX_CONNECTIONS = 8 + 2 + 2
const COUNT_CONNECTIONS = `select count(*)::int as n from pg_stat_activity where application_name like 'carabiner%'`

test('PostgreSQL crashes and pauses under load: 503, no acknowledged write is lost, no connection leaks', async () => {
  await using opened = new AsyncDisposableStack()
  // Commits are written before they are acknowledged.
  const cluster = await startCluster({ fsync: 'off' })
  opened.defer(() => cluster.stop())
  const databaseUrl = `${cluster.url}/postgres`
  const t = await startTestService('postgres', { DATABASE_URL: databaseUrl, DATABASE_TIMEOUT_MS: '2000' })
  opened.defer(() => t.stop())
  const { id } = await t.createUser()
  await linkNotes(createBrowserUser(), (await t.mint(id)).magic_link_url)

  const acknowledged = { users: [] as string[], calls: [] as string[] }
  const unexpected: string[] = []
  let unavailable = 0
  const record = ({ status, headers, text }: Answer, succeeded: boolean, onSuccess: () => void): void => {
    if (succeeded) onSuccess()
    else if (status === 503 && headers.has('retry-after')) unavailable++
    else unexpected.push(`${status} ${text}`)
  }
  const createUser = async (): Promise<void> => {
    const originUserId = crypto.randomUUID()
    const answer = await t.call('POST', '/api/v1/registered-users', {
      body: { origin_user_id: originUserId },
    })
    // Not 503, which clients repeat: the user exists, and only its audit entry could not be written.
    const wasMade = answer.status === 500 && answer.text.includes('The change was made')
    record(answer, answer.status === 201 || wasMade, () => acknowledged.users.push(originUserId))
  }
  const callTool = async (): Promise<void> => {
    const answer = await t.mcp(id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
    const requestId = answer.headers.get('x-request-id') as string
    // The provider was called, and the database did not return in time: the error says so.
    if (answer.text.includes('result_withheld')) return
    record(answer, answer.body?.result?.isError === false, () => acknowledged.calls.push(requestId))
  }
  const stopping = new AbortController()
  const load = [createUser, createUser, callTool, callTool].map(async work => {
    while (!stopping.signal.aborted) await work()
  })
  // Also if the test fails: requests to a stopped service would hide the reason.
  const stopLoad = async (): Promise<void> => {
    stopping.abort()
    await Promise.all(load)
  }
  opened.defer(stopLoad)
  const until = (condition: () => boolean) => eventually(async () => assert.ok(condition()))
  const untilServed = () => {
    const known = { users: acknowledged.users.length, calls: acknowledged.calls.length }
    return until(
      () => acknowledged.users.length > known.users + 5 && acknowledged.calls.length > known.calls + 5,
    )
  }
  const untilUnavailable = () => {
    const known = unavailable
    return until(() => unavailable > known + 4)
  }

  await untilServed()
  await cluster.crash()
  await untilUnavailable()
  await cluster.start()
  await untilServed()
  cluster.pause()
  await untilUnavailable().finally(() => cluster.resume())
  await untilServed()
  await stopLoad()

  assert.deepEqual(unexpected, [])
  const count = async (sql: string, ids: string[]) => (await t.query(sql, [ids])).length
  assert.equal(
    await count('select 1 from registered_users where origin_user_id = any($1::text[])', acknowledged.users),
    acknowledged.users.length,
  )
  assert.equal(
    await count(
      `select 1 from tool_calls where outcome = 'success' and request_id = any($1::text[])`,
      acknowledged.calls,
    ),
    acknowledged.calls.length,
  )
  await eventually(async () => {
    const [row] = await queryOnce(databaseUrl, COUNT_CONNECTIONS)
    assert.ok((row?.n as number) <= MAX_CONNECTIONS, `${Number(row?.n)} connections`)
  })
})
