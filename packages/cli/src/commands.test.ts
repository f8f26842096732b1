import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../server/test/support/databases.ts'
import { runCommand } from './commands.ts'

describe('the operator’s command line', () => {
  let folder: string
  let database: TestDatabase
  let environment: Record<string, string>
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carabiner-cli-'))
    database = await createTestDatabase('postgres')
    environment = { DATABASE_URL: database.url as string, KEY_FILE: join(folder, 'vault.key') }
  })
  after(async () => {
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  const run = (...words: string[]) => runCommand(words, environment)

  it('makes a vault key once, readable by its owner alone, and never replaces it', async () => {
    await run('keys', 'create')
    assert.equal(statSync(environment.KEY_FILE as string).mode & 0o777, 0o400)
    await assert.rejects(run('keys', 'create'), /exists already/)
  })

  it('creates an organization whose keys are shown once, lists it, sets its plan, regenerates its key', async () => {
    const created = (await run('org', 'create', 'Acme')).data as {
      id: string
      production_key: string
      test_key: string
    }
    assert.match(created.production_key, /^cb_sk_live_/)
    assert.match(created.test_key, /^cb_sk_test_/)
    assert.deepEqual((await run('org', 'list')).data, [{ id: created.id, name: 'Acme', plan: 'enterprise' }])
    await run('org', 'plan', created.id, 'starter')
    assert.deepEqual((await run('org', 'list')).data, [{ id: created.id, name: 'Acme', plan: 'starter' }])
    const regenerated = (await run('org', 'regenerate-key', created.id)).data as { production_key: string }
    assert.notEqual(regenerated.production_key, created.production_key)
    assert.doesNotMatch((await run('org', 'list')).text, /cb_sk/)
  })

  it('says what is wrong with a command', async () => {
    await assert.rejects(run('org', 'destroy'), /There is no command "org destroy"/)
    await assert.rejects(run('org', 'create'), /org create NAME/)
    await assert.rejects(run('org', 'plan', 'x', 'gold'), /A plan is one of/)
    await assert.rejects(run('org', 'plan', 'x', 'free'), /There is no organization x/)
    await assert.rejects(
      runCommand(['org', 'list'], { ...environment, PORT: 'x', DATABASE_POOL_SIZE: '0' }),
      /2 problems/,
    )
    assert.match((await run()).text, /carabiner org create NAME/)
  })

  it('refuses a wrong vault key', async () => {
    const other = join(folder, 'other.key')
    await runCommand(['keys', 'create'], { ...environment, KEY_FILE: other })
    await assert.rejects(
      runCommand(['org', 'list'], { ...environment, KEY_FILE: other }),
      /not the one this database was set up with/,
    )
  })
})
