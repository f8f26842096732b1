import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Instruction } from '../dockerfile.ts'
import { packageFolderOf, readLockedPackages, runtimePackages } from './locked-packages.ts'

/** Files that `Dockerfile.dockerignore` keeps out of the context. */
const IGNORED = /(^|\/)(node_modules|dist|test)(\/|$)|\.test\.ts$/

export type CopyInstruction = { stage: string | undefined; sources: string[]; target: string }

export const parseCopy = (value: string): CopyInstruction => {
  const [, stage, paths = value] = /^--from=(\w+) (.*)$/.exec(value) ?? []
  const words = paths.split(' ')
  return { stage, sources: words.slice(0, -1), target: words.at(-1) as string }
}

/** Where a COPY instruction puts a source, below the working directory or from the root. */
export const targetOf = (source: string, target: string): string =>
  target.endsWith('/') || target === '.' ? join(target, basename(source)) : target

export const copyTree = (
  from: string,
  to: string,
  includes: (path: string) => boolean = () => true,
): void => {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: path => includes(relative(from, path)),
  })
}

/** Copies from the build context. */
export const copyContext = (root: string, source: string, to: string): void =>
  copyTree(join(root, source), to, path => !IGNORED.test(join(source, path)))

/** Copies those of the packages that are installed below `root`, as `npm ci` would install them in `to`. */
export const copyPackages = (root: string, paths: readonly string[], to: string): void => {
  // A package contains its own folder of packages.
  const outer = paths.filter(path => !paths.some(other => path.startsWith(`${other}/`)))
  // Packages for other platforms are not installed.
  for (const path of outer.filter(each => existsSync(join(root, each))))
    copyTree(join(root, path), join(to, path))
}

/** The arguments of `npm ci` in the stage that installs the packages of the service. */
export const installedWorkspaces = (instructions: readonly Instruction[]): string[] => {
  const install = instructions.find(
    ({ name, value }) => name === 'RUN' && value.startsWith('npm ci --omit=dev '),
  )
  return [...(install?.value ?? '').matchAll(/--workspace (\S+)/g)].map(([, workspace = '']) => workspace)
}

/**
 * The last stage of the image as a folder, by its own COPY instructions. The earlier stages are not run: packages and built sites are
 * those of this clone, limited to what `npm ci` installs there.
 */
export const layOutImage = (root: string, instructions: readonly Instruction[], to: string): void => {
  const packages = runtimePackages(readLockedPackages(root), installedWorkspaces(instructions))
  const last = instructions.findLastIndex(({ name }) => name === 'FROM')
  const copies = instructions.slice(last).filter(({ name }) => name === 'COPY')
  for (const { stage, sources, target } of copies.map(({ value }) => parseCopy(value)))
    for (const source of sources) {
      const path = source.replace(/^\/app\//, '')
      if (stage === 'packages')
        copyPackages(
          root,
          packages.filter(each => packageFolderOf(each) === path),
          to,
        )
      else if (stage) copyTree(join(root, path), join(to, targetOf(source, target)))
      else copyContext(root, source, join(to, targetOf(source, target)))
    }
}
