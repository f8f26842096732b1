import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { createTestDatabase, engines } from '../../../test/support/databases.ts'
import { plainStatement } from '../../../test/support/run-sql.ts'
import { Secret } from '../../core/secret.ts'
import { type Database } from './database.ts'
import { openPglite } from './embedded/pglite.ts'
import { loadMigrations, MigrationError, migrate, planMigrations } from './migrate.ts'
import { describeMigrationProgress, type MigrationProgress } from './migration-locks.ts'
import { openPostgres } from './postgres/postgres.ts'

const FILES = {
  '0001_first.sql': 'create table first (id integer);',
  '0002_second.sql':
    '-- breaking: older versions cannot read this\ncreate table second (id integer); insert into second values (1);',
  '0003_third.sql': 'alter table first add column name text;',
}
const appliedRows = plainStatement<{ version: number; name: string; breaking: boolean }>(
  'applied',
  'select version, name, breaking from schema_migrations order by version',
)

describe('the migration plan', () => {
  const known = Object.keys(FILES).map((name, index) => ({
    version: index + 1,
    name,
    sql: '',
    checksum: `sum ${index + 1}`,
    breaking: index === 1,
  }))
  const applied = known.map(({ version, name, checksum, breaking }) => ({
    version,
    name,
    checksum,
    breaking,
  }))

  it('contains the pending migrations in order', () => {
    assert.deepEqual(planMigrations(known, []), known)
    assert.deepEqual(planMigrations(known, applied.slice(0, 1)), known.slice(1))
    assert.deepEqual(planMigrations(known, applied), [])
  })

  it('is rejected if a migration was changed after it was applied', () => {
    const changed = applied.map(row => (row.version === 2 ? { ...row, checksum: 'other' } : row))
    assert.throws(
      () => planMigrations(known, changed),
      /0002_second\.sql was changed after it was applied.*Restore the file/,
    )
  })

  it('is rejected if an unknown breaking migration was applied', () => {
    const newer = { version: 9, name: '0009_newer.sql', checksum: 'x', breaking: true }
    assert.throws(
      () => planMigrations(known, [...applied, newer]),
      /newer than this version.*0009_newer\.sql/,
    )
  })

  it('ignores an unknown migration that is not breaking', () => {
    const newer = { version: 9, name: '0009_newer.sql', checksum: 'x', breaking: false }
    assert.deepEqual(planMigrations(known, [...applied, newer]), [])
  })
})

describe('the files', () => {
  it('are numbered without gaps or duplicates, and declare what they break', async () => {
    const migrations = await loadMigrations()
    assert.ok(migrations.length > 0)
    assert.deepEqual(
      migrations.map(({ version }) => version),
      migrations.map((_, index) => index + 1),
    )
    for (const { name, checksum, sql } of migrations) {
      assert.match(name, /^\d{4}_[a-z0-9_]+\.sql$/)
      assert.match(checksum, /^[0-9a-f]{64}$/)
      assert.doesNotMatch(
        sql,
        /uuidv7\(\)|\bmerge\b.*returning|any_value/is,
        'PostgreSQL 15 supports none of these',
      )
    }
  })
})

