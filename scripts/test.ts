import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareTemplates } from '../server/test/support/databases.ts'
import { installManifestSchemas } from '../server/test/support/manifests.ts'
import { installMcpClients } from '../server/test/support/mcp-clients.ts'
import { installMcpServers } from '../server/test/support/mcp-servers.ts'
import { installOpenapiTools } from '../server/test/support/openapi-tools.ts'
import { runChecks } from './check.ts'
import { ensureTools } from './machine.ts'
import { DISPOSABLE_SETTINGS, startCluster } from './postgres-cluster.ts'
import { writeBatches } from './testing/batches.ts'
import { affectedTests, changedFiles } from './testing/changed.ts'
import { costTable, machineTimes, serverCpuMs } from './testing/costs.ts'
import { runFiles } from './testing/run-files.ts'
import { embeddedFlows, testFiles } from './testing/tiers.ts'

/**
 * `npm test`: runs the checks, then the test files of the fast tier, in a few parallel processes, on databases cloned from one template.
 * With files or folders as arguments, it runs only their tests, without the checks.
 *
 *   --slow            the other tier, without the checks (`npm run test:slow`)
 *   --changed         only the tests, of both tiers, that import what has changed since …
 *   --since COMMIT    … this commit; default: origin/main
 *   --costs           prints processor time by cause
 *   --confirm         runs files with failures again, alone; only failures that repeat count (`.ci/run`)
 */
const root = join(import.meta.dirname, '..')
const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    slow: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    since: { type: 'string', default: 'origin/main' },
    costs: { type: 'boolean', default: false },
    confirm: { type: 'boolean', default: false },
  },
})

/** The named file, or all test files of the named folder. */
const filesNamed = (name: string): string[] => {
  const path = relative(root, resolve(name))
  if (existsSync(path) && !statSync(path).isDirectory()) return [path]
  const found = [...testFiles(root, 'fast'), ...testFiles(root, 'slow')].filter(file =>
    file.startsWith(`${path}/`),
  )
  if (found.length === 0) throw new Error(`${name}: no such test file, and no folder with test files.`)
  return found
}

const chooseFiles = (): string[] => {
  if (named.length > 0) return named.flatMap(filesNamed)
  if (!options.changed) return testFiles(root, options.slow ? 'slow' : 'fast')
  const changed = changedFiles(root, options.since)
  return affectedTests(root, changed, [...testFiles(root, 'fast'), ...testFiles(root, 'slow')])
}

ensureTools()
const files = chooseFiles()
if (named.length === 0) {
  process.stdout.write(`${files.length} test files\n`)
  // Runs in parallel with the first tests. A test that needs the result waits for it and reports a failure.
  if (options.slow)
    for (const install of [installMcpClients, installMcpServers, installManifestSchemas, installOpenapiTools])
      install().catch(() => undefined)
  else if (!(await runChecks())) process.exit(1)
}
if (files.length === 0) process.exit(0)

const costsFile = join(root, '.cache/test-costs.jsonl')
mkdirSync(join(root, '.cache'), { recursive: true })
rmSync(costsFile, { force: true })
const cluster = await startCluster(DISPOSABLE_SETTINGS)
const { pgliteTemplate } = await prepareTemplates(cluster.url)
Object.assign(process.env, {
  TEST_POSTGRES_URL: cluster.url,
  TEST_PGLITE_TEMPLATE: pgliteTemplate,
  ...(options.costs && { TEST_COSTS: costsFile }),
  // Every test file is a process that loads the service. The compile cache halves the loading time.
  NODE_COMPILE_CACHE: join(root, '.cache/compiled'),
})
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
// Another run in the same folder has its own.
const batches = join(root, '.cache/batches', String(process.pid))
const embedded = options.slow ? embeddedFlows(root) : []
const started = files.length === 1 ? files : writeBatches(root, batches, files, embedded)
const [before, beganAt] = [machineTimes(), performance.now()]
const outcome = await runFiles(root, started, { withCosts: options.costs, signal: stop.signal })
if (options.costs) {
  const { busyMs, idleMs } = machineTimes()
  const totals = {
    postgresMs: serverCpuMs(cluster.pid),
    busyMs: busyMs - before.busyMs,
    idleMs: idleMs - before.idleMs,
    wallMs: performance.now() - beganAt,
  }
  process.stdout.write(`${costTable(costsFile, totals)}\n`)
}
/** A failure that depends on other tests or on load is reported, and does not stop a submission. More failures than these have a common cause. */
const MAX_CONFIRMED_FILES = 3
const confirmFailures = async (failed: string[]): Promise<boolean> => {
  const known = failed.every(file => existsSync(join(root, file)) && !file.startsWith('.cache'))
  if (stop.signal.aborted || !known || failed.length === 0 || failed.length > MAX_CONFIRMED_FILES)
    return false
  process.stdout.write(
    `\nThese files failed and run again, alone:\n${failed.map(file => `  ${file}\n`).join('')}`,
  )
  const { passed } = await runFiles(root, failed, { withCosts: false, signal: stop.signal, lanes: 1 })
  if (passed) process.stdout.write(`Unstable: ${failed.join(', ')} failed among the other tests only.\n`)
  return passed
}
const passed = outcome.passed || (options.confirm && (await confirmFailures(outcome.failedFiles)))
await cluster.stop()
rmSync(batches, { recursive: true, force: true })
rmSync(pgliteTemplate, { recursive: true, force: true })
process.exit(passed ? 0 : 1)
