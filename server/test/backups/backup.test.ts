import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { Secret } from '../../src/core/secret.ts'
import { BACKED_UP_TABLES, NOT_BACKED_UP } from '../../src/features/backups/backed-up-tables.ts'
import { tableRowsStore } from '../../src/features/backups/backup-store.ts'
import {
  requireNoUnfinishedRestore,
  UnfinishedRestore,
} from '../../src/features/backups/unfinished-restore.ts'
import { listChains, verifyChain } from '../../src/features/events/audit-verify.ts'
import { createOrganization } from '../../src/features/organizations/create-organization.ts'
import { ArchiveRefusal } from '../../src/platform/archive/archive-refusal.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { generateVaultKey, VaultKeyError } from '../../src/platform/vault/key.ts'
import { fixedKeyRing, type VaultKeyRing } from '../../src/platform/vault/key-ring.ts'
import { joinKeyRings } from '../../src/platform/vault/rewrap.ts'
import { openVault } from '../../src/platform/vault/vault.ts'
import { dyingDatabase } from '../support/archives.ts'
import {
  backUpToMemory,
  openBackup,
  readDatabase,
  restoreFromMemory,
  type TestBackup,
} from '../support/backups.ts'
import { createTestDatabase, type Engine, openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { apiKeySecret, seedSealedUsers } from '../support/sealed-users.ts'
import { startTestService } from '../support/test-service.ts'

type Opened = { db: Database; database: TestDatabase } & AsyncDisposable

const openEmpty = async (engine: Engine = 'postgres'): Promise<Opened> => {
  const database = await createTestDatabase(engine)
  const db = await openTestDatabase(database)
  const close = async () => {
    await db.close()
    await database.drop()
  }
  return { db, database, [Symbol.asyncDispose]: close }
}

const newRing = (): VaultKeyRing => fixedKeyRing([generateVaultKey('development')], { production: false })

describe('a backup of the whole database', () => {
  let source: Opened
  let ring: VaultKeyRing
  let organizationId: string
  let users: string[]
  let backup: TestBackup
  let rows: Record<string, string[]>
  before(async () => {
    source = await openEmpty()
    ring = newRing()
    const vault = await openVault(source.db, ring)
    const { organization } = await createOrganization({ db: source.db, vault }, 'Orbit')
    organizationId = organization.id
    users = await seedSealedUsers(
      { db: source.db, vault },
      { organizationId, users: 20, connectors: ['sandbox-vault'], secretOf: () => apiKeySecret('key') },
    )
    await runSql(
      source.db,
      `insert into events (organization_id, type, payload) select $1, 'test', jsonb_build_object('n', n) from generate_series(1, 6000) n`,
      [organizationId],
    )
    await runSql(
      source.db,
      `insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id, started_at, retention_days)
       select $1, uuid_v7(), $2, uuid_v7(), 'production', 'sandbox-notes', 'list', 'success', 'req', now() - n * interval '10 days', 365
       from generate_series(0, 20) n`,
      [organizationId, users[0] as string],
    )
    await runSql(
      source.db,
      `insert into key_rotations (vault_key_id, users_total, finished_at) values ('\\x00', 0, now()), ('\\x00', 0, now())`,
    )
    backup = await backUpToMemory({ db: source.db, ring })
    rows = await readDatabase(source.db)
  })
  after(() => source[Symbol.asyncDispose]())

  const isEqual = async (db: Database) => {
    const restored = await readDatabase(db)
    for (const { name } of BACKED_UP_TABLES) assert.deepEqual(restored[name], rows[name], name)
  }

  it('every table of the database is in the list, or has a reason why not', async () => {
    const tables = await runSql<{ name: string }>(
      source.db,
      `select relname as name from pg_class c where relkind in ('r', 'p') and not relispartition and relname <> 'test_clock'
         and relnamespace = 'public'::regnamespace`,
    )
    const listed = [...BACKED_UP_TABLES.map(({ name }) => name), ...Object.keys(NOT_BACKED_UP)]
    assert.deepEqual(listed.toSorted(), tables.map(({ name }) => name).toSorted())
  })

  it('a table is restored after the tables that its foreign keys refer to', async () => {
    const references = await runSql<{ from_table: string; to_table: string }>(
      source.db,
      `select conrelid::regclass::text as from_table, confrelid::regclass::text as to_table from pg_constraint where contype = 'f'`,
    )
    const order = BACKED_UP_TABLES.map(({ name }) => name)
    const wrong = references.filter(each => order.indexOf(each.to_table) >= order.indexOf(each.from_table))
    assert.ok(references.length > 20)
    assert.deepEqual(
      wrong.filter(({ from_table }) => order.includes(from_table)),
      [],
    )
  })

  it('transactions of the source are not restored', async () => {
    const columns = await runSql<{ table: string; name: string }>(
      source.db,
      `select table_name as table, name from own_columns
       where type in ('xid', 'xid8', 'cid', 'tid', 'oid', 'pg_lsn', 'pg_snapshot') or type like 'reg%'`,
    )
    assert.deepEqual(columns, [])
    await using target = await openEmpty()
    await runSql(target.db, 'create table test_replaced (id integer, written_in xid8 not null)')
    await target.db.transaction(tx =>
      tableRowsStore.insert(tx, { table: 'test_replaced', columns: ['id'], lines: ['["7"]'] }),
    )
    const inserted = await runSql(target.db, 'select id, written_in::text from test_replaced')
    assert.deepEqual(inserted, [{ id: 7, written_in: '0' }])
  })

  it('is restored into both engines without a difference, also from the embedded one', async () => {
    await using embedded = await openEmpty('pglite')
    await restoreFromMemory({ db: embedded.db, ring }, backup)
    await isEqual(embedded.db)
    const second = await backUpToMemory({ db: embedded.db, ring })
    await using target = await openEmpty()
    await restoreFromMemory({ db: target.db, ring }, second)
    await isEqual(target.db)
    const parts = await runSql<{ count: number }>(
      target.db,
      'select count(*)::int from tool_calls_365_default',
    )
    assert.equal(parts[0]?.count, 0, 'records are in the partitions of their periods')
    const [next] = await runSql<{ id: number }>(
      target.db,
      `insert into key_rotations (vault_key_id, users_total, finished_at) values ('\\x00', 0, now()) returning id`,
    )
    assert.equal(next?.id, 3, 'identities continue')
  })

  it('shows one moment: changes during the backup are not in it', async () => {
    let changed = false
    const inRequest = new AsyncResource('request')
    const during = await backUpToMemory({ db: source.db, ring }, async count => {
      if (count !== 2) return
      // As another process would, outside of the transaction of the backup.
      await inRequest.runInAsyncScope(() =>
        runSql(source.db, `update organizations set name = 'Renamed' where id = $1`, [organizationId]),
      )
      changed = true
    })
    await runSql(source.db, `update organizations set name = 'Orbit' where id = $1`, [organizationId])
    assert.ok(changed)
    let text = ''
    for await (const { lines } of (await openBackup(during)).chunks()) text += lines.join('\n')
    assert.ok(text.includes('Orbit') && !text.includes('Renamed'))
  })

  it('a restore that is killed at any point continues, and the service does not start meanwhile', async () => {
    await using target = await openEmpty()
    let runs = 0
    for (let budget = 4; ; budget += 3) {
      runs++
      const dying = dyingDatabase(target.db, { left: budget })
      const finished = await restoreFromMemory({ db: dying, ring }, backup, {
        deletedUsers: [{ organizationId, registeredUserId: users[0] as string }],
      }).then(
        () => true,
        error => {
          assert.equal(error.message, 'killed')
          return false
        },
      )
      if (finished) break
      const isStarted = (await runSql(target.db, 'select 1 from restores')).length > 0
      if (isStarted) await assert.rejects(requireNoUnfinishedRestore(target.db), UnfinishedRestore)
    }
    assert.ok(runs > 4, `${runs} runs`)
    await requireNoUnfinishedRestore(target.db)
    const restored = await readDatabase(target.db)
    assert.equal(restored.registered_users?.length, users.length - 1)
    assert.equal(restored.organizations?.length, 1)
    assert.deepEqual(restored.rate_buckets, rows.rate_buckets)
  })

  it('a service does not start on a database whose restore was interrupted', async () => {
    await using target = await openEmpty()
    const dying = dyingDatabase(target.db, { left: 12 })
    await assert.rejects(restoreFromMemory({ db: dying, ring }, backup), /killed/)
    await assert.rejects(
      startTestService('postgres', { DATABASE_URL: target.database.url as string }),
      UnfinishedRestore,
    )
  })

  it('users that were deleted after the backup stay deleted', async () => {
    await using target = await openEmpty()
    const deletedUsers = [
      { organizationId, registeredUserId: users[3] as string },
      { organizationId, registeredUserId: users[4] as string },
      { organizationId, registeredUserId: crypto.randomUUID() },
      { organizationId: crypto.randomUUID(), registeredUserId: users[5] as string },
    ]
    const result = await restoreFromMemory({ db: target.db, ring }, backup, { deletedUsers })
    assert.equal(result.deletedUsers, 2)
    const left = await runSql<{ id: string }>(target.db, 'select id from registered_users')
    assert.deepEqual(
      left.map(({ id }) => id).toSorted(),
      users.filter(id => id !== users[3] && id !== users[4]).toSorted(),
    )
    const vault = await openVault(target.db, ring)
    for (const chain of await listChains(target.db, null))
      assert.equal((await verifyChain({ db: target.db, signer: vault.signer }, chain)).problem, null)
  })

  it('a database that is not empty, and one that the service is using, are rejected', async () => {
    await using target = await openEmpty()
    const vault = await openVault(target.db, ring)
    const client = new pg.Client({
      connectionString: target.database.url,
      application_name: 'carabiner jobs',
    })
    await client.connect()
    await assert.rejects(restoreFromMemory({ db: target.db, ring }, backup), /The service is running/)
    await client.end()
    await createOrganization({ db: target.db, vault }, 'Another')
    await assert.rejects(
      restoreFromMemory({ db: target.db, ring }, backup),
      /not empty: there are rows in organizations,/,
    )
    await requireNoUnfinishedRestore(target.db)
  })

  it('another backup does not continue an interrupted restore', async () => {
    await using target = await openEmpty()
    await assert.rejects(
      restoreFromMemory({ db: dyingDatabase(target.db, { left: 12 }), ring }, backup),
      /killed/,
    )
    const other = await backUpToMemory({ db: source.db, ring })
    await assert.rejects(restoreFromMemory({ db: target.db, ring }, other), /another backup/)
  })

  it('a wrong vault key is rejected before anything is written, and on the source as well', async () => {
    await using target = await openEmpty()
    const id = ring.first().id
    const sameId = Buffer.concat([id, randomBytes(32)]).toString('base64url')
    const forged = fixedKeyRing([new Secret(`carabiner-vault-key-v1:development:${sameId}`)], {
      production: false,
    })
    for (const wrong of [newRing(), forged])
      await assert.rejects(restoreFromMemory({ db: target.db, ring: wrong }, backup), (error: Error) => {
        assert.ok(error instanceof ArchiveRefusal)
        assert.match(error.message, /does not decrypt this backup, so nothing was restored/)
        return true
      })
    assert.deepEqual(await runSql(target.db, 'select 1 from service_secrets'), [])
    await assert.rejects(backUpToMemory({ db: source.db, ring: newRing() }), /1 vault key that this database/)
  })

  it('with another vault key and the one of the backup, all keys are wrapped under the first', async () => {
    await using target = await openEmpty()
    const own = newRing()
    await restoreFromMemory({ db: target.db, ring: joinKeyRings(own, ring) }, backup, { rewraps: true })
    const vault = await openVault(target.db, own)
    const [user] = await runSql<{ data_key: Buffer }>(
      target.db,
      'select data_key from registered_users where id = $1',
      [users[0] as string],
    )
    await vault.openUserKey(organizationId, users[0] as string, user?.data_key as Buffer)
    await assert.rejects(openVault(target.db, ring), VaultKeyError)
  })

  it('a damaged or truncated backup, and one of another schema, are rejected before anything is written', async () => {
    await using target = await openEmpty()
    const { bytes, key } = backup
    const changed = Buffer.from(bytes)
    changed[bytes.length >> 1] = (changed[bytes.length >> 1] as number) ^ 1
    for (const damaged of [changed, bytes.subarray(0, -1), bytes.subarray(0, bytes.length >> 1)])
      await assert.rejects(
        restoreFromMemory({ db: target.db, ring }, { bytes: damaged, key }),
        ArchiveRefusal,
      )
    await runSql(target.db, `update schema_migrations set checksum = 'another' where version = 11`)
    await assert.rejects(
      restoreFromMemory({ db: target.db, ring }, backup),
      /Restore it with the version that made it/,
    )
    await requireNoUnfinishedRestore(target.db)
    assert.deepEqual(await runSql(target.db, 'select 1 from organizations'), [])
  })
})
