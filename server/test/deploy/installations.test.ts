import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/databases.ts'
import { parseDockerfile } from '../support/dockerfile.ts'
import { layOutImage } from '../support/installation/copied-tree.ts'
import { findMissingFiles, signInFirstMember } from '../support/installation/first-member.ts'
import { NOBODY, runInstalled, startInstalled } from '../support/installation/run-installed.ts'
import {
  followSystemdGuide,
  installCommand,
  layOutClone,
  readSystemdGuide,
} from '../support/installation/systemd.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PUBLIC_URL = 'https://link.example.com'
/** The doctor's checks of the address fail at once. */
const CLOSED_URL = 'https://localhost:9'

/** `npm run proof:image` and `npm run proof:systemd` run the whole installations, with npm and the builds. */
describe('the documented installations end with a member in the dashboard', () => {
  let folder: string
  let database: TestDatabase
  let port: number
  const opened = new AsyncDisposableStack()
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carabiner-installation-'))
    opened.defer(async () => rmSync(folder, { recursive: true, force: true }))
    chmodSync(folder, 0o755)
  })
  after(() => opened.disposeAsync())
  const prepare = async () => {
    const created = await createEmptyDatabase()
    database = created
    opened.defer(() => created.drop())
    port = await freePort()
  }

  it('the image: its last stage, started as its unprivileged user', async () => {
    await prepare()
    const instructions = parseDockerfile(readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8'))
    const app = join(folder, 'image/app')
    layOutImage(ROOT, instructions, app)
    const valueOf = (wanted: string) => instructions.findLast(({ name }) => name === wanted)?.value ?? ''
    const [uid = 0, gid = 0] = valueOf('USER').split(':').map(Number)
    const user = NOBODY && { uid, gid }
    const state = join(folder, 'image/state')
    mkdirSync(state)
    if (user) chownSync(state, uid, gid)
    const declared = valueOf('ENV')
      .split(' ')
      .map(pair => pair.split('=') as [string, string])
    const where = {
      cwd: app,
      user,
      environment: {
        ...Object.fromEntries(
          declared.map(([name, value]) => [name, value.replace('/var/lib/carabiner', state)]),
        ),
        BASE_URL: CLOSED_URL,
        DATABASE_URL: database.url as string,
        TRUST_PROXY: 'loopback',
        PORT: String(port),
        DRAIN_DELAY: '0',
      },
    }
    const entryPoint = [process.execPath]
    const cli = (...words: string[]) =>
      runInstalled(where, [...entryPoint, 'apps/carabiner/bin/carabiner.mjs', ...words])
    cli('vault-key', 'create')
    cli('migrate')
    const command = [...entryPoint, ...(JSON.parse(valueOf('CMD')) as string[]), '--no-migrate']
    const service = await startInstalled(where, command, `http://127.0.0.1:${port}`)
    opened.defer(async () => void (await service.stop()))
    await signInFirstMember({ cli, origin: service.origin, publicUrl: CLOSED_URL })
    assert.deepEqual(findMissingFiles(cli('doctor', '--json')), [])
    assert.equal(await service.stop(), 0)

    for (const path of ['dashboard/dist', 'docs/.vitepress/dist', 'server/node_modules'])
      rmSync(join(app, path), { recursive: true })
    const missing = findMissingFiles(cli('doctor', '--json')).map(line => line.slice(0, line.indexOf(':')))
    assert.deepEqual(missing, ['dashboard', 'documentation', 'sign-in library'])
  })

  it('systemd: the commands of the guide and of the unit, as an unprivileged user', async () => {
    await prepare()
    const guide = readSystemdGuide(ROOT)
    assert.equal(installCommand(guide), 'npm ci && npm run build && npm prune --omit=dev')
    assert.deepEqual(
      guide.after.map(command => command.split(' ').slice(0, 3).join(' ')),
      ['carabiner org create', 'carabiner people invite'],
    )
    const machine = join(folder, 'machine')
    layOutClone(ROOT, join(machine, 'opt'))
    const { unit, migrate, start, cli } = followSystemdGuide(
      machine,
      { databaseUrl: database.url as string, port },
      guide,
    )
    runInstalled(unit, migrate)
    const service = await startInstalled(unit, start, `http://127.0.0.1:${port}`)
    opened.defer(async () => void (await service.stop()))
    const asRoot = { cwd: folder, environment: {} }
    const run = (...words: string[]) => runInstalled(asRoot, [cli, ...words])
    await signInFirstMember({ cli: run, origin: service.origin, publicUrl: PUBLIC_URL })
  })
})
