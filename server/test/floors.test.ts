import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { architectureTable, withArchitectureTable } from '../../scripts/architecture-table.ts'
import { FEATURES, PLATFORM_TABLES, SHARED_WRITES } from './architecture.ts'

const ROOT = join(import.meta.dirname, '../..')
const SOURCE = join(ROOT, 'server/src')

const FLOOR_BELOW: Record<string, string[]> = {
  core: ['core'],
  platform: ['platform', 'core'],
  edge: ['edge', 'platform', 'core'],
}
/** The composition root and the entry points: they may import everything, and nothing else imports them. */
const ROOTS = [
  'app.ts',
  'connector-files.ts',
  'demo-user-sign-in.ts',
  'features.ts',
  'first-boot.ts',
  'isolated.ts',
  'main.ts',
  'operator.ts',
  'retention.ts',
  'sandbox.ts',
  'serve.ts',
  'service.ts',
  'supervise.ts',
  'testing.ts',
  'welcome.ts',
  'worker.ts',
]
/** The largest number of source files in one folder. */
const MAX_FILES = 25

const room = (path: string): string => {
  const [first = '', second = ''] = path.split('/')
  if (first === 'features' && second) return `features/${second}`
  return path.includes('/') ? first : 'root'
}

const mayImport = (from: string, to: string): boolean => {
  if (from === 'root' || from === to) return true
  if (from.startsWith('features/')) {
    const feature = FEATURES[from.slice('features/'.length)]
    if (!feature) return false
    if (to.startsWith('features/')) return feature.mayImport.includes(to.slice('features/'.length))
    return ['edge', 'platform', 'core'].includes(to)
  }
  return FLOOR_BELOW[from]?.includes(to) ?? false
}

type Import = { file: string; target: string }

const readSources = (folder: string) => {
  const files = globSync('**/*.{ts,tsx}', { cwd: folder }).filter(file => !file.endsWith('.test.ts'))
  const textOf = new Map(files.map(file => [file, readFileSync(join(folder, file), 'utf8')]))
  const imports = files.flatMap(file =>
    [...(textOf.get(file) as string).matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)].map(
      (match): Import => ({ file, target: join(dirname(file), match[1] as string) }),
    ),
  )
  return { files, textOf, imports }
}

const { files, textOf, imports } = readSources(SOURCE)
const show = ({ file, target }: Import) => `${file} → ${target}`

/** The folders of the repository whose sources a source file may import, apart from its own. */
const FOLDERS_BELOW: Record<string, string[]> = {
  packages: [],
  dashboard: ['packages'],
  server: ['packages'],
  apps: ['server', 'packages'],
}

test('imports between the folders of the repository only point down', () => {
  const folderOfPackage = new Map(
    globSync('{packages/*,apps/*,server,dashboard}/package.json', { cwd: ROOT }).map(path => [
      JSON.parse(readFileSync(join(ROOT, path), 'utf8')).name as string,
      path.split('/')[0] as string,
    ]),
  )
  const targets = (file: string, text: string): string[] =>
    [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].flatMap(([, name = '']) => {
      if (name.startsWith('.')) return join(dirname(file), name).split('/')[0] as string
      return folderOfPackage.get(name.split('/', name.startsWith('@') ? 2 : 1).join('/')) ?? []
    })
  const sources = globSync('{packages/*,apps/*,server,dashboard}/src/**/*.{ts,tsx}', { cwd: ROOT }).filter(
    file => !/\.test\.tsx?$/.test(file),
  )
  assert.ok(sources.length > 700, `${sources.length} sources`)
  const upward = sources.flatMap(file => {
    const folder = file.split('/')[0] as string
    const allowed = [folder, ...(FOLDERS_BELOW[folder] ?? [])]
    return targets(file, readFileSync(join(ROOT, file), 'utf8'))
      .filter(target => !allowed.includes(target))
      .map(target => `${file} → ${target}`)
  })
  assert.deepEqual(upward, [])
})

test('imports between features and layers only point down', () => {
  assert.ok(imports.length > 200, 'the imports were found')
  assert.deepEqual(imports.filter(({ file, target }) => !mayImport(room(file), room(target))).map(show), [])
})

test('imports between the folders of a feature only point down', () => {
  const folderOf = (path: string) => dirname(path).split('/').slice(2).join('/') || '.'
  const wrong = imports.filter(({ file, target }) => {
    if (room(file) !== room(target) || !file.startsWith('features/')) return false
    const folders = FEATURES[room(file).slice('features/'.length)]?.folders ?? ['.']
    const [from, to] = [folders.indexOf(folderOf(file)), folders.indexOf(folderOf(target))]
    return from === -1 || to < from
  })
  assert.deepEqual(wrong.map(show), [])
})

/** Files that import themselves through others. */
const findCyclic = (all: readonly Import[]): string[] => {
  const targets = new Map<string, string[]>()
  for (const { file, target } of all) targets.set(file, [...(targets.get(file) ?? []), target])
  const reachable = (from: string): Set<string> => {
    const seen = new Set<string>()
    const pending = [...(targets.get(from) ?? [])]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      pending.push(...(targets.get(next) ?? []))
    }
    return seen
  }
  return [...targets.keys()].filter(file => reachable(file).has(file))
}

