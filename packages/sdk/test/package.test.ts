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

test('the built files need no other package, no source file and no Node API', () => {
  for (const file of globSync('*', { cwd: join(folder, 'dist') })) {
    assert.doesNotMatch(built(file), /@carabiner|typebox|node:|process\.|\bBuffer\b/, file)
    assert.doesNotMatch(built(file), /['"]\.\/[\w-]+\.ts['"]/, file)
  }
})

test('publint reports nothing', async () => {
  const { messages } = await publint({ pkgDir: folder, strict: true })
  assert.deepEqual(messages, [])
})

test('the types resolve for every importer of ES modules', async () => {
  await run(bin('node'), [bin('attw'), '--pack', folder, '--profile', 'esm-only', '--no-emoji'], {
    cwd: root,
  }).catch((error: { stdout: string }) => assert.fail(error.stdout))
})

/** Runs the package in a context that has only the globals of an edge runtime, and none of Node's. */
const RUN_IN_EDGE_RUNTIME = `
  const { createContext, SourceTextModule } = await import('node:vm')
  const { readFileSync } = await import('node:fs')
  const { URL, URLSearchParams, AbortSignal, Headers, Response, crypto, setTimeout, clearTimeout } = globalThis
  const requests = []
  const fetch = async (url, init) => (requests.push([init.method, url]), Response.json({ data: [] }))
  const context = createContext({ URL, URLSearchParams, AbortSignal, Headers, Response, crypto, setTimeout, clearTimeout, fetch })
  const module = new SourceTextModule(readFileSync(process.argv[1], 'utf8'), { context })
  await module.link(() => { throw new Error('the package imports a module') })
  await module.evaluate()
  const { createClient } = module.namespace
  await createClient({ apiKey: 'k', baseUrl: 'https://x.example' }).connectors.list()
  console.log(JSON.stringify(requests))`
test('the client needs only fetch, URL, AbortSignal and Web Crypto', async () => {
  const { stdout } = await run(bin('node'), [
    '--experimental-vm-modules',
    '--no-warnings',
    '--input-type=module',
    '--eval',
    RUN_IN_EDGE_RUNTIME,
    join(folder, 'dist/index.js'),
  ])
  assert.deepEqual(JSON.parse(stdout), [['GET', 'https://x.example/api/v1/connectors']])
})
