import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import pg from 'pg'
import {
  type Cluster,
  REPLICATED_SETTINGS,
  startCluster,
  startReplicaOf,
} from '../../../scripts/postgres-cluster.ts'
import { Secret } from '../../src/core/secret.ts'
import type { Database, Queryable } from '../../src/platform/database/database.ts'
import { openPostgres } from '../../src/platform/database/postgres/postgres.ts'
import { openReplica, type Replica } from '../../src/platform/database/postgres/replica.ts'
import { integer } from '../../src/platform/database/sql-types.ts'
import { listStatement, statement } from '../../src/platform/database/statement.ts'
import { createLog } from '../../src/platform/log.ts'
import { eventually } from '../support/eventually.ts'
import { runSql } from '../support/run-sql.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { startTestService } from '../support/test-service.ts'

const countRows = listStatement({
  name: 'test.count_rows',
  columns: { n: integer },
  sql: 'select count(*)::int as n from listed',
})
const countOnPrimary = statement({
  name: 'test.count_on_primary',
  columns: { n: integer },
  sql: 'select count(*)::int as n from listed',
})

const FROM_REPLICA = 'lists are read from the replica'
const FROM_PRIMARY = 'lists are read from the primary'

describe('a read replica', () => {
  let primary: Cluster
  let replica: Cluster
  let db: Database
  let operator: pg.Client
  before(async () => {
    primary = await startCluster(REPLICATED_SETTINGS)
    const maintenance = new pg.Client({ connectionString: urlOf(primary, 'postgres').reveal() })
    await maintenance.connect()
    for (const name of ['app', 'other']) await maintenance.query(`create database ${name}`)
    await maintenance.end()
    // Conflicts with recovery end a read at once.
    replica = await startReplicaOf(primary, { max_standby_streaming_delay: '0' })
    db = await openPostgres({ url: urlOf(primary), poolSize: 4, onIdleError: () => undefined })
    await db.script('create table listed (n int)')
    operator = new pg.Client({ connectionString: urlOf(replica).reveal() })
    await operator.connect()
  })
  afterEach(() => resumeReplay())
  after(async () => {
    await operator.end()
    await db.close()
    await replica.stop()
    await primary.stop()
  })

  const urlOf = ({ url }: { url: string }, name = 'app') => new Secret(`${url}/${name}`)
  /** Pauses the replay when the replica has caught up. */
  const pauseReplay = async (): Promise<void> => {
    const [source] = await runSql<{ position: string }>(
      db,
      'select pg_current_wal_flush_lsn()::text as position',
    )
    await eventually(async () => {
      const { rows } = await operator.query('select pg_last_wal_replay_lsn() >= $1 as reached', [
        source?.position,
      ])
      assert.ok(rows[0].reached)
    })
    await operator.query('select pg_wal_replay_pause()')
    await eventually(async () => {
      const { rows } = await operator.query('select pg_get_wal_replay_pause_state() as state')
      assert.equal(rows[0].state, 'paused')
    })
  }
  const resumeReplay = () => operator.query('select pg_wal_replay_resume()')
  const addRow = () => runSql(db, 'insert into listed values (1)')
  const rowsOn = async (from: Queryable) => (await from.query(countOnPrimary))[0]?.n
  const rowsIn = async (lists: Replica) => (await lists.read(countRows))[0]?.n

  type Opened = { lists: Replica; messages: () => string[]; reasons: () => string[] }
  const withReplica = async (
    options: { url?: Secret; maxLagMs?: number; timeoutMs?: number },
    work: (opened: Opened) => Promise<void>,
  ): Promise<void> => {
    const lines: { msg: string; reason?: string }[] = []
    const lists = openReplica({
      url: urlOf(replica),
      primary: db,
      log: createLog('info', { write: line => void lines.push(JSON.parse(line)) }),
      timeoutMs: 60_000,
      maxLagMs: 3_600_000,
      probeIntervalMs: 20,
      ...options,
    })
    try {
      await work({
        lists,
        messages: () => lines.map(({ msg }) => msg),
        reasons: () => lines.flatMap(({ reason }) => reason ?? []),
      })
    } finally {
      await lists.close()
    }
  }
  const untilInUse = ({ messages }: Opened) =>
    eventually(async () => assert.equal(messages().at(-1), FROM_REPLICA))

  it('is read within the bound of its lag, and the primary beyond it', async () => {
    await withReplica({}, async patient => {
      await withReplica({ maxLagMs: 2000 }, async impatient => {
        await untilInUse(patient)
        await untilInUse(impatient)
        await pauseReplay()
        const known = await rowsIn(patient.lists)
        await addRow()
        assert.equal(await rowsIn(patient.lists), known, 'within its bound, the older list')
        await eventually(async () => assert.equal(await rowsIn(impatient.lists), (known ?? 0) + 1))
        assert.equal(await rowsIn(patient.lists), known)
        await eventually(async () => assert.equal(impatient.reasons().at(-1), 'lagging'))
        await resumeReplay()
        await untilInUse(impatient)
        await eventually(async () => assert.equal(await rowsIn(patient.lists), (known ?? 0) + 1))
        for (const { messages } of [patient, impatient])
          assert.ok(
            messages().every((message, at) => message !== messages()[at - 1]),
            'each change is logged once',
          )
      })
    })
  })

  it('is not needed: reads use the primary while it is down or hangs, and return to it afterwards', async () => {
    const proxy = await startTcpProxy(replica.port)
    const url = urlOf({ url: `postgres://postgres@127.0.0.1:${proxy.port}` })
    await withReplica({ url, timeoutMs: 1000 }, async opened => {
      const { lists, messages, reasons } = opened
      await untilInUse(opened)
      const expected = await rowsOn(db)
      await eventually(async () => assert.equal(await rowsIn(lists), expected))
      await proxy.cut()
      for (let n = 0; n < 20; n++) assert.equal(await rowsIn(lists), expected)
      await eventually(async () => assert.equal(messages().at(-1), FROM_PRIMARY))
      await proxy.restore()
      await untilInUse(opened)
      proxy.freeze({ andNew: true })
      assert.equal(await rowsIn(lists), expected)
      assert.equal(
        await lists.readWith('set local jit = off', async reads => (await reads.read(countRows))[0]?.n),
        expected,
      )
      await eventually(async () => assert.equal(messages().at(-1), FROM_PRIMARY))
      proxy.thaw()
      await untilInUse(opened)
      assert.deepEqual([...new Set(reasons())], ['unavailable'])
    })
    await proxy.cut()
    await withReplica({ url }, async ({ lists, reasons }) => {
      assert.equal(await rowsIn(lists), await rowsOn(db))
      await eventually(async () => assert.deepEqual(reasons(), ['unavailable']))
    })
  })

  it('is ignored if it is not a replica of the primary', async () => {
    const wrong: [Secret, string][] = [
      [urlOf(primary), 'not_a_replica'],
      [urlOf(replica, 'other'), 'another_database'],
    ]
    for (const [url, reason] of wrong)
      await withReplica({ url }, async ({ lists, messages, reasons }) => {
        await eventually(async () => assert.deepEqual(reasons(), [reason]))
        assert.equal(await rowsIn(lists), await rowsOn(db))
        assert.deepEqual(messages(), [FROM_PRIMARY])
      })
  })

  it('a read that conflicts with recovery is repeated on the primary', async () => {
    await addRow()
    const truncating = new pg.Client({ connectionString: urlOf(primary).reveal() })
    await truncating.connect()
    await withReplica({}, async opened => {
      await untilInUse(opened)
      let runs = 0
      const n = await opened.lists.readWith('set local jit = off', async reads => {
        if (++runs > 1) return (await reads.read(countRows))[0]?.n
        await reads.read(countRows)
        // The replay of this lock ends the transaction on the replica, which reads until then.
        await truncating.query('truncate listed')
        for (;;) await reads.read(countRows)
      })
      assert.deepEqual([n, runs], [0, 2])
    })
    await truncating.end()
  })

  it('accepts only statements of lists, and cannot be used by code that decides', () => {
    const check = (lists: Replica, decide: (from: Queryable) => void): void => {
      // @ts-expect-error: not declared with listStatement
      void lists.read(countOnPrimary)
      // @ts-expect-error: not a Queryable
      decide(lists)
    }
    assert.equal(typeof check, 'function')
  })

  it('serves lists of the API, while everything else is read from the primary', async () => {
    const t = await startTestService('postgres', {
      DATABASE_URL: urlOf(primary).reveal(),
      DATABASE_REPLICA_URL: urlOf(replica).reveal(),
      DATABASE_REPLICA_MAX_LAG: '3600',
    })
    try {
      const use = async (userId: string) =>
        (await t.mcp(userId, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })).body.result
      const get = async (path: string) => (await t.call('GET', `/api/v1${path}`)).body
      const listed = async (userId: string) => ({
        calls: (await get('/tool-calls')).data.length,
        exported: (await t.call('GET', '/api/v1/tool-calls/export')).text.trim().split('\n').length,
        used: (await get('/usage')).data.reduce(
          (sum: number, { calls }: { calls: number }) => sum + calls,
          0,
        ),
        audited: (await get('/audit-entries?action=registered_user.created')).data.length,
        sessions: (await get(`/registered-users/${userId}/link-sessions`)).data.length,
      })
      const once = { calls: 1, exported: 1, used: 1, audited: 1, sessions: 2 }
      const first = await t.createUser()
      await t.mint(first.id)
      await use(first.id)
      await eventually(async () => assert.ok(t.logLines.some(line => line.includes(FROM_REPLICA))))
      await eventually(async () => assert.deepEqual(await listed(first.id), once))

      await pauseReplay()
      const second = await t.createUser()
      await t.mint(first.id)
      assert.equal((await use(second.id)).structuredContent.type, 'authenticate_meta')
      assert.deepEqual(await listed(first.id), once, 'lists are read from the replica')
      assert.deepEqual((await get(`/registered-users/${second.id}/link-sessions`)).data, [])

      const [call] = await t.query('select id from tool_calls where registered_user_id = $1', [second.id])
      assert.equal((await get(`/tool-calls/${call.id}`)).registered_user_id, second.id)
      assert.equal((await get('/registered-users')).data.length, 2)
      assert.equal((await get('/usage/cycle')).plan, 'enterprise')
      const other = await t.createOrganization('Other')
      assert.equal((await t.call('GET', '/api/v1/organization', { key: other.key })).status, 200)
      assert.equal((await t.call('DELETE', `/api/v1/registered-users/${first.id}`)).status, 204)
      assert.equal((await t.call('GET', `/api/v1/registered-users/${first.id}/link-sessions`)).status, 404)

      await resumeReplay()
      await eventually(async () => assert.equal((await listed(second.id)).audited, 2))
    } finally {
      await t.stop()
    }
  })
})
