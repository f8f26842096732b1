import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { readConfig } from '@carabiner/server/operator'
import { parse } from 'yaml'
import { openPseudoTerminal } from '../../../../packages/cli/test/pseudo-terminal.ts'
import { runWords } from '../../test/run-words.ts'

const BIN = join(import.meta.dirname, '../../bin/carabiner.mjs')

describe('carabiner init', () => {
  const root = mkdtempSync(join(tmpdir(), 'carabiner-init-'))
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(root, 'in-'))
  })
  after(() => rmSync(root, { recursive: true }))
  const at = (name: string) => join(folder, name)
  const init = (...words: string[]) => runWords(['init', '--folder', folder, ...words], {})
  const settings = () => parseEnv(readFileSync(at('carabiner.env'), 'utf8'))

  it('local: writes private settings that the service accepts, and a vault key', async () => {
    const { text } = await init(
      '--target',
      'local',
      '--database',
      'embedded',
      '--url',
      'http://localhost:4555/',
    )
    assert.equal(statSync(at('carabiner.env')).mode & 0o777, 0o600)
    assert.equal(statSync(at('keys/vault.key')).mode & 0o777, 0o400)
    const config = readConfig(settings())
    assert.deepEqual([config.baseUrl, config.port, config.development], ['http://localhost:4555', 4555, true])
    // Commands with --settings may run in any folder.
    const written = [config.keyFile, config.tombstonePath, config.dataDirectory]
    assert.deepEqual(written, [at('keys/vault.key'), at('tombstones/deleted-users.log'), at('data')])
    const [, page = ''] = /Documentation: (\S+)\. /.exec(readFileSync(at('carabiner.env'), 'utf8')) ?? []
    assert.ok(existsSync(join(import.meta.dirname, '../../../..', page)), page)
    assert.match(text, /npx --no-install carabiner start --settings carabiner\.env$/)
    assert.ok(!existsSync(at('compose.yaml')))
  })

  it('server: settings for production with PostgreSQL', async () => {
    const database = 'postgres://u:p%23$w@db.example.com:5432/carabiner?sslmode=require'
    await init('--target', 'server', '--database', database, '--url', 'https://link.example.com')
    const config = readConfig(settings())
    assert.equal(config.databaseUrl?.reveal(), database)
    assert.equal(config.development, false)
  })

  it('compose: a compose file whose secrets and settings fit together', async () => {
    const { data } = await init(
      '--target',
      'compose',
      '--database',
      'embedded',
      '--url',
      'https://link.example.com',
    )
    const { services, secrets, volumes } = parse(readFileSync(at('compose.yaml'), 'utf8'))
    assert.deepEqual(Object.keys(services), ['carabiner', 'postgres'])
    assert.match(services.carabiner.image, /^carabiner:/)
    assert.equal(services.carabiner.command, undefined, 'the command of the image')
    assert.ok('database' in volumes)
    for (const { file } of Object.values<{ file: string }>(secrets))
      assert.ok(existsSync(join(folder, file)), file)
    const password = readFileSync(at('secrets/postgres-password'), 'utf8')
    assert.equal(
      readFileSync(at('secrets/database-url'), 'utf8'),
      `postgres://carabiner:${password}@postgres:5432/carabiner`,
    )
    assert.equal(statSync(at('secrets')).mode & 0o777, 0o700)
    assert.equal(services.carabiner.env_file, 'carabiner.env')
    const url = settings().DATABASE_URL_FILE
    assert.equal(
      readConfig({ ...settings(), DATABASE_URL_FILE: at('secrets/database-url') }).development,
      false,
    )
    assert.equal(url, '/run/secrets/database-url')
    assert.ok(!JSON.stringify(data).includes(password))
  })

  it('compose with another PostgreSQL: no PostgreSQL of its own', async () => {
    await init(
      '--target',
      'compose',
      '--database',
      'postgres://u:p@db/c',
      '--url',
      'https://link.example.com',
    )
    const { services, secrets } = parse(readFileSync(at('compose.yaml'), 'utf8'))
    assert.deepEqual([Object.keys(services), Object.keys(secrets)], [['carabiner'], ['database-url']])
  })

  it('replaces files only with --force, and never the vault key', async () => {
    const words = ['--target', 'local', '--database', 'embedded', '--url', 'http://localhost:4000']
    await init(...words)
    const key = readFileSync(at('keys/vault.key'), 'utf8')
    await assert.rejects(init(...words), /Use --force/)
    const again = await init(...words, '--force')
    assert.match(again.text, /vault\.key exists already and was kept/)
    assert.equal(readFileSync(at('keys/vault.key'), 'utf8'), key)
  })

  it('rejects invalid answers, and names the option for a question without a terminal', async () => {
    const local = ['--target', 'local', '--database', 'embedded']
    await assert.rejects(init(), /Use --target/)
    await assert.rejects(init('--target', 'moon'), /Allowed choices are local, server, compose/)
    await assert.rejects(
      init('--target', 'local', '--database', 'mysql://x', '--url', 'http://localhost'),
      /must be "embedded" or/,
    )
    for (const url of ['nonsense', 'http://example.com', "http://localhost:4000/'", 'https://a@b.example'])
      await assert.rejects(init(...local, '--url', url), /The address must/, url)
    await assert.rejects(
      init('--target', 'server', '--database', 'embedded', '--url', 'http://localhost:4000'),
      /must use https/,
    )
    assert.ok(!existsSync(at('carabiner.env')))
  })

  it('asks three questions in a terminal', { skip: process.platform !== 'linux' }, async () => {
    const terminal = openPseudoTerminal([process.execPath, BIN, 'init'], {}, { cwd: folder })
    await terminal.answer(/Where will it run\?/, '\r')
    await terminal.answer(/Which database\?/, '\r')
    await terminal.answer(/At which address/, '\r')
    assert.equal(await terminal.ended, 0, terminal.screen())
    assert.equal(settings().BASE_URL, 'http://localhost:4000')
  })
})
