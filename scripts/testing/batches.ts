import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Loading the service, starting it and starting a browser take most of the time of a short test file. Files that need no separate process
 * share one, and with it a service and a browser. A batch is a generated test file with one suite per file; suites have separate hooks and
 * run sequentially.
 */

/** Files that measure or stop their process, or that take so long that loading does not matter. */
const ISOLATED_FILES = [
  /^bench\//,
  /isolation-attacks|mcp-hostile|huge-responses|egress\.test|postgres\.test|kill-between-steps|several-nodes/,
  /bad-input|mcp-clients|test\/processes|test\/deploy|appearance/,
  // These start services, browsers and other test runners.
  /^apps\/testing\/test\/|^e2e\/(?:popups|examples|documentation|dashboard-first-call)/,
  // These replace timers and other globals while they load.
  /^packages\/(?:link|sdk)\//,
]
const UNITS_PER_BATCH = 64
const FLOWS_PER_BATCH = 24
const BROWSER_FILES_PER_BATCH = 9

/** Every nth file, so that neighbors, which are about the same subject and take as long, are in different batches. */
const deal = (files: readonly string[], size: number): string[][] => {
  const count = Math.ceil(files.length / size)
  return Array.from({ length: count }, (_, n) => files.filter((_file, position) => position % count === n))
}

/**
 * Returns the files to run, relative to `root`: some as they are, the others in batches that are written to `folder`. `embedded` lists flows
 * to run on the embedded database.
 */
export const writeBatches = (
  root: string,
  folder: string,
  files: readonly string[],
  embedded: readonly string[] = [],
): string[] => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const alone = files.filter(file => ISOLATED_FILES.some(pattern => pattern.test(file)))
  const shared = files.filter(file => !alone.includes(file))
  const isBrowser = (file: string): boolean => file.startsWith('e2e/')
  // The corpus tests of the detection package take as long as flows.
  const isFlow = (file: string): boolean => /^(?:server|packages\/detection)\/test\//.test(file)
  const write = (name: string, size: number, chosen: readonly string[], engines?: string): string[] =>
    deal(chosen, size).map((batch, n) => {
      const file = join(folder, `${name}-${n + 1}.test.mjs`)
      writeFileSync(file, batchOf(root, batch, engines))
      return relative(root, file)
    })
  const browsers = [
    ...alone
      .filter(isBrowser)
      .toSorted((a, b) => Number(b.includes('appearance')) - Number(a.includes('appearance'))),
    ...write('browser', BROWSER_FILES_PER_BATCH, shared.filter(isBrowser)),
  ]
  const flows = [
    ...alone.filter(file => !isBrowser(file)),
    ...write('flows', FLOWS_PER_BATCH, shared.filter(isFlow)),
    ...write('embedded', FLOWS_PER_BATCH, embedded, 'embedded'),
  ]
  const units = write(
    'units',
    UNITS_PER_BATCH,
    shared.filter(file => !isBrowser(file) && !isFlow(file)),
  )
  return [...interleave(browsers, flows), ...units]
}

/** Browsers use several cores, so their tests are spread. The longest files run first and the shortest last, which keeps all lanes busy. */
const interleave = (browsers: readonly string[], others: readonly string[]): string[] => {
  if (browsers.length === 0) return [...others]
  const size = Math.ceil(others.length / browsers.length)
  return browsers.flatMap((file, n) => [file, ...others.slice(n * size, (n + 1) * size)])
}

const urlOf = (root: string, file: string): string => pathToFileURL(join(root, file)).href

/** A file that runs on another engine is not the file that `npm test -- FILE` runs. */
const titleOf = (file: string, engines?: string): string =>
  engines === undefined ? file : `${file} (${engines})`

const batchOf = (root: string, files: readonly string[], engines?: string): string =>
  [
    ...(engines === undefined ? [] : [`process.env.TEST_ENGINES = ${JSON.stringify(engines)}`]),
    "import { after, suite } from 'node:test'",
    `import { keepShared, stopShared } from ${JSON.stringify(urlOf(root, 'server/test/support/shared.ts'))}`,
    'keepShared()',
    'after(stopShared)',
    '// One after the other: tests belong to the suite whose callback imports their module.',
    'const load = (file, url) =>',
    '  new Promise(loaded => void suite(file, () => import(url).finally(loaded)))',
    ...files.map(
      file => `await load(${JSON.stringify(titleOf(file, engines))}, ${JSON.stringify(urlOf(root, file))})`,
    ),
    '',
  ].join('\n')
