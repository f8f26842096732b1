import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  archiveFileSource,
  BACKUP,
  createLog,
  openArchive,
  openDirectDatabase,
  openVaultFor,
  readArchiveKey,
  readConfig,
} from '@carabiner/server/operator'
import { createTestDatabase, type TestDatabase } from '../../../../server/test/support/databases.ts'
import { runSql } from '../../../../server/test/support/run-sql.ts'
import { apiKeySecret, seedSealedUsers } from '../../../../server/test/support/sealed-users.ts'
import { DATABASE_TIMEOUT_MS } from '../../../../server/test/support/test-service.ts'
import { runWords } from '../../test/run-words.ts'

const USERS = 30

/** A trial with the embedded database in development is brought to a production installation with PostgreSQL. */
describe('carabiner backup and restore', () => {
  let folder: string
  let trial: TestDatabase
  let production: TestDatabase
  let fromTrial: Record<string, string>
  let inProduction: Record<string, string>
  let organizationId: string
  let users: string[]
  const file = (name: string) => join(folder, name)
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carabiner-backup-'))
    trial = await createTestDatabase('pglite')
    production = await createTestDatabase('postgres')
    fromTrial = {
      DATA_DIRECTORY: trial.folder as string,
      KEY_FILE: file('trial.key'),
      TOMBSTONE_PATH: file('trial.log'),
    }
    inProduction = {
      DATABASE_URL: production.url as string,
      DATABASE_TIMEOUT_MS,
      BASE_URL: 'https://link.example.com',
      TRUST_PROXY: '10.0.0.1',
      KEY_FILE: file('production.key'),
      TOMBSTONE_PATH: file('production.log'),
    }
    const created = await runWords(['org', 'create', 'Acme'], fromTrial)
    organizationId = (created.data as { id: string }).id
    const config = readConfig(fromTrial)
    const db = await openDirectDatabase(config, createLog('silent'))
    const vault = await openVaultFor(config, db)
    users = await seedSealedUsers(
      { db, vault },
      { organizationId, users: USERS, connectors: ['sandbox-vault'], secretOf: () => apiKeySecret('canary') },
    )
    await runSql(db, `update api_keys set for_development = true where mode = 'production'`)
    await db.close()
  })
  after(async () => {
    await trial.drop()
    await production.drop()
    rmSync(folder, { recursive: true })
  })

  it('writes one encrypted file with its checksum, and says that it is useless without the keys', async () => {
    const { text, data } = await runWords(['backup', '--to', file('all.backup')], fromTrial)
    const bytes = readFileSync(file('all.backup'))
    assert.deepEqual(data, {
      file: file('all.backup'),
      key_file: file('all.backup.key'),
      key_created: true,
      rows: (data as { rows: number }).rows,
      bytes: bytes.length,
      sha256: hash('sha256', bytes),
    })
    assert.match(text, /Without them, the backup is useless/)
    assert.match(text, /the vault key .* is never in a backup/)
    assert.deepEqual(
      [statSync(file('all.backup')).mode & 0o777, statSync(file('all.backup.key')).mode & 0o777],
      [0o600, 0o400],
    )
    const key = readArchiveKey(file('all.backup.key'))
    assert.ok(key)
    let plain = ''
    const backup = await openArchive(archiveFileSource(file('all.backup')), BACKUP, () => key)
    for await (const { lines } of backup.chunks()) plain += lines.join('\n')
    assert.ok(plain.includes(organizationId))
    const vaultKey = readFileSync(file('trial.key'), 'utf8').trim()
    const secret = Buffer.from(vaultKey.split(':')[2] as string, 'base64url').subarray(16)
    for (const canary of ['canary', vaultKey, secret.toString('hex'), secret.toString('base64')])
      assert.ok(!plain.includes(canary))
    assert.ok(!bytes.includes(organizationId))
    await assert.rejects(runWords(['backup', '--to', file('all.backup')], fromTrial), /exists already/)
  })

  it('uses an existing key file, and rejects a wrong vault key', async () => {
    const keyFile = ['--key-file', file('all.backup.key')]
    const { data } = await runWords(['backup', '--to', file('second.backup'), ...keyFile], fromTrial)
    assert.equal((data as { key_created: boolean }).key_created, false)
    await assert.rejects(
      runWords(['backup', '--to', file('third.backup')], { ...fromTrial, KEY_FILE: file('second.key') }),
      { name: 'VaultKeyError' },
    )
    await runWords(['vault-key', 'create'], { KEY_FILE: file('other.key') })
    await assert.rejects(
      runWords(['backup', '--to', file('third.backup')], { ...fromTrial, KEY_FILE: file('other.key') }),
      /is not the one that this database was created with/,
    )
    assert.ok(!existsSync(file('third.backup')) && !existsSync(file('third.backup.key')))
  })

  it('restore --check reads the whole file and changes nothing', async () => {
    const { text } = await runWords(['restore', file('all.backup'), '--check'], fromTrial)
    assert.match(text, /is complete, with \d+ rows. Both keys decrypt it. Nothing was restored/)
    await assert.rejects(
      runWords(['restore', file('all.backup'), '--check'], { ...fromTrial, KEY_FILE: file('other.key') }),
      /The vault key in .* does not decrypt this backup/,
    )
    await assert.rejects(
      runWords(['restore', file('all.backup'), '--check', '--key-file', file('missing')], fromTrial),
      /The key of the file is missing/,
    )
  })

  it('restore requires a vault key and the deleted-user log', async () => {
    await assert.rejects(runWords(['restore', file('all.backup')], inProduction), /There is no vault key/)
    await runWords(['vault-key', 'create'], inProduction)
    const words = [file('all.backup'), '--vault-key-file', file('trial.key')]
    await assert.rejects(
      runWords(['restore', ...words], inProduction),
      /There is no deleted-user log at .*production.log/,
    )
    await assert.rejects(
      runWords(['restore', ...words, '--deleted-users', file('missing.log')], inProduction),
      /There is no deleted-user log/,
    )
    const named = ['--accept-missing-tombstones', '--deleted-users', file('missing.log')]
    await assert.rejects(
      runWords(['restore', ...words, ...named], inProduction),
      /There is no deleted-user log at .*missing\.log.*--accept-missing-tombstones/,
    )
  })

  it('restores a trial into production under its own vault key, without deleted users', async () => {
    // Of a folder, each file is the log of a node. The node of this machine has none.
    mkdirSync(file('logs'))
    for (const n of [0, 1]) writeFileSync(file(`logs/node-${n}.log`), `${organizationId} ${users[n]}\n`)
    const { text, data } = await runWords(
      [
        'restore',
        file('all.backup'),
        '--vault-key-file',
        file('trial.key'),
        '--accept-missing-tombstones',
        '--deleted-users',
        file('logs'),
      ],
      inProduction,
    )
    assert.match(text, /2 users were deleted again, because the deleted-user log contains them/)
    assert.equal((data as { deleted_users: number }).deleted_users, 2)
    const { data: organizations } = await runWords(['org', 'list'], inProduction)
    assert.deepEqual(
      (organizations as { id: string }[]).map(({ id }) => id),
      [organizationId],
    )
    const { failed } = await runWords(['audit', 'verify'], inProduction)
    assert.ok(!failed)
    const { text: trail } = await runWords(['audit', 'list-all'], inProduction)
    assert.match(trail, /service\.restored .* backup: /)
    assert.match((await runWords(['audit', 'list-all'], fromTrial)).text, /service\.backed_up/)
    const db = await openDirectDatabase(readConfig(inProduction), createLog('silent'))
    const keys = await runSql(db, 'select mode from api_keys where revoked_at is null')
    const left = await runSql(db, 'select id from registered_users')
    await db.close()
    assert.deepEqual(keys, [{ mode: 'test' }], 'the production key was printed in development')
    assert.equal(left.length, USERS - 2)
  })

  it('restore --only-deleted-users deletes users again after a restore with another program', async () => {
    writeFileSync(file('production.log'), `${organizationId} ${users[0]}\n${organizationId} ${users[2]}\n`)
    const { data } = await runWords(['restore', '--only-deleted-users'], inProduction)
    assert.deepEqual(data, { deleted_users: 1 })
    await assert.rejects(runWords(['restore', '--only-deleted-users', 'file'], inProduction), {
      name: 'UsageError',
    })
  })

  it('other commands are rejected while a restore is unfinished', async () => {
    const db = await openDirectDatabase(readConfig(inProduction), createLog('silent'))
    await runSql(db, `insert into restores (backup_id) values (sha256('another'))`)
    await assert.rejects(runWords(['org', 'list'], inProduction), { name: 'UnfinishedRestore' })
    await assert.rejects(runWords(['backup', '--to', file('fourth.backup')], inProduction), {
      name: 'UnfinishedRestore',
    })
    await runSql(db, 'delete from restores')
    await db.close()
  })
})
