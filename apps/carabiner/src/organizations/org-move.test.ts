import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Database, openVaultFor, readConfig } from '@carabiner/server/operator'
import pg from 'pg'
import { readOrganization } from '../../../../server/test/support/archives.ts'
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

describe('carabiner org move', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-cli-'))
  const at = (name: string) => join(folder, name)
  const environment: Record<string, string> = { DATABASE_TIMEOUT_MS }
  const cells: Record<string, { database: TestDatabase; db: Database }> = {}
  const inCell = (name: 'a' | 'b') => cells[name] as { database: TestDatabase; db: Database }
  let id: string
  before(async () => {
    for (const name of ['a', 'b']) {
      const database = await createTestDatabase('postgres')
      cells[name] = { database, db: await openTestDatabase(database) }
      environment[`${name.toUpperCase()}_URL`] = database.url as string
    }
    const listed = ['a', 'b'].map(name => ({
      name,
      address: `http://${name}.internal:4000`,
      database_url_env: `${name.toUpperCase()}_URL`,
      key_file: at(`${name}.key`),
    }))
    writeFileSync(at('cells.json'), JSON.stringify({ cells: listed }))
    const own = (name: 'a' | 'b') => ({
      DATABASE_URL: inCell(name).database.url as string,
      DATABASE_TIMEOUT_MS,
      KEY_FILE: at(`${name}.key`),
    })
    id = ((await runWords(['org', 'create', 'Acme'], own('a'))).data as { id: string }).id
    await runWords(['org', 'create', 'Other'], own('b'))
    const { db } = inCell('a')
    const users = {
      organizationId: id,
      users: 50,
      connectors: ['sandbox-vault'],
      secretOf: () => apiKeySecret('key'),
    }
    await seedSealedUsers({ db, vault: await openVaultFor(readConfig(own('a')), db) }, users)
  })
  after(async () => {
    for (const { db, database } of Object.values(cells)) {
      await db.close()
      await database.drop()
    }
    rmSync(folder, { recursive: true })
  })

  const to = (cell: string, ...more: string[]) => [
    id,
    '--to',
    cell,
    '--cells',
    at('cells.json'),
    '--map',
    at('cells.map'),
    ...more,
  ]
  const move = (...words: string[]) => runWords(['org', 'move', ...words], environment)
  const start = (words: string[]) => {
    const child = spawn(process.execPath, [BIN, 'org', 'move', ...words], {
      env: { PATH: process.env.PATH, ...compiledCode, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', chunk => (stdout += String(chunk)))
    child.stderr.on('data', chunk => (stderr += String(chunk)))
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }))
    return { child, ended }
  }
  const stateIn = async (cell: 'a' | 'b') =>
    (
      await runSql<{ state: string }>(inCell(cell).db, 'select state from organizations where id = $1', [id])
    )[0]?.state ?? null
  const states = async () => [await stateIn('a'), await stateIn('b')]
  const isEmpty = async (cell: 'a' | 'b') =>
    Object.values(await readOrganization(inCell(cell).db, id)).every(({ length }) => length === 0)
  const cellInMap = () => / ([ab])$/m.exec(readFileSync(at('cells.map'), 'utf8').split('\n')[1] ?? '')?.[1]

  it('rejects wrong arguments and organizations that it cannot move, and changes nothing', async () => {
    const help = /carabiner org move/
    for (const words of [
      [],
      ['x', ...to('b').slice(1)],
      to('b', 'another'),
      to('b', '--unknown'),
      [id, '--cells', at('cells.json'), '--map', at('cells.map')],
      [id, '--to', 'b', '--map', at('cells.map')],
      [id, '--to', 'b', '--cells', at('cells.json')],
    ])
      await assert.rejects(move(...words), help, words.join(' '))
    await assert.rejects(move(...to('b', '--format', 'apache')), /Allowed choices are haproxy, nginx/)
    await assert.rejects(move(...to('c')), /There is no cell c\./)
    await assert.rejects(move(...to('a')), /already in the cell a\./)
    await assert.rejects(
      move(crypto.randomUUID(), ...to('b').slice(1)),
      /There is no organization .*carabiner cells list/,
    )
    assert.match((await move('--help')).text, help)
    assert.deepEqual([await states(), existsSync(at('cells.map'))], [['active', null], false])
  })

  it('--abort after a kill: the source serves the organization again, and nothing is left in the target', async () => {
    const holder = new pg.Client({ connectionString: inCell('a').database.url })
    await holder.connect()
    // The fence waits for this lock, so that the organization stays frozen.
    await holder.query('begin; lock table link_logos in row exclusive mode')
    const { child, ended } = start(to('b'))
    await eventually(async () => assert.equal(await stateIn('a'), 'leaving'))
    child.kill('SIGKILL')
    assert.equal((await ended).code, null)
    await holder.end()
    const { text, data } = await move(...to('b', '--abort'))
    assert.match(text, /The move was aborted\. a serves the organization\./)
    assert.deepEqual(data, { id, cell: 'a' })
    assert.deepEqual(await states(), ['active', null])
    assert.ok(await isEmpty('b'))
    assert.ok(!existsSync(at('cells.map')))
  })

  it('--reload that fails: exit code 1, and the next run completes the move', async () => {
    const failed = await start(to('b', '--reload', 'echo no route; exit 3', '--json')).ended
    assert.equal(failed.code, 1)
    assert.equal(failed.stdout, '')
    assert.match(
      failed.stderr,
      /no route\n.*--reload failed \(exit code 3\)\. The organization is active in the target\. Run the move again/s,
    )
    assert.doesNotMatch(failed.stderr, /\n {4}at /)
    assert.deepEqual(await states(), ['leaving', 'active'])
    await assert.rejects(move(...to('b', '--abort')), /already active in the target/)

    const { code, stdout, stderr } = await start(to('b', '--reload', 'echo reloaded', '--json')).ended
    assert.equal(code, 0, stderr)
    assert.match(stderr, /reloaded/)
    assert.deepEqual(JSON.parse(stdout), {
      id,
      cell: 'b',
      records: 0,
      records_ms: 0,
      rows: 0,
      frozen_ms: null,
    })
    assert.deepEqual([await states(), cellInMap()], [[null, 'active'], 'b'])
    assert.ok(await isEmpty('a'))
    await assert.rejects(move(...to('b')), /already in the cell b\./)
  })

  it('writes the map before it reloads, and records the move in both cells', async () => {
    const copy = `cp ${at('cells.map')} ${at('seen.map')}`
    const { text, data } = await move(...to('a', '--format', 'nginx', '--reload', copy))
    assert.match(
      text,
      /^Moved the organization to a: 0 records .* rows during it\.\nIt was frozen for \d+\.\d s\.$/,
    )
    assert.equal((data as { cell: string }).cell, 'a')
    assert.equal(readFileSync(at('seen.map'), 'utf8'), readFileSync(at('cells.map'), 'utf8'))
    assert.match(readFileSync(at('seen.map'), 'utf8'), /^~/m)
    assert.deepEqual(await states(), ['active', null])
    for (const name of ['a', 'b'] as const) {
      const entries = await runSql<{ action: string }>(
        inCell(name).db,
        `select action from audit_entries where target_id = $1 and outcome = 'done' and action like 'organization.move%' order by sequence`,
        [id],
      )
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['organization.move_aborted', 'organization.moved', 'organization.moved'],
      )
    }
  })
})
