import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { plainStatement } from '../../../test/support/run-sql.ts'
import { Secret } from '../../core/secret.ts'
import { createBatchedQueries } from './batched-queries.ts'
import { canRetrySeparately, type Database, type Queryable } from './database.ts'
import { openPostgres } from './postgres/postgres.ts'
import { bigint, bytea, nullable, text } from './sql-types.ts'
import { statement } from './statement.ts'

type Row = {
  id: number
  note: string | null
  at: Date | null
  bytes: Buffer | null
  many: string[] | null
  more: unknown
}

const insert = plainStatement<Row>(
  'batched.insert',
  `insert into batched (id, note, at, bytes, many, more) values ($1, $2, $3, $4, $5, $6) returning *`,
)
const put = plainStatement<{ id: number }>('batched.put', 'insert into batched (id) values ($1) returning id')
const change = plainStatement<{ id: number }>(
  'batched.change',
  'update batched set note = $2 where id = $1 returning id',
)
const remove = plainStatement('batched.remove', 'delete from batched where id = $1')
const all = plainStatement<{ id: number }>('batched.all', 'select id from batched order by id')
/** The form for many skips negative numbers, and leaves large ones to the form for one. */
const storeNote = statement({
  name: 'batched.store',
  parameters: { id: bigint, note: nullable(text), fileBytes: bytea },
  columns: { id: bigint, note: nullable(text) },
  sql: 'insert into batched (id, note, bytes) values (:id, :note, :fileBytes) returning id, note',
  forMany: `, stored as (
     insert into batched (id, note, bytes) select id, note, file_bytes from requests where id between 0 and 999
     returning id, note
   )
   select r.position, r.id, r.note, r.id > 999 as separately from requests r left join stored s on s.id = r.id
   where s.id is not null or r.id > 999`,
})
const read = statement({
  name: 'batched.read',
  parameters: { id: bigint },
  columns: { note: nullable(text), bytes: nullable(bytea) },
  sql: 'select note, bytes from batched where id = :id',
})
const readsCommit = {
  columns: { mode: text },
  sql: `select current_setting('synchronous_commit') as mode`,
}
const mayBeLost = statement({ name: 'batched.may_be_lost', ...readsCommit, mayBeLost: true })
const durable = statement({ name: 'batched.durable', ...readsCommit })
const invalid = plainStatement('batched.invalid', 'select nothing from nowhere where id = $1')
const endBackend = plainStatement('batched.end', 'select pg_terminate_backend(pg_backend_pid())')

