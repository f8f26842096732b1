import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Database } from '@carabiner/server/operator'
import { compiledCode } from '../../../../server/test/support/compiled-code.ts'
import {
  createTestDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../../../server/test/support/databases.ts'
import { runWords } from '../../test/run-words.ts'

const BIN = join(import.meta.dirname, '../../bin/carabiner.mjs')

describe('carabiner audit', () => {
  let folder: string
  let database: TestDatabase
  let db: Database
  let environment: Record<string, string>
  let id: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carabiner-cli-'))
    database = await createTestDatabase('postgres')
    db = await openTestDatabase(database)
    environment = { DATABASE_URL: database.url as string, KEY_FILE: join(folder, 'vault.key') }
    const created = await runWords(['org', 'create', 'Acme'], environment)
    id = (created.data as { id: string }).id
  })
  after(async () => {
    await db.close()
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  const audit = (...words: string[]) => runWords(['audit', ...words], environment)
  const spawn = async (...words: string[]) => {
    try {
      const env = { PATH: process.env.PATH, ...compiledCode, ...environment }
      const { stdout } = await promisify(execFile)(process.execPath, [BIN, 'audit', ...words], { env })
      return { code: 0, stdout }
    } catch (error) {
      const { code, stdout } = error as { code: number; stdout: string }
      return { code, stdout }
    }
  }

  it('lists the changes by operator commands with their author, without a key', async () => {
    await runWords(['org', 'plan', id.toUpperCase(), 'starter'], environment)
    const { data } = await runWords(['org', 'regenerate-key', id], environment)
    const listed = await audit('list-all', '--organization', id)
    assert.match(
      listed.text,
      /3 .*api_key\.regenerated .*hint: cb_sk_live_.*\n.*2 .*organization\.plan_set .*plan: enterprise → starter\n.*1 .*organization\.created/,
    )
    assert.ok(listed.text.includes(`by operator ${userInfo().username}`))
    assert.ok(!JSON.stringify(listed).includes((data as { production_key: string }).production_key))
    assert.equal((await audit('list-all', '--organization', id, '--limit', '1')).text.split('\n').length, 1)
  })

  it('records commands without an organization in the service chain, and no rejected ones', async () => {
    await runWords(['vault-key', 'add'], environment)
    await assert.rejects(runWords(['vault-key', 'add'], environment), /not in use yet/)
    await runWords(['vault-key', 'rotate'], environment)
    const listed = await audit('list-all')
    // Without --organization, every chain is listed: as many entries as `verify` counts.
    assert.deepEqual(
      (listed.data as { action: string }[]).map(({ action }) => action),
      [
        'keys.rotated',
        'vault_key.added',
        'api_key.regenerated',
        'organization.plan_set',
        'organization.created',
      ],
    )
    assert.match(
      listed.text,
      new RegExp(`^the service itself .*keys\\.rotated[\\s\\S]*\n${id} .*organization\\.created`),
    )
    assert.match((await audit('verify')).text, /5 entries in 2 chains/, 'seals stay valid after a rotation')
  })

  it('reports an intact trail and exits 0', async () => {
    const { code, stdout } = await spawn('verify', '--organization', id)
    assert.equal(code, 0)
    assert.match(
      stdout,
      /^The audit trail is intact: 3 entries in 1 chain\.\n {2}[0-9a-f-]{36} {2}3:[0-9a-f]{64}\n/,
    )
    const end = /3:[0-9a-f]{64}/.exec(stdout)?.[0] as string
    assert.equal((await audit('verify', '--organization', id, '--expect', end)).failed, false)
    const reported: unknown[] = []
    await runWords(['audit', 'verify', '--from', '2', '--organization', id], environment, progress =>
      reported.push(progress),
    )
    assert.deepEqual(reported, [{ entries: 2, all: 2 }])
  })

  it('checks hashes without the vault key only with --without-key', async () => {
    const keyless = { ...environment, KEY_FILE: join(folder, 'elsewhere.key') }
    await assert.rejects(
      runWords(['audit', 'verify'], keyless),
      /vault key is missing[\s\S]*--no-key skips the seals/,
    )
    const { text, failed } = await runWords(['audit', 'verify', '--no-key'], keyless)
    assert.match(text, /intact: 5 entries[\s\S]*seals were not checked/)
    assert.equal(failed, false)
  })

  it('rejects a database whose signing key was removed', async () => {
    await db.script('create table kept as select * from service_secrets; delete from service_secrets')
    await assert.rejects(audit('verify'), /signing key is missing from this database/)
    await db.script('insert into service_secrets select * from kept; drop table kept')
    assert.equal((await audit('verify')).failed, false)
  })

  it('exits 1 at the first break, with the entry and the kind', async () => {
    await db.script(`alter table audit_entries disable trigger user;
      update audit_entries set actor_id = 'nobody' where organization_id = '${id}' and sequence = 2;
      alter table audit_entries enable trigger user`)
    const { code, stdout } = await spawn('verify')
    assert.equal(code, 1)
    assert.match(stdout, new RegExp(`^BROKEN \\(changed\\): entry 2 of ${id} was changed`))
    const { code: again, stdout: asJson } = await spawn('verify', '--organization', id, '--json')
    assert.equal(again, 1)
    assert.deepEqual(JSON.parse(asJson)[0].problem.kind, 'changed')
  })

  it('reports usage errors', async () => {
    for (const [words, expected] of [
      [['burn'], /Unknown command 'burn'/],
      [['verify', '--organization', 'x'], /must be the ID of an organization/],
      [['verify', '--organization', crypto.randomUUID()], /There is no organization/],
      [['verify', '--from', '2'], /Select it with --organization/],
      [['verify', '--from', '0', '--organization', id], /'--from <n>' argument '0' is invalid/],
      [['verify', '--expect', '3', '--organization', id], /--expect must be N:HASH/],
      [['list-all', '--limit', '1e9'], /It must be a whole number from 1 to 1000000/],
      [['verify', '--force'], /Unknown option '--force'/],
    ] as const)
      await assert.rejects(audit(...words), expected)
    assert.match((await audit()).text, /verify \[options\]/)
    assert.match((await runWords([], environment)).text, / audit /)
  })
})
