import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createTestDatabase,
  engines,
  openTestDatabase,
  type TestDatabase,
} from '../../../test/support/databases.ts'
import { plainStatement } from '../../../test/support/run-sql.ts'
import { newUuid } from '../../core/uuid.ts'
import { type Database, one } from './database.ts'
import type { Parameter } from './statement.ts'

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
const ID = newUuid()
const NOW = new Date('2026-02-03T04:05:06.789Z')
const TRICKY = `quote ' double " backslash \\ brace {a,"b"} null NULL comma , é \u{1F511}\n\t$1`

/** A parameter, its type, and the value that every engine must return. */
const codec: [label: string, type: string, sent: Parameter, read: unknown][] = [
  ['bigint', 'bigint', 9_007_199_254_740_991, 9_007_199_254_740_991],
  ['negative bigint', 'bigint', -1, -1],
  ['integer', 'integer', 42, 42],
  ['double', 'double precision', 0.1, 0.1],
  ['boolean', 'boolean', true, true],
  ['text', 'text', TRICKY, TRICKY],
  ['empty text', 'text', '', ''],
  ['uuid', 'uuid', ID.toUpperCase(), ID],
  ['bytea from a Buffer', 'bytea', BYTES, BYTES],
  ['bytea from a Uint8Array', 'bytea', new Uint8Array([0, 255]), Buffer.from([0, 255])],
  ['bytea from a view of a larger buffer', 'bytea', BYTES.subarray(10, 13), Buffer.from([10, 11, 12])],
  ['empty bytea', 'bytea', Buffer.alloc(0), Buffer.alloc(0)],
  ['timestamptz', 'timestamptz', NOW, NOW],
  ['null', 'text', null, null],
  ['null bytea', 'bytea', null, null],
  ['null timestamptz', 'timestamptz', null, null],
  [
    'jsonb object',
    'jsonb',
    JSON.stringify({ b: [1, null, 'x'], a: TRICKY }),
    { b: [1, null, 'x'], a: TRICKY },
  ],
  ['jsonb array', 'jsonb', JSON.stringify([1, { a: 2 }, []]), [1, { a: 2 }, []]],
  ['jsonb text', 'jsonb', JSON.stringify(TRICKY), TRICKY],
  ['jsonb null', 'jsonb', JSON.stringify(null), null],
  ['text[]', 'text[]', ['a', TRICKY, '', 'NULL'], ['a', TRICKY, '', 'NULL']],
  ['text[] with nulls', 'text[]', [null, 'a', null], [null, 'a', null]],
  ['empty text[]', 'text[]', [], []],
  ['uuid[] with nulls', 'uuid[]', [ID, null], [ID, null]],
  ['integer[]', 'integer[]', [1, -2], [1, -2]],
  [
    'bytea[]',
    'bytea[]',
    [BYTES, Buffer.alloc(0), Buffer.from('\\x"')],
    [BYTES, Buffer.alloc(0), Buffer.from('\\x"')],
  ],
  ['bytea[] with nulls', 'bytea[]', [null, BYTES], [null, BYTES]],
]

