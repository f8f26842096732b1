import { execFile } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'

/** Builds what browsers get of packages/link: small modules, and declarations that lean on no other package of ours. */
const root = join(import.meta.dirname, '..')
const packageFolder = join(root, 'packages/link')
const dist = join(packageFolder, 'dist')
const ENTRIES = ['index', 'react', 'element']

/** Does nothing while nothing has changed. Several processes may call it at once: each builds apart, and the last one stays. */
export const buildPackages = async (): Promise<void> => {
  if (isUpToDate()) return
  const workshop = join(root, '.cache', `link-${process.pid}`)
  mkdirSync(workshop, { recursive: true })
  try {
    await Promise.all([writeModules(workshop), writeDeclarations(workshop)])
    rmSync(dist, { recursive: true, force: true })
    renameSync(workshop, dist)
  } catch (error) {
    // Somebody else put theirs in place in between.
    if (!isUpToDate()) throw error
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

const isUpToDate = (): boolean => {
  const outputs = ENTRIES.flatMap(name => [join(dist, `${name}.js`), join(dist, `${name}.d.ts`)])
  if (!outputs.every(output => existsSync(output))) return false
  const builtAt = Math.min(...outputs.map(output => statSync(output).mtimeMs))
  return [
    ...globSync(join(packageFolder, 'src/*.ts')),
    // A removed file changes only its folder.
    join(packageFolder, 'src'),
    join(packageFolder, 'package.json'),
    join(packageFolder, 'tsconfig.json'),
    join(root, 'packages/contract/src/find-authenticate-meta.ts'),
    import.meta.filename,
  ].every(source => statSync(source).mtimeMs < builtAt)
}

const writeModules = async (folder: string): Promise<void> => {
  await using bundle = await rolldown({
    input: Object.fromEntries(ENTRIES.map(name => [name, join(packageFolder, `src/${name}.ts`)])),
    external: /^react(\/|$)/,
    platform: 'browser',
    // It warns that 'use client' may be lost; a test of the package sees that it is not.
    onLog: (level, log, handle) => {
      if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
    },
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  })
}

const writeDeclarations = async (folder: string): Promise<void> => {
  const emitted = join(folder, 'declarations')
  const tsc = promisify(execFile)(
    join(root, 'node_modules/.bin/tsc'),
    ['-p', packageFolder, '--outDir', emitted],
    { cwd: root },
  )
  await tsc.catch((error: { stdout: string }) => {
    throw new Error(error.stdout, { cause: error })
  })
  const sources = join(emitted, 'link/src')
  for (const file of readdirSync(sources)) {
    const text = readFileSync(join(sources, file), 'utf8')
    writeFileSync(join(folder, file), text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
  }
  rmSync(emitted, { recursive: true })
}

if (import.meta.main) await buildPackages()
