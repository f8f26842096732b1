import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createTestDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../../../test/support/databases.ts'
import { plainStatement, runSql } from '../../../../test/support/run-sql.ts'
import { Secret } from '../../../core/secret.ts'
import { type Database, one } from '../database.ts'
import { isConnectionError } from './connection-error.ts'
import { openPostgres } from './postgres.ts'

const ownBackend = plainStatement<{ pid: number }>('pid', 'select pg_backend_pid() as pid')
const end = plainStatement<{ ended: boolean }>('end', 'select pg_terminate_backend($1) as ended')
const ping = plainStatement<{ ok: number }>('ping', 'select 1 as ok')
const listeners = plainStatement<{ pid: number }>(
  'listeners',
  `select pid from pg_stat_activity where datname = current_database() and query like 'listen %'`,
)

describe('lost PostgreSQL connections', () => {
  let database: TestDatabase
  let db: Database
  let operator: Database
  before(async () => {
    database = await createTestDatabase('postgres')
    db = await openTestDatabase(database)
    operator = await openTestDatabase(database)
  })
  after(async () => {
    await Promise.all([db.close(), operator.close()])
    await database.drop()
  })

  it('fail the pending transaction, keep the process alive, and serve the next one', async () => {
    // An uncaught error would end the service, but the test runner only reports it.
    const uncaught: Error[] = []
    const onUncaught = (error: Error) => void uncaught.push(error)
    process.on('uncaughtException', onUncaught)
    const begun = Promise.withResolvers<number>()
    const gone = Promise.withResolvers<void>()
    const failed = db.transaction(async tx => {
      begun.resolve((await tx.query(ownBackend, []))[0]?.pid ?? 0)
      await gone.promise
      return tx.query(ping, [])
    })
    failed.catch(() => undefined)
    await operator.query(end, [await begun.promise])
    await delay(100)
    gone.resolve()
    await assert.rejects(failed, error => isConnectionError(error))
    assert.deepEqual(await db.query(ping, []), [{ ok: 1 }])
    process.off('uncaughtException', onUncaught)
    assert.deepEqual(uncaught, [])
  })

  it('fail the running statement, and serve the next one', async () => {
    const sleeping = db.query(plainStatement('sleep', 'select pg_sleep(30)'), [])
    const find = plainStatement<{ pid: number }>(
      'find',
      `select pid from pg_stat_activity where datname = current_database() and query like '%pg_sleep(30)' and pid <> pg_backend_pid()`,
    )
    let row: { pid: number } | null = null
    for (let tries = 0; row === null && tries < 200; tries++) {
      row = await one(operator, find, [])
      await delay(5)
    }
    const failed = assert.rejects(sleeping, error => isConnectionError(error))
    await operator.query(end, [row?.pid ?? 0])
    await failed
    assert.deepEqual(await db.query(ping, []), [{ ok: 1 }])
  })

  it('release the locks of a stopped process, whose transaction fails as lost', async () => {
    const failed = db.transaction(async tx => {
      const shown = await runSql(tx, 'show idle_in_transaction_session_timeout')
      assert.deepEqual(shown, [{ idle_in_transaction_session_timeout: '20s' }])
      await tx.script(`set local idle_in_transaction_session_timeout = '50ms'`)
      await delay(300)
      return tx.query(ping, [])
    })
    await assert.rejects(failed, error => isConnectionError(error))
    assert.deepEqual(await db.query(ping, []), [{ ok: 1 }])
  })

  it('are replaced for LISTEN', async () => {
    const received: string[] = []
    const unlisten = await db.listen('again', payload => void received.push(payload))
    for (const { pid } of await operator.query(listeners, [])) await operator.query(end, [pid])
    for (let tries = 0; received.length === 0 && tries < 200; tries++) {
      await operator.notify('again', 'back')
      await delay(25)
    }
    assert.equal(received[0], 'back')
    await unlisten()
  })

  it('opening an unreachable database fails without the password in the message', async () => {
    const url = new Secret('postgres://user:hunter2@127.0.0.1:1/none')
    await assert.rejects(openPostgres({ url, poolSize: 1, onIdleError: () => undefined }), (error: Error) => {
      assert.ok(isConnectionError(error))
      assert.doesNotMatch(String(error.stack), /hunter2/)
      return true
    })
  })
})

it('dates are read, whatever style the database has', async () => {
  const database = await createTestDatabase('postgres')
  const name = new URL(database.url as string).pathname.slice(1)
  for (const style of ['German', 'SQL, DMY', 'Postgres']) {
    const operator = await openTestDatabase(database)
    await operator.script(`alter database ${name} set datestyle to '${style}'`)
    await operator.close()
    const db = await openTestDatabase(database)
    const rows = await runSql<{ at: Date }>(db, `select timestamptz '2030-01-31 12:00Z' as at`)
    assert.equal(rows[0]?.at.toISOString(), '2030-01-31T12:00:00.000Z', style)
    await db.close()
  }
  await database.drop()
})

describe('a connection error', () => {
  it('is distinguished from a programming error', () => {
    for (const code of [
      '08000',
      '08006',
      '57P01',
      '57P03',
      '53100',
      '53300',
      '57014',
      '25006',
      '25P03',
      'ECONNREFUSED',
      'ECONNRESET',
      'ETIMEDOUT',
      'ENOSPC',
    ])
      assert.ok(isConnectionError(Object.assign(new Error('x'), { code })), code)
    for (const code of ['23505', '42601', '22P02', '40001', '55P03', undefined])
      assert.ok(!isConnectionError(Object.assign(new Error('x'), { code })), String(code))
    for (const value of [null, undefined, 'x', {}]) assert.ok(!isConnectionError(value))
    assert.ok(isConnectionError(new Error('Connection terminated unexpectedly')))
  })
})
