import { globSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { prepareTemplates } from '../server/test/support/databases.ts'
import { installMcpClients } from '../server/test/support/mcp-clients.ts'
import { installMcpServers } from '../server/test/support/mcp-servers.ts'
import { runChecks } from './check.ts'
import { ensureTools } from './machine.ts'
import { startCluster, THROWAWAY } from './postgres-cluster.ts'
import { type Batches, writeBatches } from './test-batches.ts'

/**
 * `npm test`: checks first, then every test file, a few processes at a time, on databases cloned from one template. Names of files
 * on the command line run only those, each in a process of its own.
 */
const root = join(import.meta.dirname, '..')
const PATTERNS = [
  'packages/*/{src,test}/**/*.test.ts',
  'sandbox/test/*.test.ts',
  'server/{src,test}/**/*.test.ts',
  'e2e/**/*.test.ts',
  'bench/**/*.test.ts',
]
/** Only a file that hangs takes this long, however busy the machine. */
const FILE_TIMEOUT = 1_800_000
/** More than the cores: files also wait for browsers, databases and other processes. */
const AT_ONCE = 3

/**
 * Browsers want both cores: spread among the others they keep fewer of each other waiting. The longest file begins, and the
 * shortest ones, at the end, keep all lanes busy.
 */
const spread = ({ alone, flows, units }: Batches): string[] => {
  const browsers = alone
    .filter(file => file.startsWith('e2e/'))
    .toSorted((a, b) => Number(b.includes('looks')) - Number(a.includes('looks')))
  const others = [...alone.filter(file => !file.startsWith('e2e/')), ...flows]
  const share = Math.ceil(others.length / browsers.length)
  return [...browsers.flatMap((file, n) => [file, ...others.slice(n * share, (n + 1) * share)]), ...units]
}

type TestEnd = { name: string; file?: string; nesting: number; details: { duration_ms: number } }

const SLOWEST = 10

/** Where the time of a run went, for whoever wants it shorter. */
const slowest = (spent: ReadonlyMap<string, number>): string => {
  const files = [...spent].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST)
  const lines = files.map(([file, ms]) => `  ${(ms / 1000).toFixed(0).padStart(4)} s  ${file}`)
  return `\nthe slowest files:\n${lines.join('\n')}\n`
}

const chosen = process.argv.slice(2)
const files =
  chosen.length > 0 ? chosen : PATTERNS.flatMap(pattern => globSync(pattern, { cwd: root })).toSorted()

ensureTools()
if (chosen.length === 0) {
  // While the checks and the first tests run. A test that needs them waits for them, and reports a failure.
  for (const install of [installMcpClients, installMcpServers]) install().catch(() => undefined)
  if (!(await runChecks())) process.exit(1)
}

const cluster = await startCluster(THROWAWAY)
const { pgliteTemplate } = await prepareTemplates(cluster.url)
Object.assign(process.env, {
  TEST_POSTGRES_URL: cluster.url,
  TEST_PGLITE_TEMPLATE: pgliteTemplate,
  // Every file is a process that loads the service: compiled once, it takes half the time.
  NODE_COMPILE_CACHE: join(root, '.cache/compiled'),
})
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
const code = await new Promise<number>(resolve => {
  const tests = run({
    cwd: root,
    files: (chosen.length > 0 ? chosen : spread(writeBatches(root, join(root, '.cache/batches'), files))).map(
      file => join(root, file),
    ),
    concurrency: AT_ONCE,
    // A file whose preparation failed leaves open what it had opened by then. It must fail, and not hang.
    // A test process creates much that is short-lived: fewer and larger collections take a tenth less time.
    execArgv: ['--test-force-exit', '--max-semi-space-size=64'],
    timeout: FILE_TIMEOUT,
    signal: stop.signal,
  })
  const spent = new Map<string, number>()
  const note = ({ name, file = '', nesting, details }: TestEnd) => {
    if (nesting !== 0) return
    // In a batch, a suite is a file.
    const path = name.endsWith('.test.ts') ? name : relative(root, file)
    spent.set(path, (spent.get(path) ?? 0) + details.duration_ms)
  }
  tests.on('test:pass', note).on('test:fail', note)
  // The last summary is that of all files.
  let passed = false
  tests.on('test:summary', ({ success }) => (passed = success))
  const report = tests.compose(new spec())
  report.on('end', () => {
    if (spent.size > SLOWEST) process.stdout.write(slowest(spent))
    resolve(passed && !stop.signal.aborted ? 0 : 1)
  })
  report.pipe(process.stdout, { end: false })
})
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
process.exit(code)
