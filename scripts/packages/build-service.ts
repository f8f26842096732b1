import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readManifest } from './published.ts'
import { stripModules } from './strip-modules.ts'

const root = join(import.meta.dirname, '../..')
const bin = (name: string): string => join(root, 'node_modules/.bin', name)
const run = promisify(execFile)

/** Modules that the manifest names, and programs that are started by their path. */
const ENTRIES = [
  'apps/carabiner/src/main.ts',
  'server/src/main.ts',
  'server/src/testing.ts',
  'server/src/isolated.ts',
  'server/src/platform/database/embedded/create-embedded.ts',
]
/** Files that the service reads, at the same place relative to its modules as in the repository. */
const ASSETS = [
  'server/migrations',
  'server/src/features/pages/browser/link-page.js',
  'connectors',
  'dashboard/dist',
  'docs/.vitepress/dist',
]
const TYPES = 'server/src/testing'

/** Compiles the service to JavaScript in `folder`. Node does not run TypeScript below node_modules. */
export const buildService = async (folder: string): Promise<void> => {
  rmSync(folder, { recursive: true, force: true })
  writeServiceModules(folder)
  await writeTypes(folder)
  for (const asset of ASSETS) {
    if (!existsSync(join(root, asset)))
      throw new Error(`${asset} is missing. Pack with "npm run pack", which builds it.`)
    cpSync(join(root, asset), join(folder, asset), { recursive: true, filter: isShipped })
  }
}

/** Without the gzip copies of the documentation: every browser accepts Brotli, and other clients get the plain files. */
const isShipped = (path: string): boolean =>
  !/\.fingerprint$|\.map$|\/test\/|\.test\.|\/docs\/.*\.gz$/.test(path)

/** Writes the modules only, which takes about a second. */
export const writeServiceModules = (folder: string): void =>
  stripModules({ entries: ENTRIES, from: root, to: folder, resolvePackage: resolveContained })

/** The source of an entry point of the server, which is not published. */
const resolveContained = (specifier: string): string | null => {
  const [, entry] = /^@carabiner\/server(\/.*)$/.exec(specifier) ?? []
  if (entry === undefined) return null
  const { exports: exported } = readManifest(join(root, 'server'))
  const target = typeof exported === 'string' ? exported : exported[`.${entry}`]
  return typeof target === 'string' ? join(root, 'server', target) : null
}

const writeTypes = async (folder: string): Promise<void> => {
  const emitted = join(folder, '.types')
  const options = ['--rootDir', root, '--outDir', emitted, '--declaration', '--emitDeclarationOnly']
  await run(
    bin('tsc'),
    [
      '-p',
      join(root, 'scripts/packages/tsconfig.service.json'),
      ...options,
      '--noEmit',
      'false',
      '--noCheck',
    ],
    { cwd: root },
  ).catch((error: { stdout: string }) => {
    throw new Error(error.stdout, { cause: error })
  })
  mkdirSync(join(folder, TYPES, '..'), { recursive: true })
  cpSync(join(emitted, `${TYPES}.d.ts`), join(folder, `${TYPES}.d.ts`))
  rmSync(emitted, { recursive: true })
}
