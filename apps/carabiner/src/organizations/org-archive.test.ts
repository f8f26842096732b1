import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Database, openVaultFor, readConfig } from '@carabiner/server/operator'
import pg from 'pg'
import { compiledCode } from '../../../../server/test/support/compiled-code.ts'
import {
  createTestDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../../../server/test/support/databases.ts'
import { eventually } from '../../../../server/test/support/eventually.ts'
import { runSql } from '../../../../server/test/support/run-sql.ts'
import { apiKeySecret, seedSealedUsers } from '../../../../server/test/support/sealed-users.ts'
import { DATABASE_TIMEOUT_MS } from '../../../../server/test/support/test-service.ts'
import { runWords } from '../../test/run-words.ts'

const BIN = join(import.meta.dirname, '../../bin/carabiner.mjs')
const USERS = 300

describe('carabiner org export, import and delete', () => {
  let folder: string
  let id: string
  const installations: { database: TestDatabase; db: Database; environment: Record<string, string> }[] = []
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carabiner-cli-'))
    const production = { BASE_URL: 'https://link.example.com', TRUST_PROXY: '10.0.0.1' }
    for (const [name, settings] of [
      ['source', {}],
      ['target', production],
    ] as const) {
      const database = await createTestDatabase('postgres')
      const environment = {
        DATABASE_URL: database.url as string,
        DATABASE_TIMEOUT_MS,
        ...settings,
        KEY_FILE: join(folder, `${name}.key`),
        TOMBSTONE_PATH: join(folder, `${name}.log`),
      }
      installations.push({ database, db: await openTestDatabase(database), environment })
    }
    await inTarget('vault-key', 'create')
    const created = await runWords(['org', 'create', 'Acme'], source().environment)
    id = (created.data as { id: string }).id
    await runSql(source().db, `update api_keys set for_development = true where mode = 'production'`)
    const vault = await openVaultFor(readConfig(source().environment), source().db)
    await seedSealedUsers(
      { db: source().db, vault },
      {
        organizationId: id,
        users: USERS,
        connectors: ['sandbox-vault'],
        secretOf: () => apiKeySecret('key'),
      },
    )
  })
  after(async () => {
    for (const { db, database } of installations) {
      await db.close()
      await database.drop()
    }
    rmSync(folder, { recursive: true })
  })
  const source = () => installations[0] as (typeof installations)[number]
  const target = () => installations[1] as (typeof installations)[number]
  const activeKeys = async ({ db }: ReturnType<typeof source>) =>
    (await runSql<{ mode: string }>(db, 'select mode from api_keys where revoked_at is null')).map(
      ({ mode }) => mode,
    )
  const file = (name = 'acme.archive') => join(folder, name)
  const inSource = (...words: string[]) => runWords(words, source().environment)
  const inTarget = (...words: string[]) => runWords(words, target().environment)

  const start = (environment: Record<string, string>, words: string[], prefix = ''): ChildProcess =>
    spawn('bash', ['-c', `${prefix} exec "$0" "$@"`, process.execPath, BIN, ...words], {
      env: { PATH: process.env.PATH, ...compiledCode, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const finish = async (child: ChildProcess) => {
    let output = ''
    child.stdout?.on('data', chunk => (output += String(chunk)))
    child.stderr?.on('data', chunk => (output += String(chunk)))
    const [code] = await once(child, 'close')
    return { code: code as number | null, output }
  }
  /** Kills the command while it waits for a lock that the given SQL takes. */
  const killWhileLocked = async (
    { database, environment, db }: ReturnType<typeof source>,
    lock: string,
    words: string[],
  ): Promise<void> => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('begin')
    await client.query(lock)
    const child = start(environment, words)
    const ended = finish(child)
    await eventually(async () => {
      const waiting = await runSql(
        db,
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      assert.ok(waiting.length > 0 || child.exitCode !== null)
    })
    child.kill('SIGKILL')
    const { code, output } = await ended
    assert.equal(code, null, output)
    await client.query('rollback')
    await client.end()
    await eventually(async () => {
      const left = await runSql(
        db,
        `select 1 from pg_stat_activity where datname = current_database() and application_name = 'carabiner' and state <> 'idle'
           and pid <> pg_backend_pid()`,
      )
      assert.equal(left.length, 0)
    })
  }

  const publicKeyOf = async (installation: ReturnType<typeof source>): Promise<string> =>
    (await runWords(['org', 'public-key'], installation.environment)).text

  it('a failed write leaves no archive', async () => {
    const words = ['org', 'export', id, '--to', file(), '--for', await publicKeyOf(target())]
    const { code, output } = await finish(start(source().environment, words, 'ulimit -f 8;'))
    assert.equal(code, 1)
    assert.match(output, /The file cannot be written: EFBIG/)
    assert.doesNotMatch(output, /\n {4}at /)
    assert.deepEqual(
      readdirSync(folder).filter(name => name.startsWith('acme')),
      [],
    )
    const recipient = ['--for', await publicKeyOf(target())]
    await assert.rejects(
      inSource('org', 'export', id, '--to', join(folder, 'missing', 'x'), ...recipient),
      /cannot be written/,
    )
    await assert.rejects(
      inSource('org', 'export', crypto.randomUUID(), '--to', file(), ...recipient),
      /There is no organization/,
    )
    await assert.rejects(
      inSource('org', 'export', id, '--to', file(), '--for', 'x'),
      /--for must be the public key of an installation/,
    )
  })

  it('exports to a file for its owner only, records the recipient, and never replaces a file', async () => {
    const recipient = await publicKeyOf(target())
    assert.match(recipient, /^carabiner-installation-v1:/)
    const { text } = await inSource('org', 'export', id, '--to', file(), '--for', recipient)
    assert.ok(text.includes(`--from ${await publicKeyOf(source())}`), text)
    assert.equal(statSync(file()).mode & 0o777, 0o600)
    await assert.rejects(
      inSource('org', 'export', id, '--to', file(), '--for', recipient),
      /acme\.archive exists already/,
    )
    writeFileSync(file('other.archive.partial'), '')
    const exportOther = () => inSource('org', 'export', id, '--to', file('other.archive'), '--for', recipient)
    await assert.rejects(exportOther(), /another command is writing it/)
    // A killed command leaves it behind.
    const earlier = new Date(Date.now() - 2 * 60 * 60 * 1000)
    utimesSync(file('other.archive.partial'), earlier, earlier)
    await exportOther()
    assert.ok(!existsSync(file('other.archive.partial')))
    const entries = (await inSource('audit', 'list-all')).data as { action: string; changes: unknown }[]
    const exported = entries.find(({ action }) => action === 'organization.exported')
    assert.deepEqual(exported?.changes, [{ field: 'recipient', to: recipient }])
  })

  it('rejects an archive for another installation, of another source, and of one that nobody named', async () => {
    await assert.rejects(inTarget('org', 'import', file('none')), /There is no file/)
    await assert.rejects(inSource('org', 'import', file()), /encrypted for another installation/)
    await assert.rejects(inTarget('org', 'import', file()), /written by another installation.*--from/)
    const wrong = await publicKeyOf(target())
    await assert.rejects(
      inTarget('org', 'import', file(), '--from', wrong),
      /not written by the installation/,
    )
    await assert.rejects(inTarget('org', 'import', file(), '--from', 'x'), /--from must be the public key/)
  })

  it('an import that was killed continues, and the organization then has its key and its audit trail', async () => {
    const words = ['org', 'import', file(), '--from', await publicKeyOf(source())]
    await killWhileLocked(target(), 'lock table credentials in share mode', words)
    const [row] = await runSql<{ state: string }>(
      target().db,
      'select state from organizations where id = $1',
      [id],
    )
    assert.equal(row?.state, 'arriving')
    const reported: object[] = []
    const { data } = await runWords(words, target().environment, progress => reported.push(progress))
    const { resumed, rows } = data as { resumed: boolean; rows: number }
    assert.equal(resumed, true)
    assert.ok(rows > 2 * USERS)
    assert.deepEqual(reported.at(-1), { table: 'audit_heads', rows, allRows: rows })
    assert.equal((await runWords(['audit', 'verify'], target().environment)).failed, false)
    const [same] = await runSql<{ n: number }>(target().db, 'select count(*)::int as n from credentials')
    assert.equal(same?.n, USERS)
    const entries = (await runWords(['audit', 'list-all'], target().environment)).data as {
      action: string
      target: object
    }[]
    const imported = entries.find(({ action }) => action === 'organization.imported')
    // The entry is in the chain of the service, which shows no names of organizations.
    assert.deepEqual(imported?.target, { type: 'organization', id, name: null })
    assert.deepEqual(await activeKeys(target()), ['test'], 'the production key was printed in development')
    await assert.rejects(inTarget(...words), /exists already/)
    const [verdict] = ((await inTarget('audit', 'verify')).data as { organization_id: string }[]).filter(
      ({ organization_id }) => organization_id === id,
    )
    assert.equal((verdict as { unverified_until?: unknown }).unverified_until, null, 'the source is known')
  })

  it('deletes only with the name as confirmation, and continues after it was killed twice', async () => {
    await assert.rejects(inSource('org', 'delete', id), /--confirm "Acme"/)
    await assert.rejects(inSource('org', 'delete', id, '--confirm', 'acme'), /--confirm "Acme"/)
    const words = ['org', 'delete', id, '--confirm', 'Acme']
    await killWhileLocked(source(), 'lock table oauth_apps in share mode', words)
    await killWhileLocked(
      source(),
      `select 1 from registered_users where organization_id = '${id}' limit 1 for update`,
      words,
    )
    const { text, data } = await inSource(...words)
    assert.match(text, /^Deleted Acme: \d+ rows\./)
    assert.equal((data as { id: string }).id, id)
    assert.deepEqual((await inSource('org', 'list')).data, [])
    const triggers = await runSql(source().db, `select 1 from pg_trigger where tgname like 'fence%'`)
    assert.deepEqual(triggers, [])
    const entries = (await runWords(['audit', 'list-all'], source().environment)).data as {
      action: string
      changes: unknown[]
    }[]
    const deleted = entries.find(({ action }) => action === 'organization.deleted')
    assert.match(
      JSON.stringify(deleted?.changes),
      /"name","from":"Acme".*"audit_trail","from":"\d+:[0-9a-f]{64}"/,
    )
    assert.equal((await runWords(['audit', 'verify'], source().environment)).failed, false)
    await assert.rejects(inSource(...words), /There is no organization/)
  })

  it('an archive of an unknown installation is imported on request, and its audit trail is marked for good', async () => {
    await inTarget('org', 'delete', id, '--confirm', 'Acme')
    const { text: imported } = await inTarget('org', 'import', file(), '--from-unknown-installation')
    assert.match(imported, /stays marked as not verified/)
    const verified = await inTarget('audit', 'verify')
    assert.equal(verified.failed, false)
    assert.match(verified.text, new RegExp(`NOT VERIFIED: entries 1 to \\d+ of ${id}`))
  })

  it('says which tokens were not revoked', async () => {
    const { text, data } = await inTarget('org', 'delete', id, '--confirm', 'Acme')
    assert.match(text, new RegExp(`tokens of ${USERS} linked accounts were not revoked`))
    assert.equal((data as { tokens_not_revoked: number }).tokens_not_revoked, USERS)
  })

  it('reports usage errors', async () => {
    await assert.rejects(inSource('org', 'export', id), /Required option '--to <file>' not specified/)
    await assert.rejects(
      inSource('org', 'export', id, '--to', 'x'),
      /Required option '--for <public-key>' not specified/,
    )
    await assert.rejects(inSource('org', 'import'), /Missing required argument 'file'/)
    await assert.rejects(inSource('org', 'delete', 'x'), /is invalid for argument 'id'/)
    await assert.rejects(inSource('org', 'list', '--to', 'x'), /Unknown option '--to'/)
    await assert.rejects(inSource('org', 'plan', '--key-file', 'x'), /Unknown option '--key-file'/)
    assert.match((await inSource('org', '--help')).text, /export \[options\] <id>/)
  })
})
