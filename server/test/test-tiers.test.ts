import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { writeBatches } from '../../scripts/testing/batches.ts'
import { affectedTests, changedFiles } from '../../scripts/testing/changed.ts'
import { testFiles } from '../../scripts/testing/tiers.ts'

/** The files that a batch loads. */
const readBatch = (root: string, file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^await load\("([^"]+)"/gm)].map(
    ([, loaded]) => loaded as string,
  )

const project = join(import.meta.dirname, '../..')

describe('tiers', () => {
  it('every test file of the repository is in exactly one tier', () => {
    const listed = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: project, encoding: 'utf8' })
      .split('\n')
      .filter(file => file !== '' && !file.startsWith('examples/'))
    const [fast, slow] = [testFiles(project, 'fast'), testFiles(project, 'slow')]
    const inTiers = new Set([...fast, ...slow])
    assert.deepEqual(
      listed.filter(file => !inTiers.has(file)),
      [],
    )
    assert.equal(inTiers.size, fast.length + slow.length)
  })

  it('every file of a tier is started once, alone or in a batch', () => {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-batches-'))
    try {
      const files = [...testFiles(project, 'fast'), ...testFiles(project, 'slow')]
      const started = writeBatches(project, folder, files)
      const texts = started.map(file => (file.endsWith('.mjs') ? readBatch(project, file) : [file]))
      assert.deepEqual(texts.flat().toSorted(), files.toSorted())
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('tests of what has changed', () => {
  let root: string
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], {
      cwd: root,
      stdio: 'ignore',
    })
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'carabiner-changed-'))
    write('packages/units/package.json', '{"name":"@acme/units","exports":{".":"./src/index.ts"}}')
    write('packages/units/src/index.ts', `export * from './meter.ts'`)
    write('packages/units/src/meter.ts', 'export const meter = 1')
    write('server/src/length.ts', `import { meter } from '@acme/units'\nexport const length = meter`)
    write('server/src/length.test.ts', `import { length } from './length.ts'`)
    write('apps/ruler/src/ruler.test.ts', `import { length } from '../../../server/src/length.ts'`)
    write('server/src/weight.test.ts', `const { weight } = await import('./weight.ts')`)
    write('server/src/weight.ts', 'export const weight = 1')
    write('server/src/tables/0001.sql', 'select 1')
    write('server/src/tables.ts', '')
    write('server/src/tables.test.ts', `import './tables.ts'`)
    git('init', '--initial-branch=main')
    git('add', '.')
    git('commit', '-m', 'start')
  })
  after(() => rmSync(root, { recursive: true }))

  const tests = [
    'apps/ruler/src/ruler.test.ts',
    'server/src/length.test.ts',
    'server/src/weight.test.ts',
    'server/src/tables.test.ts',
  ]
  const affected = (...changed: string[]) => affectedTests(root, changed, tests)

  it('are those that import it, directly, through a package or when they run', () => {
    assert.deepEqual(affected('packages/units/src/meter.ts'), [
      'apps/ruler/src/ruler.test.ts',
      'server/src/length.test.ts',
    ])
    assert.deepEqual(affected('server/src/weight.ts'), ['server/src/weight.test.ts'])
    assert.deepEqual(affected('server/src/length.test.ts'), ['server/src/length.test.ts'])
    assert.deepEqual(affected('docs/index.md'), [])
  })

  it('a file that is not a module belongs to the modules of the nearest folder', () => {
    assert.ok(affected('server/src/tables/0001.sql').includes('server/src/tables.test.ts'))
  })

  it('a change of dependencies or settings affects every test', () => {
    for (const file of ['package.json', 'package-lock.json', 'tsconfig.json'])
      assert.deepEqual(affected(file), tests)
  })

  it('changes are those since the fork, committed, uncommitted and new', () => {
    git('checkout', '-b', 'work')
    write('server/src/weight.ts', 'export const weight = 2')
    git('commit', '-am', 'weight')
    write('server/src/length.ts', '')
    write('server/src/new.ts', '')
    assert.deepEqual(changedFiles(root, 'main').toSorted(), [
      'server/src/length.ts',
      'server/src/new.ts',
      'server/src/weight.ts',
    ])
  })
})