for (const engine of engines) {
  describe(`the database on ${engine}`, () => {
    let database: TestDatabase
    let db: Database
    before(async () => {
      database = await createTestDatabase(engine)
      db = await openTestDatabase(database)
      await db.script(
        'create table notes (id integer primary key, text text); create table other (id integer)',
      )
    })
    after(async () => {
      await db.close()
      await database.drop()
    })
    const count = async (): Promise<number> =>
      (await db.query(plainStatement<{ count: number }>('count', 'select count(*) from notes'), []))[0]
        ?.count ?? -1
    const add = plainStatement<{ id: number }>('add', 'insert into notes (id) values ($1) returning id')

    for (const [label, type, sent, read] of codec)
      it(`stores and returns ${label}`, async () => {
        const echo = plainStatement<{ value: unknown }>(`echo ${type}`, `select $1::${type} as value`)
        const row = await one(db, echo, [sent])
        assert.deepEqual(row?.value, read)
        if (Buffer.isBuffer(read)) assert.ok(Buffer.isBuffer(row?.value), 'a Buffer, not only a Uint8Array')
        assert.deepEqual((await db.transaction(tx => one(tx, echo, [sent])))?.value, read, 'in a transaction')
      })

    it('returns counts as numbers, and an empty list for no rows', async () => {
      assert.equal(await count(), 0)
      assert.equal(await one(db, plainStatement<{ id: number }>('none', 'select id from notes'), []), null)
    })

    it('expands columns with unnest, in order', async () => {
      const spread = plainStatement<{ id: string; bytes: Buffer | null; position: number }>(
        'spread',
        'select * from unnest($1::uuid[], $2::bytea[]) with ordinality as t(id, bytes, position) order by position',
      )
      const rows = await db.query(spread, [
        [ID, newUuid(1)],
        [BYTES, null],
      ])
      assert.deepEqual(rows, [
        { id: ID, bytes: BYTES, position: 1 },
        { id: rows[1]?.id, bytes: null, position: 2 },
      ])
    })

    it('commits a transaction that succeeds', async () => {
      const earlier = await count()
      assert.equal(await db.transaction(async tx => (await tx.query(add, [1]))[0]?.id), 1)
      assert.equal(await count(), earlier + 1)
    })

    it('rolls back a transaction that throws, and rethrows the error', async () => {
      const earlier = await count()
      const error = new Error('changed my mind')
      const failed = db.transaction(async tx => {
        await tx.query(add, [100])
        await tx.script('insert into other values (1)')
        throw error
      })
      await assert.rejects(failed, thrown => thrown === error)
      assert.equal(await count(), earlier)
    })

    it('rolls back after a failed statement, and works afterwards', async () => {
      const earlier = await count()
      const failed = db.transaction(async tx => {
        await tx.query(add, [200])
        await tx.query(add, [200])
      })
      await assert.rejects(failed, { code: '23505' })
      assert.equal(await count(), earlier)
      await db.transaction(tx => tx.query(add, [201]))
      assert.equal(await count(), earlier + 1)
    })

    it('isolates concurrent transactions, and loses neither', async () => {
      const earlier = await count()
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => db.transaction(tx => tx.query(add, [300 + index]))),
      )
      assert.equal(await count(), earlier + 20)
    })

    // Each of these would deadlock on one engine, and read other data on the other.
    const mistakes: Record<string, () => Promise<unknown>> = {
      query: () => db.query(plainStatement('one', 'select 1'), []),
      transaction: () => db.transaction(async () => undefined),
      script: () => db.script('select 1'),
      notify: () => db.notify('channel', 'x'),
    }
    for (const [label, mistake] of Object.entries(mistakes))
      it(`throws at once when the database's own ${label} is used inside a transaction`, async () => {
        const outcome = await db.transaction(async () => {
          const tried = (async () => mistake())().then(
            () => 'was let through',
            (error: Error) => error.message,
          )
          return Promise.race([tried, delay(1000, 'waited')])
        })
        assert.match(outcome, /Use the transaction handle/)
      })

    it('throws also in nested calls and after an await', async () => {
      const deep = async (): Promise<number> => {
        await delay(1)
        return count()
      }
      await assert.rejects(db.transaction(deep), /Use the transaction handle/)
      assert.ok((await count()) >= 0, 'allowed again outside')
    })

    it('notifies a listener with the payload, on its channel only', async () => {
      const received: string[] = []
      const first = Promise.withResolvers<void>()
      const unlisten = await db.listen('test_channel', payload => {
        received.push(payload)
        if (payload === 'last') first.resolve()
      })
      await db.notify('other_channel', 'not for us')
      await db.notify('test_channel', TRICKY)
      await db.notify('test_channel', 'last')
      await first.promise
      assert.deepEqual(received, [TRICKY, 'last'])
      await unlisten()
    })

    it('notifies every listener of a channel, and none that was removed', async () => {
      const received: string[] = []
      const done = Promise.withResolvers<void>()
      const unlisten = await db.listen('shared', payload => void received.push(`a ${payload}`))
      const stay = await db.listen('shared', payload => {
        received.push(`b ${payload}`)
        if (payload === '2') done.resolve()
      })
      await db.notify('shared', '1')
      while (received.length < 2) await delay(5)
      await unlisten()
      await db.notify('shared', '2')
      await done.promise
      assert.deepEqual(received.toSorted(), ['a 1', 'b 1', 'b 2'])
      await stay()
    })

    it('notifies only after a commit', async () => {
      const received: string[] = []
      const done = Promise.withResolvers<void>()
      const unlisten = await db.listen('committed', payload => {
        received.push(payload)
        if (payload === 'after') done.resolve()
      })
      const notify = plainStatement('notify', 'select pg_notify($1, $2)')
      await assert.rejects(
        db.transaction(async tx => {
          await tx.query(notify, ['committed', 'rolled back'])
          throw new Error('no')
        }),
      )
      await db.transaction(tx => tx.query(notify, ['committed', 'after']))
      await done.promise
      assert.deepEqual(received, ['after'])
      await unlisten()
    })
  })
}
