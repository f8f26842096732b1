import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { buildPackages } from '../../../scripts/build-packages.ts'
import { checkArchive } from '../../../scripts/packages/check-archive.ts'
import { packPackages } from '../../../scripts/packages/pack.ts'
import { zippedSize } from './bundle.ts'

const BUDGET = 3_000
const root = join(import.meta.dirname, '../../..')
const folder = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)
const built = (file: string) => readFileSync(join(folder, 'dist', file), 'utf8')
const run = promisify(execFile)

before(() => buildPackages())

test('the hook and the button with their dependencies are at most 3 kB gzipped', async t => {
  const hook = await zippedSize("import { useLink } from '@carabiner/link/react'\nconsole.log(useLink)")
  const all = await zippedSize("export * from '@carabiner/link/react'")
  const plain = await zippedSize("export { createLink } from '@carabiner/link'")
  t.diagnostic(`gzip: useLink ${hook}, all of react ${all}, createLink ${plain} bytes`)
  assert.ok(hook <= BUDGET && all <= BUDGET, `${hook} and ${all} bytes, ${BUDGET} are allowed`)
})

test('a build without changes writes no file', async () => {
  const builtAt = () => globSync(join(folder, 'dist/*')).map(file => statSync(file).mtimeMs)
  const times = builtAt()
  await buildPackages()
  assert.deepEqual(builtAt(), times)
})

test('the React entry begins with "use client"', () =>
  assert.match(built('react.js'), /^\s*["']use client["']/))

test('the built files import no private package and use nothing that a strict CSP blocks', () => {
  for (const file of globSync('*', { cwd: join(folder, 'dist') })) {
    assert.doesNotMatch(built(file), /@carabiner/, file)
    assert.doesNotMatch(built(file), /from ['"]\.\/[\w-]+\.ts['"]/, file)
    assert.doesNotMatch(built(file), /createElement\(.style|setAttribute|innerHTML|eval\(|new Function/, file)
  }
})

test('the archive: publint and attw report nothing', async () => {
  const archives = mkdtempSync(join(tmpdir(), 'carabiner-link-'))
  after(() => rmSync(archives, { recursive: true, force: true }))
  const [packed] = await packPackages(archives, ['link'])
  assert.deepEqual(await checkArchive(packed?.file ?? ''), [])
})

test('every entry can be imported without a window and a document', async () => {
  const code = `
    for (const entry of ['', '/react', '/element']) await import('@carabiner/link' + entry)
    console.log(typeof window, typeof document)`
  const { stdout } = await run(bin('node'), ['--input-type=module', '--eval', code], { cwd: folder })
  assert.equal(stdout.trim(), 'undefined undefined')
})

const RENDER = `
  import { createElement } from 'react'
  import { renderToString } from 'react-dom/server'
  import { LinkButton, useLink } from '@carabiner/link/react'
  const Page = () => {
    const { isReady, error } = useLink({ linkToken: 'cb_lnk_1' })
    return createElement('p', null, String(isReady), String(error),
      createElement(LinkButton, { linkToken: null, lang: 'de', onLoad() {}, className: 'connect' }, 'Connect'))
  }
  console.log(renderToString(createElement(Page)))`
test('the React components render on a server', async () => {
  const { stdout, stderr } = await run(bin('node'), ['--input-type=module', '--eval', RENDER], {
    cwd: folder,
  })
  assert.equal(
    stdout.trim().replaceAll('<!-- -->', ''),
    '<p>falsenull<button class="connect" type="button" disabled="">Connect</button></p>',
  )
  assert.equal(stderr, '')
})
