import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const SOURCES =
  '{server,packages,apps,examples,e2e,bench,scripts,dashboard,docs/.vitepress}/**/*.{ts,tsx,mts,mjs}'
const IMPORT = /\b(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g

const EVERYTHING = /^(?:package(?:-lock)?|tsconfig)\.json$/

/** The dashboard and the documentation are built and opened in a browser, and no test imports them. */
const OPENED: { folder: string; tests: RegExp }[] = [
  { folder: 'dashboard/', tests: /^e2e\/dashboard/ },
  { folder: 'docs/', tests: /^e2e\/documentation|^server\/test\/documentation\// },
]

/** Files that differ from `base`, committed or not. */
export const changedFiles = (root: string, base: string): string[] => {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter(line => line !== '')
  const fork = git('merge-base', base, 'HEAD')[0] ?? base
  return [
    ...git('diff', '--name-only', '--no-renames', fork),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}

type Graph = { importersOf: ReadonlyMap<string, readonly string[]>; modules: ReadonlySet<string> }

const packageExports = (root: string): Map<string, string> => {
  const found = new Map<string, string>()
  for (const file of globSync('{packages/*,apps/*,server}/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
      name: string
      exports?: Record<string, string>
    }
    for (const [path, target] of Object.entries(exports))
      if (typeof target === 'string') found.set(join(name, path), join(dirname(file), target))
  }
  return found
}

const readGraph = (root: string): Graph => {
  const modules = new Set(globSync(SOURCES, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] }))
  const exported = packageExports(root)
  const importersOf = new Map<string, string[]>()
  for (const file of modules)
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      const target = name.startsWith('.')
        ? relative(root, resolve(root, dirname(file), name))
        : exported.get(name)
      if (target === undefined) continue
      importersOf.set(target, [...(importersOf.get(target) ?? []), file])
    }
  return { importersOf, modules }
}

/** A file that is not a module, such as a migration, is read by the modules of the nearest folder that has any. */
const readersOf = ({ modules }: Graph, file: string): string[] => {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    const here = [...modules].filter(module => dirname(module) === folder)
    if (here.length > 0) return here
  }
  return []
}

/** The tests that import, directly or not, a file that has changed. */
export const affectedTests = (
  root: string,
  changed: readonly string[],
  tests: readonly string[],
): string[] => {
  if (changed.some(file => EVERYTHING.test(file))) return [...tests]
  const graph = readGraph(root)
  const affected = new Set<string>()
  const visit = (file: string): void => {
    if (affected.has(file)) return
    affected.add(file)
    for (const importer of graph.importersOf.get(file) ?? []) visit(importer)
  }
  for (const file of changed) {
    visit(file)
    if (!graph.modules.has(file)) for (const reader of readersOf(graph, file)) visit(reader)
  }
  const opened = OPENED.filter(({ folder }) => changed.some(file => file.startsWith(folder)))
  return tests.filter(test => affected.has(test) || opened.some(({ tests: pattern }) => pattern.test(test)))
}
