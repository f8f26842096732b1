import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Loading the service takes most of the time of a short test file, so files that need no separate process share one. A batch is a
 * generated test file with one suite per file; suites have separate hooks and run sequentially.
 */

/** Files that measure or stop their process, or that take so long that loading does not matter. */
const ISOLATED_FILES = [
  /^e2e\//,
  /^bench\//,
  /isolation-attacks|mcp-hostile|huge-responses|egress\.test|postgres\.test|kill-between-steps|several-nodes/,
  /bad-input|mcp-clients|test\/processes/,
  // These start services, browsers and other test runners.
  /^packages\/testing\/test\//,
  // These replace timers and other globals while they load.
  /^packages\/(?:link|sdk)\//,
]
const UNITS_PER_BATCH = 32
const FLOWS_PER_BATCH = 6

const chunk = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))

export type Batches = { alone: string[]; flows: string[]; units: string[] }

/** Returns the files to run, relative to `root`: some as they are, the others in batches that are written to `folder`. */
export const writeBatches = (root: string, folder: string, files: readonly string[]): Batches => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const alone = files.filter(file => ISOLATED_FILES.some(pattern => pattern.test(file)))
  const shared = files.filter(file => !alone.includes(file))
  // The corpus tests of the detection package take as long as flows.
  const isFlow = (file: string): boolean => /^(?:server|packages\/detection)\/test\//.test(file)
  const write = (name: string, batches: string[][]): string[] =>
    batches.map((batch, n) => {
      const file = join(folder, `${name}-${n + 1}.test.mjs`)
      writeFileSync(file, batchOf(root, batch))
      return relative(root, file)
    })
  return {
    alone,
    flows: write('flows', chunk(shared.filter(isFlow), FLOWS_PER_BATCH)),
    units: write(
      'units',
      chunk(
        shared.filter(file => !isFlow(file)),
        UNITS_PER_BATCH,
      ),
    ),
  }
}

const urlOf = (root: string, file: string): string => pathToFileURL(join(root, file)).href

const batchOf = (root: string, files: readonly string[]): string =>
  [
    "import { suite } from 'node:test'",
    '// One after the other: tests belong to the suite whose callback imports their module.',
    'const load = (file, url) =>',
    '  new Promise(loaded => void suite(file, () => import(url).finally(loaded)))',
    ...files.map(file => `await load(${JSON.stringify(file)}, ${JSON.stringify(urlOf(root, file))})`),
    '',
  ].join('\n')
