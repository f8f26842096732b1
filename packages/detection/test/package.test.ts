import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { packPackages } from '../../../scripts/packages/pack.ts'

/** Tests the package as published: packed, and installed in a separate folder. */
const root = join(import.meta.dirname, '../../..')
const source = join(import.meta.dirname, '..')
const folder = join(root, `.cache/detection-package-${process.pid}`)
const installed = join(folder, 'node_modules/@carabiner/detection')
const bin = (name: string) => join(root, 'node_modules/.bin', name)
const run = promisify(execFile)
const manifest = () => readFileSync(join(source, 'package.json'), 'utf8')
const readme = readFileSync(join(source, 'README.md'), 'utf8')
const blockOf = (language: string) =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(readme)?.[1] ?? ''

const manifestBefore = manifest()
let tarball: string

before(async () => {
  mkdirSync(installed, { recursive: true })
  const [packed] = await packPackages(folder, ['detection'])
  tarball = packed?.file ?? ''
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('the archive contains the built files, and the manifest of the repository is unchanged', () => {
  assert.equal(manifest(), manifestBefore)
  const files = globSync('**/*', { cwd: installed })
  for (const name of ['README.md', 'dist/index.js', 'dist/text.js', 'dist/patterns.js', 'dist/index.d.ts'])
    assert.ok(files.includes(name), name)
  assert.deepEqual(
    files.filter(name => /\.test\.|^src|[^d]\.ts$/.test(name)),
    [],
  )
})

test('the built files import no private package and no source file', () => {
  for (const name of globSync('dist/**/*.{js,ts}', { cwd: installed })) {
    const text = readFileSync(join(installed, name), 'utf8')
    assert.doesNotMatch(text, /from ['"]@carabiner|import\(['"]@carabiner/, name)
    assert.doesNotMatch(text, /['"]\.{1,2}\/[\w/.-]+\.ts['"]/, name)
  }
})

test('publint reports nothing', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true })
  assert.deepEqual(messages, [])
})

test('the types resolve for every importer of ES modules', async () => {
  await run(bin('node'), [bin('attw'), tarball, '--profile', 'esm-only', '--no-emoji'], {
    cwd: root,
  }).catch((error: { stdout: string }) => assert.fail(error.stdout))
})

test('the example of the README compiles without Node types and prints the output shown there', async () => {
  const file = join(folder, 'example.ts')
  writeFileSync(file, blockOf('ts'))
  const { stdout } = await run(bin('node'), [file], { cwd: folder })
  assert.equal(stdout, blockOf('text'))
  const compilerOptions = { lib: ['es2024', 'dom'], types: [], skipLibCheck: false }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions,
      files: ['example.ts'],
      include: [],
      exclude: [],
    }),
  )
  await run(bin('tsc'), ['-p', folder], { cwd: root }).catch((error: { stdout: string }) =>
    assert.fail(error.stdout),
  )
})

test('the README documents every public name', async () => {
  for (const entry of ['index', 'text', 'patterns']) {
    const names = Object.keys((await import(join(installed, `dist/${entry}.js`))) as object)
    assert.deepEqual(
      names.filter(name => !readme.includes(`\`${name}`)),
      [],
      entry,
    )
  }
})
