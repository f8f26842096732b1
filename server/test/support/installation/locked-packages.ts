import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type LockedPackage = {
  /** A workspace: `resolved` is its folder. */
  link?: boolean
  /** Only development dependencies lead to it. */
  dev?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}
/** By folder, relative to the root of the repository. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>

export const readLockedPackages = (root: string): LockedPackages =>
  (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: LockedPackages }).packages

/** As Node resolves it: in the package itself, then in each folder above. */
const resolvePackage = (packages: LockedPackages, from: string, name: string): string | null => {
  const parts = from.split('/')
  for (let length = parts.length; length >= 0; length--) {
    if (parts[length - 1] === 'node_modules') continue
    const path = [...parts.slice(0, length), 'node_modules', name].join('/')
    if (packages[path]) return path
  }
  return null
}

const requiredBy = (locked: LockedPackage): string[] => {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = locked
  const peers = Object.keys(peerDependencies).filter(name => !peerDependenciesMeta[name]?.optional)
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers]
}

/** The folders that `npm ci --omit=dev` fills for these workspaces, those of workspaces as links. */
export const runtimePackages = (packages: LockedPackages, workspaces: readonly string[]): string[] => {
  const found = new Set<string>()
  const add = (path: string): void => {
    const locked = packages[path]
    if (!locked || found.has(path)) return
    found.add(path)
    if (locked.link && locked.resolved) add(locked.resolved)
    for (const name of requiredBy(locked)) {
      const resolved = resolvePackage(packages, path, name)
      if (resolved) add(resolved)
    }
  }
  workspaces.forEach(add)
  return [...found].filter(path => path.includes('node_modules/')).toSorted()
}

/** `server/node_modules` of `server/node_modules/a/node_modules/b`. */
export const packageFolderOf = (path: string): string =>
  path.slice(0, path.indexOf('node_modules/') + 'node_modules'.length)
