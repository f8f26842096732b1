import { spawn } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { prepareTemplates } from '../server/test/support/databases.ts'
import { runChecks } from './check.ts'
import { ensureTools } from './machine.ts'
import { startCluster } from './postgres-cluster.ts'

/**
 * `npm test`: checks first, then every test file, a few at a time, on databases cloned from one template. Names of files on
 * the command line run only those.
 */
const root = join(import.meta.dirname, '..')
const PATTERNS = [
  'packages/*/{src,test}/**/*.test.ts',
  'sandbox/test/*.test.ts',
  'server/{src,test}/**/*.test.ts',
  'e2e/**/*.test.ts',
  'bench/**/*.test.ts',
]
const FILE_TIMEOUT = 300_000
/** One more than there are cores at the least: browsers and databases are waited for half of the time. */
const AT_ONCE = 3

const chosen = process.argv.slice(2)
const files =
  chosen.length > 0 ? chosen : PATTERNS.flatMap(pattern => globSync(pattern, { cwd: root })).toSorted()

ensureTools()
if (chosen.length === 0 && !(await runChecks())) process.exit(1)

const cluster = await startCluster({ fsync: 'off', synchronous_commit: 'off' })
const { pgliteTemplate } = await prepareTemplates(cluster.url)
const child = spawn(
  process.execPath,
  ['--test', `--test-concurrency=${AT_ONCE}`, `--test-timeout=${FILE_TIMEOUT}`, ...files],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_POSTGRES_URL: cluster.url, TEST_PGLITE_TEMPLATE: pgliteTemplate },
  },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const code = await new Promise<number>(resolve => child.on('close', status => resolve(status ?? 1)))
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
process.exit(code)
