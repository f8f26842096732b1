import { globSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { prepareTemplates } from '../server/test/support/databases.ts'
import { installManifestSchemas } from '../server/test/support/manifests.ts'
import { installMcpClients } from '../server/test/support/mcp-clients.ts'
import { installMcpServers } from '../server/test/support/mcp-servers.ts'
import { installOpenapiTools } from '../server/test/support/openapi-tools.ts'
import { runChecks } from './check.ts'
import { ensureTools } from './machine.ts'
import { DISPOSABLE_SETTINGS, startCluster } from './postgres-cluster.ts'
import { type Batches, writeBatches } from './test-batches.ts'
import { costTable, serverCpuMs } from './test-costs.ts'

/**
 * `npm test`: runs the checks, then every test file, in a few parallel processes, on databases cloned from one template. With
 * file names as arguments, it runs only those, each in its own process.
 */
const root = join(import.meta.dirname, '..')
const PATTERNS = [
  'packages/*/{src,test}/**/*.test.ts',
  'sandbox/test/*.test.ts',
  'server/{src,test}/**/*.test.ts',
  'e2e/**/*.test.ts',
  'bench/**/*.test.ts',
]
/** Only a test file that hangs takes this long, even on a busy machine. */
const FILE_TIMEOUT_MS = 1_800_000
/** More than the number of cores, because test files also wait for browsers, databases and other processes. */
const MAX_PARALLEL = 3

/**
 * Browser tests use both cores, so they are interleaved with the others. The longest file runs first and the shortest files run
 * last, which keeps all lanes busy.
 */
const interleave = ({ alone, flows, units }: Batches): string[] => {
  const browsers = alone
    .filter(file => file.startsWith('e2e/'))
    .toSorted((a, b) => Number(b.includes('appearance')) - Number(a.includes('appearance')))
  const others = [...alone.filter(file => !file.startsWith('e2e/')), ...flows]
  const share = Math.ceil(others.length / browsers.length)
  return [...browsers.flatMap((file, n) => [file, ...others.slice(n * share, (n + 1) * share)]), ...units]
}

type TestEnd = { name: string; file?: string; nesting: number; details: { duration_ms: number } }

const SLOWEST_FILES = 10

/** Durations of the test files, to find the slow ones. */
const slowest = (durations: ReadonlyMap<string, number>): string => {
  const files = [...durations].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST_FILES)
  const lines = files.map(([file, ms]) => `  ${(ms / 1000).toFixed(0).padStart(4)} s  ${file}`)
  return `\nSlowest files:\n${lines.join('\n')}\n`
}

const startedAt = performance.now()
const withCosts = process.argv.includes('--costs')
const chosen = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
const files =
  chosen.length > 0 ? chosen : PATTERNS.flatMap(pattern => globSync(pattern, { cwd: root })).toSorted()

ensureTools()
if (chosen.length === 0) {
  // Runs in parallel with the checks and the first tests. A test that needs the result waits for it and reports a failure.
  for (const install of [installMcpClients, installMcpServers, installManifestSchemas, installOpenapiTools])
    install().catch(() => undefined)
  if (!(await runChecks())) process.exit(1)
}

const costsFile = join(root, '.cache/test-costs.jsonl')
rmSync(costsFile, { force: true })
const cluster = await startCluster(DISPOSABLE_SETTINGS)
const { pgliteTemplate } = await prepareTemplates(cluster.url)
Object.assign(process.env, {
  TEST_POSTGRES_URL: cluster.url,
  TEST_PGLITE_TEMPLATE: pgliteTemplate,
  ...(withCosts && { TEST_COSTS: costsFile }),
  // Every test file is a process that loads the service. The compile cache halves the loading time.
  NODE_COMPILE_CACHE: join(root, '.cache/compiled'),
})
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
const code = await new Promise<number>(resolve => {
  const started = (
    chosen.length > 0 ? chosen : interleave(writeBatches(root, join(root, '.cache/batches'), files))
  ).map(file => join(root, file))
  const tests = run({
    cwd: root,
    files: started,
    concurrency: MAX_PARALLEL,
    // A test file whose setup fails leaves handles open. It must fail instead of hanging.
    // Test processes allocate many short-lived objects. Fewer and larger collections save a tenth of the time.
    execArgv: [
      '--test-force-exit',
      '--max-semi-space-size=64',
      `--import=${pathToFileURL(join(root, 'scripts/flush-before-exit.mjs')).href}`,
      ...(withCosts ? [`--import=${pathToFileURL(join(root, 'scripts/measure-costs.mjs')).href}`] : []),
    ],
    timeout: FILE_TIMEOUT_MS,
    signal: stop.signal,
  })
  const durations = new Map<string, number>()
  const recordDuration = ({ name, file = '', nesting, details }: TestEnd) => {
    if (nesting !== 0) return
    // In a batch, each suite is one file.
    const path = name.endsWith('.test.ts') ? name : relative(root, file)
    durations.set(path, (durations.get(path) ?? 0) + details.duration_ms)
  }
  tests.on('test:pass', recordDuration).on('test:fail', recordDuration)
  // The last summary covers all files. A file without a summary did not report all of its tests.
  let passed = false
  const summarized = new Set<string>()
  tests.on('test:summary', ({ file, success }) => {
    passed = success
    if (file !== undefined) summarized.add(file)
  })
  const report = tests.compose(new spec())
  report.on('end', () => {
    if (durations.size > SLOWEST_FILES) process.stdout.write(slowest(durations))
    const incomplete = started.filter(file => !summarized.has(file))
    for (const file of incomplete)
      process.stdout.write(`✖ ${relative(root, file)} ended without reporting all of its tests\n`)
    resolve(passed && incomplete.length === 0 && !stop.signal.aborted ? 0 : 1)
  })
  report.pipe(process.stdout, { end: false })
})
if (withCosts)
  process.stdout.write(`${costTable(costsFile, serverCpuMs(cluster.pid), performance.now() - startedAt)}\n`)
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
process.exit(code)