for (const engine of ['postgres', 'pglite'] as const)
  describe(`batched queries on ${engine}`, () => {
    let database: TestDatabase
    let db: Database
    let batched: Queryable
    before(async () => {
      database = await createTestDatabase(engine)
      db = await openTestDatabase(database)
      await db.script(
        'create table batched (id bigint primary key, note text, at timestamptz, bytes bytea, many text[], more jsonb)',
      )
      batched = createBatchedQueries(db)
    })
    after(async () => {
      await db.close()
      await database.drop()
    })
    const ids = async () => (await db.query(all, [])).map(({ id }) => id)
    const clear = () => db.script('delete from batched')

    it('return the same rows and types as separate statements', async () => {
      const values = [
        7,
        'a \u{1f9d7}',
        new Date('2026-01-02T03:04:05.678Z'),
        Buffer.from([0, 255]),
        ['x,"y', 'z'],
        '{"a":[1]}',
      ]
      const [first] = await batched.query(insert, values)
      await clear()
      const [second] = await db.query(insert, values)
      assert.deepEqual(first, second)
      assert.equal(typeof first?.id, 'number')
      await clear()
      assert.deepEqual(await batched.query(insert, [8, null, null, null, null, null]), [
        { id: 8, note: null, at: null, bytes: null, many: null, more: null },
      ])
      assert.deepEqual(await batched.query(remove, [8]), [])
    })

    it('run in one transaction, in order: all of them or none', async () => {
      await clear()
      const results = await db.batch([
        [put, [1]],
        [change, [1, 'one']],
        [change, [2, 'unknown']],
        [put, [2]],
      ])
      assert.deepEqual(results, [[{ id: 1 }], [{ id: 1 }], [], [{ id: 2 }]])
      await assert.rejects(
        db.batch([
          [put, [3]],
          [put, [2]],
          [put, [4]],
        ]),
        canRetrySeparately,
      )
      assert.deepEqual(await ids(), [1, 2])
      assert.deepEqual(await db.batch([[put, [5]]]), [[{ id: 5 }]], 'the connection is still usable')
    })

    it('a failing statement fails only its own caller, with its own error', async () => {
      await clear()
      await db.query(put, [3])
      const results = await Promise.allSettled([1, 2, 3, 4, 5].map(id => batched.query(put, [id])))
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
      )
      assert.deepEqual(await ids(), [1, 2, 3, 4, 5])
      await assert.rejects(batched.query(invalid, [1]), /nowhere/)
      await assert.rejects(batched.query(invalid, [1]), /nowhere/, 'also the second time')
      assert.deepEqual(await batched.query(change, [1, 'still']), [{ id: 1 }])
    })

    it('throw inside a transaction', async () => {
      await assert.rejects(
        db.transaction(() => db.batch([[put, [9]]])),
        /inside a transaction/,
      )
    })

    it('many concurrent callers each get their own rows', async () => {
      await clear()
      const wanted = Array.from({ length: 500 }, (_, id) => id)
      const answers = await Promise.all(wanted.map(id => batched.query(put, [id])))
      assert.deepEqual(
        answers.map(([row]) => row?.id),
        wanted,
      )
    })

    describe('callers of a statement that has a form for many', () => {
      let sent: string[][] = []
      let shared: Queryable
      before(() => {
        shared = createBatchedQueries({
          ...db,
          batch: statements => {
            sent.push(statements.map(([{ name }]) => name))
            return db.batch(statements)
          },
        })
      })
      /** The first caller starts a batch of its own, and the others form the next one. */
      const store = (numbers: number[], note: string | null = null) => {
        sent = []
        return Promise.allSettled(
          numbers.map(id => shared.query(storeNote, { id, note, fileBytes: Buffer.from([id, 255]) })),
        )
      }
      const rowsOf = (results: PromiseSettledResult<{ id: number; note: string | null }[]>[]) =>
        results.map(result => (result.status === 'fulfilled' ? result.value.map(({ id }) => id) : 'failed'))

      it('share one statement, and each gets its own rows', async () => {
        await clear()
        assert.deepEqual(rowsOf(await store([1, 2, 3])), [[1], [2], [3]])
        assert.deepEqual(sent, [['batched.store'], ['batched.store_many']])
        const [stored] = await db.query(read, { id: 3 })
        assert.deepEqual(stored, { note: null, bytes: Buffer.from([3, 255]) })
      })

      it('without a row get none, and those with `separately` run the statement for one', async () => {
        await clear()
        assert.deepEqual(rowsOf(await store([1, -2, 1000, 4])), [[1], [], [1000], [4]])
        assert.deepEqual(sent, [['batched.store'], ['batched.store_many'], ['batched.store']])
        assert.deepEqual(await ids(), [1, 4, 1000])
      })

      it('fail alone, and texts are stored as by the statement for one', async () => {
        await clear()
        await db.query(put, [3])
        const results = await store([1, 2, 3, 4], 'a\ud800 "b"')
        assert.deepEqual(rowsOf(results), [[1], [2], 'failed', [4]])
        assert.deepEqual(await ids(), [1, 2, 3, 4])
        const notes = await Promise.all([1, 2].map(id => db.query(read, { id })))
        assert.deepEqual(
          notes.map(([row]) => row?.note),
          ['a\ufffd "b"', 'a\ufffd "b"'],
        )
      })
    })

    if (engine === 'pglite') return

    it('a statement whose value cannot be sent fails alone', async () => {
      await clear()
      const endless: Record<string, unknown> = {}
      endless.self = endless
      const results = await Promise.allSettled([
        batched.query(put, [1]),
        batched.query(change, [1, endless as never]),
        batched.query(put, [2]),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.deepEqual(await batched.query(put, [3]), [{ id: 3 }])
    })

    it('a statement that waits for a row lock does not delay the others', async () => {
      await clear()
      await db.batch([
        [put, [1]],
        [put, [2]],
      ])
      const held = Promise.withResolvers<void>()
      const holding = Promise.withResolvers<void>()
      const holder = db.transaction(async tx => {
        await tx.query(change, [1, 'held'])
        holding.resolve()
        await held.promise
      })
      await holding.promise
      let waited = false
      const wait = async () => {
        await batched.query(change, [1, 'late'])
        waited = true
      }
      const waits = wait()
      for (let n = 0; n < 20; n++) await batched.query(change, [2, 'free'])
      assert.equal(waited, false)
      held.resolve()
      await Promise.all([holder, waits])
    })

    it('commits without waiting for the disk only if that is allowed and no statement of the batch must be durable', async () => {
      // The clusters of the tests do not wait for the disk.
      const url = new URL(database.url as string)
      url.searchParams.set('options', '-c synchronous_commit=on')
      const options = { url: new Secret(url.href), poolSize: 1, onIdleError: () => undefined }
      await using opened = new AsyncDisposableStack()
      const modes = async (asyncCommit: boolean, statements: (typeof durable)[]) => {
        const on = await openPostgres({ ...options, asyncCommit })
        opened.defer(() => on.close())
        const results = await on.batch(statements.map(each => [each] as const))
        const [next] = await on.batch([[durable]])
        return [...results, next ?? []].map(rows => (rows[0] as { mode: string }).mode)
      }
      assert.deepEqual(await modes(true, [mayBeLost, mayBeLost]), ['off', 'off', 'on'])
      assert.deepEqual(await modes(true, [mayBeLost, durable]), ['on', 'on', 'on'])
      assert.deepEqual(await modes(false, [mayBeLost]), ['on', 'on'])
    })

    it('a batch whose outcome is unknown is not retried', async () => {
      await clear()
      const results = await Promise.allSettled([
        batched.query(endBackend, []),
        batched.query(put, [1]),
        batched.query(put, [2]),
      ])
      assert.equal(results[0]?.status, 'rejected')
      assert.deepEqual(await batched.query(put, [3]), [{ id: 3 }], 'the next batch gets a connection')
      assert.deepEqual(
        await ids(),
        [1, 2, 3].filter(id => id === 3 || results[id]?.status === 'fulfilled'),
      )
    })
  })
