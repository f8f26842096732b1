import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { PGlite, type Transaction as PGliteTransaction } from '@electric-sql/pglite'
import { fromPglite } from 'pg-boss'
import { type Database, markTransaction, type Queryable, refuseInsideTransaction } from '../database.ts'
import { bind, toRows } from '../statement.ts'
import { ensureEmbedded } from './ensure-embedded.ts'
import { lockFolder } from './folder-lock.ts'
import { closeContents } from './private-folder.ts'

// The optimizing compiler uses 500 MB while it compiles PostgreSQL. Baseline code needs half the memory in total,
// starts faster, and runs statements at about half the speed.
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)

const INT8 = 20
const BYTEA = 17

/** PGlite returns Uint8Array where `pg` returns Buffer. Callers get Buffers and numbers from both. */
const parsers = {
  [INT8]: Number,
  [BYTEA]: (text: string) => Buffer.from(text.slice(2), 'hex'),
}

const openFolder = async (folder: string): Promise<PGlite> => {
  await ensureEmbedded(join(folder, 'pglite'))
  closeContents(folder)
  return PGlite.create({ dataDir: join(folder, 'pglite'), parsers })
}

export const openPglite = async (folder: string): Promise<Database> => {
  const unlock = lockFolder(folder)
  const lite = await openFolder(folder).catch(error => {
    unlock()
    throw error
  })

  const through = (client: PGlite | PGliteTransaction): Queryable => ({
    query: async (statement, ...[values]) => {
      const result = await client.query<unknown[]>(statement.text, bind(statement, values), {
        rowMode: 'array',
      })
      return toRows(statement, result.fields, result.rows)
    },
  })
  const run = async (client: PGlite | PGliteTransaction, sql: string): Promise<void> => {
    await client.exec(sql)
  }
  const direct = through(lite)

  return {
    engine: 'pglite',
    query: (statement, ...values) => {
      refuseInsideTransaction()
      return direct.query(statement, ...values)
    },
    transaction: work => {
      refuseInsideTransaction()
      return lite.transaction(tx =>
        markTransaction(() => work({ ...through(tx), script: sql => run(tx, sql), inTransaction: true })),
      )
    },
    batch: statements => {
      refuseInsideTransaction()
      return lite.transaction(async tx => {
        const results: unknown[][] = []
        for (const [statement, values] of statements) results.push(await through(tx).query(statement, values))
        return results
      })
    },
    foreign: async (sql, values) => {
      refuseInsideTransaction()
      const { rows, affectedRows = 0 } = await lite.query<Record<string, unknown>>(sql, [...values])
      return { rows, affected: affectedRows }
    },
    script: async sql => {
      refuseInsideTransaction()
      await run(lite, sql)
    },
    notify: async (channel, payload) => {
      refuseInsideTransaction()
      await lite.query('select pg_notify($1, $2)', [channel, payload])
    },
    // There are no connections: statements run in this process.
    pools: () => [],
    queueConnection: { db: fromPglite(lite), backend: 'pglite' },
    listen: (channel, onNotification) => lite.listen(channel, onNotification),
    close: async () => {
      await lite.close()
      unlock()
    },
  }
}