for (const engine of engines) {
  describe(`migrating on ${engine}`, () => {
    const cleanUps: (() => unknown)[] = []
    let folder: string
    let clusterUrl: string
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'carabiner-migrations-'))
      for (const [name, sql] of Object.entries(FILES)) writeFileSync(join(folder, name), sql)
      if (engine === 'pglite') return
      const database = await createTestDatabase('postgres')
      clusterUrl = (database.url as string).replace(/\/[^/]*$/, '')
      cleanUps.push(() => database.drop())
    })
    after(async () => {
      for (const cleanUp of cleanUps.toReversed()) await cleanUp()
      rmSync(folder, { recursive: true })
    })

    const administer = async (sql: string): Promise<void> => {
      const client = new pg.Client({ connectionString: `${clusterUrl}/postgres` })
      await client.connect()
      await client.query(sql)
      await client.end()
    }
    let lite: Database | undefined
    const openLite = async (): Promise<Database> => {
      const data = mkdtempSync(join(tmpdir(), 'carabiner-lite-'))
      cleanUps.push(() => rmSync(data, { recursive: true, force: true }))
      const db = await openPglite(data)
      cleanUps.push(() => db.close())
      return db
    }
    /** Opens one empty database several times. The embedded engine allows only one opener. */
    const emptyDatabase = async (): Promise<() => Promise<Database>> => {
      if (engine === 'pglite') {
        // One database is emptied and reused, because creating one takes seconds.
        await lite?.script('drop schema public cascade; create schema public')
        lite ??= await openLite()
        const db = lite
        return async () => db
      }
      const name = `empty_${randomBytes(6).toString('hex')}`
      await administer(`create database ${name}`)
      cleanUps.push(() => administer(`drop database ${name} with (force)`))
      return async () => {
        const url = new Secret(`${clusterUrl}/${name}`)
        const db = await openPostgres({ url, poolSize: 2, onIdleError: () => undefined })
        cleanUps.push(() => db.close())
        return db
      }
    }

    it('applies all migrations once and returns their names', async () => {
      const db = await (await emptyDatabase())()
      assert.deepEqual(await migrate(db, { apply: true, folder }), Object.keys(FILES))
      assert.deepEqual(await migrate(db, { apply: true, folder }), [])
      assert.deepEqual(await migrate(db, { apply: false, folder }), [])
      assert.deepEqual(await db.query(appliedRows, []), [
        { version: 1, name: '0001_first.sql', breaking: false },
        { version: 2, name: '0002_second.sql', breaking: true },
        { version: 3, name: '0003_third.sql', breaking: false },
      ])
    })

    it('rejects pending migrations if it must not migrate', async () => {
      const db = await (await emptyDatabase())()
      await assert.rejects(migrate(db, { apply: false, folder }), (error: Error) => {
        assert.ok(error instanceof MigrationError)
        assert.match(error.message, /^3 migrations are pending: 0001_first\.sql, .*without --no-migrate/)
        return true
      })
      const tables = plainStatement<{ count: number }>(
        'tables',
        `select count(*) from pg_tables where schemaname = 'public'`,
      )
      assert.deepEqual(await db.query(tables, []), [{ count: 0 }])
    })

    it('rejects a changed file and an unknown breaking one, and ignores another unknown one', async () => {
      const db = await (await emptyDatabase())()
      await migrate(db, { apply: true, folder })
      await db.script(`insert into schema_migrations values (8, '0008_later.sql', 'x', false)`)
      assert.deepEqual(await migrate(db, { apply: true, folder }), [])
      await db.script(`update schema_migrations set checksum = 'x' where version = 1`)
      await assert.rejects(migrate(db, { apply: true, folder }), /0001_first\.sql was changed/)
      await db.script('delete from schema_migrations where version = 1')
      await db.script(`insert into schema_migrations values (9, '0009_later.sql', 'x', true)`)
      await assert.rejects(migrate(db, { apply: true, folder }), /newer than this version of Carabiner/)
    })

    it('keeps the migrations before one that fails, and rolls that one back', async () => {
      const broken = mkdtempSync(join(tmpdir(), 'carabiner-migrations-'))
      cleanUps.push(() => rmSync(broken, { recursive: true }))
      writeFileSync(join(broken, '0001_first.sql'), FILES['0001_first.sql'])
      writeFileSync(join(broken, '0002_broken.sql'), 'create table half (id integer); select * from nowhere;')
      const db = await (await emptyDatabase())()
      await assert.rejects(migrate(db, { apply: true, folder: broken }), { code: '42P01' })
      assert.deepEqual(await db.query(appliedRows, []), [
        { version: 1, name: '0001_first.sql', breaking: false },
      ])
      writeFileSync(join(broken, '0002_broken.sql'), 'create table half (id integer)')
      assert.deepEqual(await migrate(db, { apply: true, folder: broken }), ['0002_broken.sql'])
    })

    it('runs once if several nodes start at the same time on a new database', async () => {
      const open = await emptyDatabase()
      const nodes = await Promise.all(Array.from({ length: 4 }, open))
      const done = await Promise.all(nodes.map(db => migrate(db, { apply: true })))
      const own = (await loadMigrations()).map(({ name }) => name)
      assert.deepEqual(done.flat().toSorted(), own, 'each was applied by one node')
      const [db] = nodes
      assert.equal((await db?.query(appliedRows, []))?.length, own.length)
    })

    if (engine === 'postgres')
      it('waits for a long transaction without blocking others, then finishes', async () => {
        const open = await emptyDatabase()
        const [db, service] = [await open(), await open()]
        await migrate(db, { apply: true, folder })
        const later = mkdtempSync(join(tmpdir(), 'carabiner-migrations-'))
        cleanUps.push(() => rmSync(later, { recursive: true }))
        for (const [name, sql] of Object.entries(FILES)) writeFileSync(join(later, name), sql)
        writeFileSync(join(later, '0004_fourth.sql'), 'create table fourth (id integer);')
        writeFileSync(join(later, '0005_fifth.sql'), 'alter table first add column fifth text;')
        const read = plainStatement<{ count: number }>('read_first', 'select count(*) from first')
        const steps: MigrationProgress[] = []
        const ended = Promise.withResolvers<void>()
        const blocked = Promise.withResolvers<void>()
        const backup = service.transaction(async tx => {
          await tx.query(read, [])
          await ended.promise
        })
        const migrating = migrate(db, {
          apply: true,
          folder: later,
          lockTimeoutMs: 50,
          pauseMs: 50,
          onProgress: progress => {
            steps.push(progress)
            if (steps.filter(({ step }) => step === 'blocked').length === 3) blocked.resolve()
          },
        })
        await blocked.promise
        assert.deepEqual(
          await service.query(read, []),
          [{ count: 0 }],
          'the table is read while the migration waits',
        )
        ended.resolve()
        await backup
        assert.deepEqual(await migrating, ['0004_fourth.sql', '0005_fifth.sql'])
        const waiting = steps.find(({ step }) => step === 'blocked')
        assert.ok(waiting?.step === 'blocked' && waiting.name === '0005_fifth.sql')
        assert.match(
          describeMigrationProgress(waiting),
          /^0005_fifth\.sql waits for a table that another transaction uses: process \d+ of PostgreSQL \(carabiner, postgres\), open for \d+ s\./,
        )
        const first = steps.find(({ step }) => step !== 'long_transactions')
        assert.deepEqual(first, { step: 'applied', name: '0004_fourth.sql' }, 'it was committed before')
      })
  })
}
