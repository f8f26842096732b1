import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { buildPackages } from '../../../scripts/build-packages.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)
const built = (file: string) => readFileSync(join(folder, 'dist', file), 'utf8')
const run = promisify(execFile)

before(() => buildPackages())

test('nothing is left that needs another package, a source file or one runtime alone', () => {
  for (const file of globSync('*', { cwd: join(folder, 'dist') })) {
    assert.doesNotMatch(built(file), /@carabiner|typebox|node:|process\.|\bBuffer\b/, file)
    assert.doesNotMatch(built(file), /['"]\.\/[\w-]+\.ts['"]/, file)
  }
})

test('publint has nothing to say', async () => {
  const { messages } = await publint({ pkgDir: folder, strict: true })
  assert.deepEqual(messages, [])
})

test('its types are right for everybody who imports modules', async () => {
  await run(bin('node'), [bin('attw'), '--pack', folder, '--profile', 'esm-only', '--no-emoji'], {
    cwd: root,
  }).catch((error: { stdout: string }) => assert.fail(error.stdout))
})

/** What an edge runtime has, and nothing else; a context of its own has no globals of Node's. */
const ON_THE_EDGE = `
  const { createContext, SourceTextModule } = await import('node:vm')
  const { readFileSync } = await import('node:fs')
  const { URL, URLSearchParams, AbortSignal, Headers, Response, crypto, setTimeout, clearTimeout } = globalThis
  const asked = []
  const fetch = async (url, init) => (asked.push([init.method, url]), Response.json({ data: [] }))
  const context = createContext({ URL, URLSearchParams, AbortSignal, Headers, Response, crypto, setTimeout, clearTimeout, fetch })
  const module = new SourceTextModule(readFileSync(process.argv[1], 'utf8'), { context })
  await module.link(() => { throw new Error('it imports something') })
  await module.evaluate()
  const { createClient } = module.namespace
  await createClient({ apiKey: 'k', baseUrl: 'https://x.example' }).connectors.list()
  console.log(JSON.stringify(asked))`
test('it runs where there are only fetch, URL, AbortSignal and Web Crypto', async () => {
  const { stdout } = await run(bin('node'), [
    '--experimental-vm-modules',
    '--no-warnings',
    '--input-type=module',
    '--eval',
    ON_THE_EDGE,
    join(folder, 'dist/index.js'),
  ])
  assert.deepEqual(JSON.parse(stdout), [['GET', 'https://x.example/api/v1/connectors']])
})
