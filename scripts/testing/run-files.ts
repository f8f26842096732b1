import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'

/** Only a test file that hangs takes this long, even on a busy machine. */
const FILE_TIMEOUT_MS = 1_800_000
/** Twice the cores, because test files also wait for browsers, databases and other processes. */
const LANES = availableParallelism() * 2
const SLOWEST_FILES = 10

type TestEnd = { name: string; file?: string; nesting: number; details: { duration_ms: number } }

/** Durations of the test files, to find the slow ones. */
const slowest = (durations: ReadonlyMap<string, number>): string => {
  const files = [...durations].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST_FILES)
  const lines = files.map(([file, ms]) => `  ${(ms / 1000).toFixed(0).padStart(4)} s  ${file}`)
  return `\nSlowest files:\n${lines.join('\n')}\n`
}

export type Outcome = { passed: boolean; failedFiles: string[] }

/** Runs test files in parallel processes, and prints the results. */
export const runFiles = (
  root: string,
  files: readonly string[],
  { withCosts, signal, lanes = LANES }: { withCosts: boolean; signal: AbortSignal; lanes?: number },
): Promise<Outcome> => {
  const started = files.map(file => join(root, file))
  const preload = (name: string): string => `--import=${pathToFileURL(join(import.meta.dirname, name)).href}`
  const tests = run({
    cwd: root,
    files: started,
    concurrency: lanes,
    execArgv: [
      // A test file whose setup fails leaves handles open. It must fail instead of hanging.
      '--test-force-exit',
      // Test processes allocate many short-lived objects. Fewer and larger collections save a tenth of the time.
      '--max-semi-space-size=64',
      preload('flush-before-exit.mjs'),
      ...(withCosts ? [preload('measure-costs.mjs')] : []),
    ],
    timeout: FILE_TIMEOUT_MS,
    signal,
  })
  const durations = new Map<string, number>()
  const failed = new Set<string>()
  // In a batch, each suite is one file.
  const pathOf = ({ name, file = '' }: TestEnd): string =>
    name.endsWith('.test.ts') ? name : relative(root, file)
  const recordDuration = (end: TestEnd): void => {
    if (end.nesting !== 0) return
    durations.set(pathOf(end), (durations.get(pathOf(end)) ?? 0) + end.details.duration_ms)
  }
  tests.on('test:pass', recordDuration).on('test:fail', end => {
    recordDuration(end)
    if (end.nesting === 0) failed.add(pathOf(end))
  })
  // The last summary covers all files. A file without a summary did not report all of its tests.
  let passed = false
  const summarized = new Set<string>()
  tests.on('test:summary', ({ file, success }) => {
    passed = success
    if (file !== undefined) summarized.add(file)
  })
  const report = tests.compose(new spec())
  report.pipe(process.stdout, { end: false })
  return new Promise(resolve => {
    report.on('end', () => {
      if (durations.size > SLOWEST_FILES) process.stdout.write(slowest(durations))
      const incomplete = started.filter(file => !summarized.has(file))
      for (const file of incomplete)
        process.stdout.write(`✖ ${relative(root, file)} ended without reporting all of its tests\n`)
      resolve({
        passed: passed && incomplete.length === 0 && !signal.aborted,
        failedFiles: [...failed, ...incomplete.map(file => relative(root, file))],
      })
    })
  })
}
