import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createTestDatabase,
  engines,
  openTestDatabase,
  type TestDatabase,
} from '../../../test/support/databases.ts'
import { createBatchedQueries } from './batched-queries.ts'
import type { Database } from './database.ts'
import { array, arraysOf, integer, jsonb, nullable, text, timestamptz, toArrays, typed } from './sql-types.ts'
import { bind, statement } from './statement.ts'

describe('a statement', () => {
  it('numbers its named parameters, each name once', () => {
    const declared = statement({
      name: 'test.numbered',
      parameters: { first: integer, second: nullable(text) },
      sql: `select :second::text, ':first', now()::date, 'a:first' where :first = 1 or :second is null or :first = 2`,
    })
    assert.equal(
      declared.text,
      `select $1::text, ':first', now()::date, 'a:first' where $2 = 1 or $1 is null or $2 = 2`,
    )
    assert.deepEqual(bind(declared, { first: 7, second: null, unrelated: 'ignored' }), [null, 7])
  })

  it('must declare every parameter that it uses, and use every one that it declares', () => {
    const undeclared = { name: 'test.undeclared', sql: 'select :missing' }
    assert.throws(() => statement(undeclared), /test\.undeclared does not declare its parameter :missing/)
    const unused = { name: 'test.unused', parameters: { extra: text }, sql: 'select 1' }
    assert.throws(() => statement(unused), /test\.unused declares :extra but does not use it/)
  })

  it('must have a unique name', () => {
    statement({ name: 'test.twice', sql: 'select 1' })
    assert.doesNotThrow(() => statement({ name: 'test.twice', sql: 'select 1' }))
    assert.throws(
      () => statement({ name: 'test.twice', sql: 'select 2' }),
      /Two statements are named test\.twice/,
    )
  })
})

const item = { itemId: integer, label: nullable(text) }
const echo = statement({
  name: 'test.echo',
  parameters: { ...arraysOf(item), settings: jsonb, none: nullable(jsonb), since: timestamptz },
  columns: {
    itemId: integer,
    label: nullable(text),
    allSettings: typed<{ list: number[] }>(jsonb),
    noSettings: nullable(jsonb),
    createdSince: timestamptz,
    labels: array(text),
  },
  sql: `select item_id, label, :settings::jsonb as all_settings, :none::jsonb as no_settings,
     :since::timestamptz as created_since, :label::text[] as labels
   from unnest(:itemId::integer[], :label::text[]) as items(item_id, label) order by item_id`,
})

for (const engine of engines)
  describe(`rows on ${engine}`, () => {
    let database: TestDatabase
    let db: Database
    before(async () => {
      database = await createTestDatabase(engine)
      db = await openTestDatabase(database)
    })
    after(async () => {
      await db.close()
      await database.drop()
    })

    it('have camel-case properties, for every way of reading them', async () => {
      const items = [
        { itemId: 1, label: 'one' },
        { itemId: 2, label: null },
      ]
      const since = new Date('2026-01-02T03:04:05Z')
      const values = { ...toArrays(item, items), settings: { list: [1] }, none: null, since }
      const shared = {
        allSettings: { list: [1] },
        noSettings: null,
        createdSince: since,
        labels: ['one', null],
      }
      const expected = items.map(each => ({ ...each, ...shared }))
      assert.deepEqual(await db.query(echo, values), expected)
      assert.deepEqual(await db.transaction(tx => tx.query(echo, values)), expected)
      assert.deepEqual(await createBatchedQueries(db).query(echo, values), expected)
    })
  })
