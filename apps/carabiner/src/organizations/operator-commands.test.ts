import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createProgressReporter } from '@carabiner/cli'
import { generateVaultKey } from '@carabiner/server/operator'
import { createTestDatabase, type TestDatabase } from '../../../../server/test/support/databases.ts'
import { runWords } from '../../test/run-words.ts'

const ID = '0190a5c1-7b1e-7f00-8000-00000000c0de'

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
  const run = (...words: string[]) => runWords(words, environment)

  it('creates a vault key once, readable by its owner only, and never replaces it', async () => {
    await run('vault-key', 'create')
    assert.equal(statSync(environment.KEY_FILE as string).mode & 0o777, 0o400)
    await assert.rejects(run('vault-key', 'create'), /already exists/)
  })

  it('creates an organization, lists it, sets its plan and regenerates its key', async () => {
    const created = (await run('org', 'create', 'Acme')).data as {
      id: string
      production_key: string
      test_key: string
    }
    assert.match(created.production_key, /^cb_sk_live_/)
    assert.match(created.test_key, /^cb_sk_test_/)
    assert.deepEqual((await run('org', 'list')).data, [
      { id: created.id, name: 'Acme', plan: 'enterprise', state: 'active' },
    ])
    await run('org', 'plan', created.id, 'starter')
    assert.deepEqual((await run('org', 'list')).data, [
      { id: created.id, name: 'Acme', plan: 'starter', state: 'active' },
    ])
    const own = await run('org', 'plan', created.id, 'business', '--calls', '250000')
    assert.deepEqual(own.data, { id: created.id, plan: 'business', call_limit: 250_000 })
    assert.match(own.text, /250000 calls per cycle/)
    const again = await run('org', 'plan', created.id, 'business')
    assert.deepEqual(again.data, { id: created.id, plan: 'business', call_limit: null })
    const regenerated = (await run('org', 'regenerate-key', created.id)).data as { production_key: string }
    assert.notEqual(regenerated.production_key, created.production_key)
    assert.doesNotMatch((await run('org', 'list')).text, /cb_sk/)
  })

  it('suspends and activates an organization, and both are in its audit trail', async () => {
    const { id } = (await run('org', 'create', 'Pausing')).data as { id: string }
    const suspended = await run('org', 'suspend', id)
    assert.match(suspended.text, /^Pausing is suspended\. .*organization_suspended/)
    assert.deepEqual(suspended.data, { id, state: 'suspended' })
    assert.match((await run('org', 'list')).text, /Pausing {2}\(suspended\)/)
    assert.deepEqual((await run('org', 'suspend', id)).data, { id, state: 'suspended' })
    assert.deepEqual((await run('org', 'activate', id)).data, { id, state: 'active' })
    const { text } = await runWords(['audit', 'list-all', '--organization', id], environment, () => undefined)
    assert.match(text, /organization\.suspended/)
    assert.match(text, /organization\.activated/)
    await assert.rejects(run('org', 'suspend', 'x'), /argument value 'x' is invalid for argument 'id'/)
    await assert.rejects(run('org', 'activate', ID), /There is no organization/)
    await run('org', 'suspend', id)
    assert.match((await run('org', 'delete', id, '--confirm', 'Pausing')).text, /^Deleted Pausing/)
  })

  it('reports usage errors', async () => {
    await assert.rejects(run('org', 'destroy'), /Unknown command 'destroy'/)
    await assert.rejects(run('org', 'create'), /Missing required argument 'name'/)
    await assert.rejects(run('org', 'plan', ID, 'gold'), /Allowed choices are free, starter/)
    for (const words of [
      ['--calls', '1.5'],
      ['--calls', '99999999999'],
    ])
      await assert.rejects(run('org', 'plan', ID, 'free', ...words), /It must be a whole number/)
    await assert.rejects(run('org', 'plan', ID, 'free', '500'), /Too many arguments/)
    for (const words of [['--calls'], ['--calls', '-1']])
      await assert.rejects(run('org', 'plan', ID, 'free', ...words), /--calls/)
    await assert.rejects(run('org', 'list', '--calls', '1'), /Unknown option '--calls'/)
    await assert.rejects(run('org', 'list', '--limit', '5'), /Unknown option '--limit'/)
    await assert.rejects(run('org', 'plan', ID, 'free'), /There is no organization 0190/)
    await assert.rejects(
      runWords(['org', 'list'], { ...environment, PORT: 'x', DATABASE_POOL_SIZE: '0' }),
      /2 problems/,
    )
    assert.match((await run()).text, /Operators[\s\S]* org [\s\S]*vault-key /)
    const help = await run('org', '--help')
    assert.match(help.text, /create \[options\] <name>|create <name>/)
    assert.doesNotMatch(help.text, /vault-key/)
  })

  it('rotates every key with progress, and removes the previous vault key', async () => {
    const lines = () =>
      readFileSync(environment.KEY_FILE as string, 'utf8')
        .trim()
        .split('\n')
    const [earlier] = lines()
    const reported: number[] = []
    const rotated = await runWords(['vault-key', 'rotate'], environment, progress => {
      if ('done' in progress) reported.push(progress.done)
    })
    assert.match(rotated.text, /The previous vault key was removed from .*vault\.key/)
    assert.deepEqual(rotated.data, {
      resumed: false,
      users: 0,
      secrets: 0,
      dropped_vault_keys: 1,
      unreadable: [],
    })
    assert.ok(reported.length > 0)
    assert.equal(lines().length, 1)
    assert.notEqual(lines()[0], earlier)
    assert.equal(statSync(environment.KEY_FILE as string).mode & 0o777, 0o400)
    assert.equal((await run('org', 'list')).text.includes('Acme'), true)
  })

  it('adds the next vault key to the file once, and rotates to it', async () => {
    await run('vault-key', 'add')
    const top = readFileSync(environment.KEY_FILE as string, 'utf8').split('\n')[0]
    await assert.rejects(run('vault-key', 'add'), /is not in use yet.*vault-key rotate/)
    await run('org', 'create', 'Between')
    await run('vault-key', 'rotate')
    assert.equal(readFileSync(environment.KEY_FILE as string, 'utf8'), `${top}\n`)
    assert.match((await run('org', 'list')).text, /Between/)
  })

  it('switches to another VAULT_KEY, and names the setting to remove', async () => {
    const from = readFileSync(environment.KEY_FILE as string, 'utf8').trim()
    const settings = (VAULT_KEY: string, VAULT_KEY_PREVIOUS?: string) => ({
      DATABASE_URL: environment.DATABASE_URL,
      VAULT_KEY,
      VAULT_KEY_PREVIOUS,
    })
    const same = await runWords(['vault-key', 'rotate'], settings(from))
    assert.match(same.text, /The vault key itself is unchanged.*VAULT_KEY_PREVIOUS/)
    await assert.rejects(runWords(['vault-key', 'add'], settings(from)), /comes from VAULT_KEY/)
    const to = generateVaultKey('development').reveal()
    await assert.rejects(runWords(['vault-key', 'rotate'], settings(to)), /not the one that this database/)
    const rotated = await runWords(['vault-key', 'rotate'], settings(to, from))
    assert.match(rotated.text, /VAULT_KEY_PREVIOUS anymore\. Remove the setting/)
    assert.match((await runWords(['org', 'list'], settings(to))).text, /Acme/)
    await assert.rejects(runWords(['org', 'list'], settings(from)), /not the one that this database/)
    await runWords(['vault-key', 'rotate'], settings(from, to))
  })

  it('shows progress as a bar on one line of a terminal, as lines elsewhere, or as JSON', () => {
    const progress = { done: 10, all: 40, secrets: 20, perSecond: 4.6, secondsLeft: 6.5 }
    const show = (isTTY: boolean, json: boolean) => {
      let now = 0
      let shown = ''
      const reporter = createProgressReporter({ isTTY, write: text => (shown += text) }, { json }, () => now)
      reporter.report(progress)
      now += 999
      reporter.report({ ...progress, done: 11 })
      now += 1
      reporter.report({ ...progress, done: 12, secondsLeft: null })
      reporter.end()
      return shown
    }
    assert.equal(
      show(false, false),
      '10 of 40 users, 20 secrets, 5 users/s, about 7 s left\n12 of 40 users, 20 secrets, 5 users/s\n',
    )
    assert.deepEqual(show(true, false).trimEnd().split('\r\u001b[K').slice(1), [
      '█████░░░░░░░░░░░░░░░  25 %  10 of 40 users, 20 secrets, 5 users/s, about 7 s le',
      '██████░░░░░░░░░░░░░░  30 %  12 of 40 users, 20 secrets, 5 users/s',
    ])
    assert.deepEqual(
      show(true, true)
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
      [
        { done: 10, all: 40, secrets: 20, per_second: 5, seconds_left: 7 },
        { done: 12, all: 40, secrets: 20, per_second: 5, seconds_left: null },
      ],
    )
  })

  it('rejects a wrong vault key', async () => {
    const other = join(folder, 'other.key')
    await runWords(['vault-key', 'create'], { ...environment, KEY_FILE: other })
    await assert.rejects(
      runWords(['org', 'list'], { ...environment, KEY_FILE: other }),
      /not the one that this database was created with/,
    )
  })
})