for (const folder of ['server/src', 'dashboard/src'])
  test(`${folder}: no files import each other in a circle, not even for types or on demand`, () => {
    const { imports: all } = readSources(join(ROOT, folder))
    assert.ok(all.length > 200, 'the imports were found')
    assert.deepEqual(findCyclic(all), [])
  })

test('no folder has more files than the limit', () => {
  const sizes = Map.groupBy(files, file => dirname(file))
  const full = [...sizes].filter(([, members]) => members.length > MAX_FILES).map(([folder]) => folder)
  assert.deepEqual(full, [])
})

test('a store is imported by its own feature only, except for its types', () => {
  const wrong = imports.filter(
    ({ file, target }) =>
      target.endsWith('-store.ts') &&
      room(target).startsWith('features/') &&
      room(file) !== room(target) &&
      room(file) !== 'root' &&
      !isTypeOnly(file, target),
  )
  assert.deepEqual(wrong.map(show), [])
})

const isTypeOnly = (file: string, target: string): boolean => {
  const name = target.split('/').at(-1) as string
  const line = (textOf.get(file) as string).split('\n').find(text => text.includes(`/${name}'`)) ?? ''
  return line.startsWith('import type')
}

test('the composition root consists of the files named here', () => {
  assert.deepEqual(files.filter(file => !file.includes('/')).toSorted(), ROOTS)
})

test('SQL is in stores and in platform/database only, reads as well as writes', () => {
  const allowed = /-store\.ts$|^platform\/database\//
  const sql =
    /\b(?:s|listS)tatement[<(]|\b(?:insert into|delete from|select [^'`\n]{1,80} from [a-z_]+ where)\b/
  assert.deepEqual(
    files.filter(file => !allowed.test(file) && sql.test(textOf.get(file) as string)),
    [],
  )
})

const WRITE = /\b(?:insert into ([a-z_]+)|delete from ([a-z_]+)|update ([a-z_]+)(?: (?:as )?[a-z])? set)\b/g

test('a table is written by the stores of the feature that owns it', () => {
  const writes = files.flatMap(file =>
    [...(textOf.get(file) as string).matchAll(WRITE)].map(([, inserted, deleted, updated]) => ({
      file,
      table: (inserted ?? deleted ?? updated) as string,
    })),
  )
  assert.ok(writes.length > 80, 'the statements were found')
  const owner = new Map<string, string>(
    Object.entries(FEATURES).flatMap(([name, { tables }]) =>
      tables.map(table => [table, `features/${name}`] as const),
    ),
  )
  for (const table of PLATFORM_TABLES) owner.set(table, 'platform')
  const foreign = writes
    .filter(({ file, table }) => owner.get(table) !== room(file))
    .map(({ file, table }) => `${file} ${table}`)
  assert.deepEqual([...new Set(foreign)].toSorted(), Object.keys(SHARED_WRITES).toSorted())
})

test('only main.ts reads the environment', () => {
  const readers = files.filter(file => /process\.env/.test(textOf.get(file) as string))
  assert.deepEqual(readers, ['main.ts'])
})

test('only testing.ts can install a movable clock, and nothing in the service imports it', () => {
  const importers = (name: string) =>
    imports.filter(({ target }) => target.endsWith(name)).map(({ file }) => file)
  assert.deepEqual(importers('platform/database/movable-clock.ts'), ['testing.ts'])
  assert.deepEqual(importers('testing.ts'), [])
})

test('the command line imports three entry points of the service and nothing else', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8'))
  assert.deepEqual(Object.keys(manifest.exports), ['./connector-files', './main', './operator', './testing'])
  const deep = globSync('packages/{cli,carabiner}/src/**/*.ts', { cwd: ROOT }).filter(file =>
    /from '(?:\.\.\/)+server\//.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  assert.deepEqual(
    deep.filter(file => !file.endsWith('.test.ts')),
    [],
  )
})

test('the table in docs/project/architecture.md equals the generated one', () => {
  const page = readFileSync(join(ROOT, 'docs/project/architecture.md'), 'utf8')
  const isCurrent = page === withArchitectureTable(page, architectureTable())
  assert.ok(isCurrent, 'run npm run docs:architecture')
})

test('every path in docs/project/architecture.md exists', () => {
  const page = readFileSync(join(ROOT, 'docs/project/architecture.md'), 'utf8')
  const paths = [...page.matchAll(/`([\w-]+(?:\/[\w.-]+)+\.(?:ts|js))`/g)].map(([, path]) => path as string)
  assert.ok(paths.length > 30, 'the paths were found')
  const places = ['server/src/features', 'server/src', 'server', '.', 'server/src/features/link']
  assert.deepEqual(
    paths.filter(path => !places.some(place => existsSync(join(ROOT, place, path)))),
    [],
  )
})
