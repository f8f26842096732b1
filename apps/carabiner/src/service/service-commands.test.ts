import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runProcess, startProcess } from '../../../../packages/cli/test/run-process.ts'
import { freePort } from '../../../../scripts/postgres-cluster.ts'
import { createTestDatabase, type TestDatabase } from '../../../../server/test/support/databases.ts'
import { eventually } from '../../../../server/test/support/eventually.ts'
import { post } from '../../../../server/test/support/processes.ts'
import { DATABASE_TIMEOUT_MS, SANDBOX_CONNECTORS } from '../../../../server/test/support/test-service.ts'
import { startReceiver } from '../../../../server/test/support/webhook-receiver.ts'

const BIN = join(import.meta.dirname, '../../bin/carabiner.mjs')

/** As in a production installation, Node does not find the package. */
const WITHOUT_SANDBOX = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve: (name, context, next) => next(name.replace(/^@carabiner\\/sandbox$/, '$&-missing'), context),
  })`)}`

describe('carabiner start and dev', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-dev-'))
  let database: TestDatabase
  let port: number
  before(async () => {
    database = await createTestDatabase('postgres')
    port = await freePort()
    const settings = {
      PORT: String(port),
      SANDBOX_PORT: String(await freePort()),
      DATABASE_URL: database.url as string,
      DATABASE_TIMEOUT_MS,
      KEY_FILE: './keys/vault.key',
      TOMBSTONE_PATH: './tombstones/deleted-users.log',
      CONNECTORS: SANDBOX_CONNECTORS,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'`)
    writeFileSync(join(folder, 'carabiner.env'), lines.join('\n'))
  })
  after(async () => {
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  const start = (...words: string[]) =>
    startProcess([...words, '--settings', 'carabiner.env'], { cwd: folder, main: BIN, input: '' })
  const readDemoKey = () =>
    JSON.parse(readFileSync(join(folder, 'keys/demo.json'), 'utf8')).test_key as string
  const createUser = () =>
    post(`http://localhost:${port}/api/v1/registered-users`, readDemoKey(), {
      origin_user_id: crypto.randomUUID(),
    })
  const isListening = () =>
    fetch(`http://localhost:${port}/livez`).then(
      () => true,
      () => false,
    )

  it('start: runs the service with the settings of a file, and SIGTERM stops it with exit code 0', async () => {
    const { child, output, ended } = start('start')
    await eventually(async () => assert.match(output.stdout, /Carabiner is ready/, output.stderr))
    assert.ok(await isListening())
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
    assert.equal(await isListening(), false)
  })

  it('start: without the sandbox it runs, and names the package to install', async () => {
    const environment = { NODE_OPTIONS: `--import ${WITHOUT_SANDBOX}`, CONNECTORS: 'github' }
    const { child, output, ended } = startProcess(['start', '--settings', 'carabiner.env'], {
      cwd: folder,
      main: BIN,
      input: '',
      environment,
    })
    await eventually(async () => assert.match(output.stdout, /Carabiner is ready/, output.stderr))
    assert.match(output.stdout, /Sandbox +not installed; .*npm install --save-dev @carabiner\/sandbox/)
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
    const { code, stderr } = await runProcess(['start', '--settings', 'carabiner.env'], {
      cwd: folder,
      main: BIN,
      environment: { NODE_OPTIONS: environment.NODE_OPTIONS },
    })
    assert.equal(code, 1)
    assert.match(stderr, /sandbox-notes needs the sandbox: .*@carabiner\/sandbox/)
  })

  it('start: reports invalid settings in one sentence, exit code 1', async () => {
    const { code, stderr } = await runProcess(['start'], {
      cwd: folder,
      main: BIN,
      environment: { PORT: 'x' },
    })
    assert.equal(code, 1)
    assert.match(stderr, /^Carabiner did not start\.\n.*\n.*PORT must be/)
    const missing = await runProcess(['start', '--settings', 'none.env'], { cwd: folder, main: BIN })
    assert.equal(missing.code, 2)
    assert.match(missing.stderr, /none\.env cannot be read: ENOENT/)
  })

  it('dev: one log of service, events and webhooks; Ctrl-C ends all with exit code 130', async () => {
    await using receiver = await startReceiver()
    const { child, output, ended } = start('dev', '--forward-to', receiver.url)
    await eventually(async () => assert.match(output.stdout, /^events {3}\| Connected to/m, output.stderr))
    assert.match(output.stdout, /^service {2}\| Carabiner is ready/m)
    assert.match(output.stdout, /^service {2}\| +Sandbox +http:\/\/localhost:\d+/m)
    await eventually(async () => {
      await createUser()
      assert.match(output.stdout, /^events {3}\| \d\d:\d\d:\d\d {2}registered_user\.created/m)
      assert.match(output.stdout, /^webhooks \| registered_user\.created {2}evt_\S+ {2}200 {2}\d+ ms/m)
    })
    child.kill('SIGINT')
    assert.equal((await ended).code, 130)
    assert.equal(await isListening(), false)
  })

  it('dev: is rejected with the settings of a production', async () => {
    const environment = {
      NODE_ENV: 'production',
      BASE_URL: 'https://link.example.com',
      TRUST_PROXY: 'loopback',
    }
    const { code, stderr } = await runProcess(['dev'], { cwd: folder, main: BIN, environment })
    assert.equal(code, 1)
    assert.match(stderr, /is for development/)
  })
})
