import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signInFirstMember } from '../server/test/support/installation/first-member.ts'
import { runInstalled, startInstalled } from '../server/test/support/installation/run-installed.ts'
import {
  followSystemdGuide,
  installCommand,
  readSystemdGuide,
} from '../server/test/support/installation/systemd.ts'
import { ensureTools } from './machine.ts'
import { freePort, startCluster } from './postgres-cluster.ts'

/**
 * `npm run proof:systemd`: clones the current commit, runs the commands of docs/operate/deployment.md and of the unit in the clone, as an
 * unprivileged user, and signs a member in. server/test/deploy/installations.test.ts is the short form.
 */
const ROOT = join(import.meta.dirname, '..')
const PUBLIC_URL = 'https://link.example.com'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

ensureTools()
await using opened = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'carabiner-systemd-'))
opened.defer(async () => rmSync(folder, { recursive: true, force: true }))
chmodSync(folder, 0o755)
const guide = readSystemdGuide(ROOT)
const clone = join(folder, 'opt')
print('cloning …')
execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone])
print(installCommand(guide))
execFileSync('bash', ['-euc', installCommand(guide)], { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] })

const cluster = await startCluster()
opened.defer(() => cluster.stop())
const port = await freePort()
const { unit, migrate, start, cli } = followSystemdGuide(
  folder,
  { databaseUrl: `${cluster.url}/postgres`, port },
  guide,
)
print(runInstalled(unit, migrate).trim())
const service = await startInstalled(unit, start, `http://127.0.0.1:${port}`)
opened.defer(async () => void (await service.stop()))
const asRoot = { cwd: folder, environment: {} }
await signInFirstMember({
  cli: (...words) => runInstalled(asRoot, [cli, ...words]),
  origin: service.origin,
  publicUrl: PUBLIC_URL,
})
const code = await service.stop()
if (code !== 0) throw new Error(`the service ended with ${code} after SIGTERM`)
print('✔ the systemd guide ends with a member who is signed in to the dashboard')
