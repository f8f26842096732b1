import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

/** Who may import whom: arrows only go down. A folder that is not named here imports nothing of ours but the floor below. */
const SOURCE = join(import.meta.dirname, '../src')

const FLOOR_BELOW: Record<string, string[]> = {
  core: ['core'],
  platform: ['platform', 'core'],
  edge: ['edge', 'platform', 'core'],
}
const FEATURES: Record<string, string[]> = {
  'start-page': ['link'],
  tools: ['link', 'credentials', 'connectors', 'oauth', 'upstream', 'rules', 'metering', 'events'],
  link: ['credentials', 'connectors', 'oauth', 'upstream', 'registered-users', 'organizations', 'events'],
  'registered-users': ['credentials', 'events'],
  credentials: ['connectors', 'oauth', 'events'],
  connectors: ['oauth', 'upstream', 'events'],
  metering: ['events'],
  organizations: ['events'],
  oauth: ['upstream'],
  upstream: [],
  rules: [],
  events: [],
}
/** Only these make everything else; nothing imports them but the entry points. */
const ROOTS = [
  'app.ts',
  'connector-files.ts',
  'features.ts',
  'first-boot.ts',
  'isolated.ts',
  'main.ts',
  'operator.ts',
  'retention.ts',
  'service.ts',
  'welcome.ts',
  'worker.ts',
]

const room = (path: string): string => {
  const [first = '', second = ''] = path.split('/')
  if (first === 'features' && second) return `features/${second}`
  return path.includes('/') ? first : 'root'
}

const mayImport = (from: string, to: string): boolean => {
  if (from === 'root' || from === to) return true
  if (from.startsWith('features/')) {
    const own = FEATURES[from.slice('features/'.length)]
    if (!own) return false
    if (to.startsWith('features/')) return own.includes(to.slice('features/'.length))
    return ['edge', 'platform', 'core'].includes(to)
  }
  return FLOOR_BELOW[from]?.includes(to) ?? false
}

const files = globSync('**/*.ts', { cwd: SOURCE }).filter(file => !file.endsWith('.test.ts'))
const imports = files.flatMap(file =>
  [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)].map(match => ({
    file,
    target: relative(SOURCE, join(SOURCE, dirname(file), match[1] as string)),
  })),
)

test('every import goes down', () => {
  assert.ok(imports.length > 200, 'the imports were found')
  const wrong = imports
    .filter(({ file, target }) => !mayImport(room(file), room(target)))
    .map(({ file, target }) => `${file} → ${target}`)
  assert.deepEqual(wrong, [])
})

test('a store is opened only by its own feature', () => {
  const wrong = imports.filter(
    ({ file, target }) =>
      target.endsWith('-store.ts') &&
      room(target).startsWith('features/') &&
      room(file) !== room(target) &&
      room(file) !== 'root',
  )
  assert.deepEqual(
    wrong
      .filter(({ file, target }) => !isTypeOnly(file, target))
      .map(({ file, target }) => `${file} → ${target}`),
    [],
  )
})

const isTypeOnly = (file: string, target: string): boolean => {
  const name = target.split('/').at(-1) as string
  const line =
    readFileSync(join(SOURCE, file), 'utf8')
      .split('\n')
      .find(text => text.includes(`/${name}'`)) ?? ''
  return line.startsWith('import type')
}

test('the roots are the ones that are named', () => {
  assert.deepEqual(files.filter(file => !file.includes('/')).toSorted(), ROOTS)
})

test('SQL stands in stores, migrations and statements that call a published function, and nowhere else', () => {
  const allowed = /-store\.ts$|^platform\/(vault|database)\/(vault|migrate|postgres|pglite)\.ts$/
  const writes = /\b(insert into|update \w+ set|delete from)\b/i
  const wrong = files.filter(
    file => !allowed.test(file) && writes.test(readFileSync(join(SOURCE, file), 'utf8')),
  )
  assert.deepEqual(wrong, [])
})

test('only the composition root reads the environment', () => {
  const readers = files.filter(file => /process\.env/.test(readFileSync(join(SOURCE, file), 'utf8')))
  assert.deepEqual(readers, ['main.ts'])
})
