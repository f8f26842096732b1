import { execFile } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { folderOf, type PublishedName } from './packages/published.ts'
import { stripModules } from './packages/strip-modules.ts'

export type PackageToBuild = {
  name: PublishedName
  entries: string[]
  external?: RegExp
  minify: boolean
  /** For Node: every module stays a file, as in `src`, and every other package is imported. Default: one file per entry. */
  keepModules?: true
  /** Declarations that are generated from the text of a source instead of by the compiler. */
  declarations?: Record<string, (source: string) => Promise<string>>
  /** Additional inputs. The detection module of the contract is always an input. */
  from?: string[]
}

const root = join(import.meta.dirname, '..')

/** Processes that build concurrently use separate folders; the last result is kept. */
export const buildPackage = async (target: PackageToBuild): Promise<void> => {
  if (isUpToDate(target)) return
  const dist = join(folderOf(target.name), 'dist')
  const stagingFolder = join(root, '.cache', `${target.name}-${process.pid}`)
  mkdirSync(stagingFolder, { recursive: true })
  try {
    await Promise.all([writeModules(target, stagingFolder), writeDeclarations(target, stagingFolder)])
    rmSync(dist, { recursive: true, force: true })
    renameSync(stagingFolder, dist)
  } catch (error) {
    // The error is ignored if another process has written its result in the meantime.
    if (!isUpToDate(target)) throw error
  } finally {
    rmSync(stagingFolder, { recursive: true, force: true })
  }
}

const isUpToDate = (target: PackageToBuild): boolean => {
  const folder = folderOf(target.name)
  const outputs = target.entries.flatMap(name => [
    join(folder, 'dist', `${name}.js`),
    join(folder, 'dist', `${name}.d.ts`),
  ])
  if (!outputs.every(output => existsSync(output))) return false
  const builtAt = Math.min(...outputs.map(output => statSync(output).mtimeMs))
  return [
    ...globSync(join(folder, 'src/**/*.ts')),
    // The removal of a file is visible only in the modification time of its folder.
    ...foldersOf(join(folder, 'src')),
    join(folder, 'package.json'),
    join(folder, 'tsconfig.build.json'),
    join(root, 'packages/contract/src/find-meta.ts'),
    ...globSync((target.from ?? []).map(pattern => join(root, pattern))),
    import.meta.filename,
    join(import.meta.dirname, 'build-packages.ts'),
  ].every(source => statSync(source).mtimeMs < builtAt)
}

const foldersOf = (source: string): string[] => [
  source,
  ...globSync('**/', { cwd: source }).map(name => join(source, name)),
]

const writeModules = async (target: PackageToBuild, folder: string): Promise<void> => {
  const from = join(folderOf(target.name), 'src')
  if (target.keepModules)
    return stripModules({ entries: target.entries.map(name => `${name}.ts`), from, to: folder })
  await using bundle = await rolldown({
    input: Object.fromEntries(
      target.entries.map(name => [name, join(folderOf(target.name), `src/${name}.ts`)]),
    ),
    ...(target.external && { external: target.external }),
    platform: 'browser',
    // Suppresses the warning that 'use client' may be lost; a test of the package checks that it is kept.
    onLog: (level, log, handle) => {
      if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
    },
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    minify: target.minify,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  })
}

const writeDeclarations = async (target: PackageToBuild, folder: string): Promise<void> => {
  const emitted = join(folder, 'declarations')
  const tsc = promisify(execFile)(
    join(root, 'node_modules/.bin/tsc'),
    ['-p', join(folderOf(target.name), 'tsconfig.build.json'), '--outDir', emitted],
    { cwd: root },
  )
  await tsc.catch((error: { stdout: string }) => {
    throw new Error(error.stdout, { cause: error })
  })
  const sources = join(emitted, target.name, 'src')
  for (const file of globSync('**/*.d.ts', { cwd: sources })) {
    const text = readFileSync(join(sources, file), 'utf8')
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    writeFileSync(
      join(folder, file),
      text.replaceAll(/((?:from |import\()['"]\.\.?\/[\w/.-]+)\.ts(?=['"])/g, '$1.js'),
    )
  }
  for (const [file, make] of Object.entries(target.declarations ?? {})) {
    const source = readFileSync(join(folderOf(target.name), 'src', file.replace('.d.ts', '.ts')), 'utf8')
    writeFileSync(join(folder, file), await make(source))
  }
  rmSync(emitted, { recursive: true })
}
