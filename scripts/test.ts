import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
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

/** Browsers want both cores: spread among the others they keep fewer of each other waiting, and the longest begins. */
const spread = (files: string[]): string[] => {
  const browsers = files
    .filter(file => file.startsWith('e2e/'))
    .toSorted((a, b) => Number(b.includes('looks')) - Number(a.includes('looks')))
  const others = files.filter(file => !file.startsWith('e2e/'))
  const share = Math.ceil(others.length / (browsers.length + 1))
  return browsers
    .flatMap((file, n) => [file, ...others.slice(n * share, (n + 1) * share)])
    .concat(others.slice(browsers.length * share))
}

const chosen = process.argv.slice(2)
const files =
  chosen.length > 0 ? chosen : PATTERNS.flatMap(pattern => globSync(pattern, { cwd: root })).toSorted()

ensureTools()
if (chosen.length === 0 && !(await runChecks())) process.exit(1)

const cluster = await startCluster({ fsync: 'off', synchronous_commit: 'off' })
const { pgliteTemplate } = await prepareTemplates(cluster.url)
Object.assign(process.env, { TEST_POSTGRES_URL: cluster.url, TEST_PGLITE_TEMPLATE: pgliteTemplate })
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
const code = await new Promise<number>(resolve => {
  const tests = run({
    cwd: root,
    files: spread(files).map(file => join(root, file)),
    concurrency: AT_ONCE,
    timeout: FILE_TIMEOUT,
    signal: stop.signal,
  })
  // The last summary is that of all files.
  let passed = false
  tests.on('test:summary', ({ success }) => (passed = success))
  const report = tests.compose(new spec())
  report.on('end', () => resolve(passed && !stop.signal.aborted ? 0 : 1))
  report.pipe(process.stdout, { end: false })
})
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
process.exit(code)
