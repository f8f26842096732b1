import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { buildPackages } from '../../../scripts/build-packages.ts'
import { checkArchive } from '../../../scripts/packages/check-archive.ts'
import { packPackages } from '../../../scripts/packages/pack.ts'

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

test('publint and attw report nothing', async () => {
  const archives = mkdtempSync(join(tmpdir(), 'carabiner-sdk-'))
  after(() => rmSync(archives, { recursive: true, force: true }))
  const [packed] = await packPackages(archives, ['sdk'])
  assert.deepEqual(await checkArchive(packed?.file ?? ''), [])
})

/** Runs the package in a context that has only the globals of an edge runtime, and none of Node's. */
const RUN_IN_EDGE_RUNTIME = `
  const { createContext, SourceTextModule } = await import('node:vm')
  const { readFileSync } = await import('node:fs')
  const { URL, URLSearchParams, AbortController, AbortSignal, Headers, Response, crypto, setTimeout, clearTimeout } = globalThis
  const { TextEncoder, TextDecoder, Blob, DecompressionStream, atob } = globalThis
  const { gzipSync } = await import('node:zlib')
  const requests = []
  const sse = () => new Response('data: {"id":"evt_1"}\\n\\n', { headers: { 'content-type': 'text/event-stream' } })
  const fetch = async (url, init) => {
    requests.push([init.method, url])
    return init.headers.accept === 'text/event-stream' ? sse() : Response.json({ data: [] })
  }
  const context = createContext({ URL, URLSearchParams, AbortController, AbortSignal, Headers, Response, crypto, setTimeout, clearTimeout,
    TextEncoder, TextDecoder, Blob, DecompressionStream, atob, fetch })
  const module = new SourceTextModule(readFileSync(process.argv[1], 'utf8'), { context })
  await module.link(() => { throw new Error('the package imports a module') })
  await module.evaluate()
  const { createClient, verifyWebhook, verifyWebhookBatch } = module.namespace
  const client = createClient({ apiKey: 'k', baseUrl: 'https://x.example' })
  await client.connectors.list()
  const events = []
  for await (const event of client.events.stream()) if (events.push(event.id)) break
  const { headers, body, secret } = JSON.parse(process.argv[2])
  const bytes = Buffer.from(body)
  events.push((await verifyWebhook(headers, bytes, secret)).id)
  for (const { id } of await verifyWebhookBatch(new Headers(headers), gzipSync(bytes), secret)) events.push(id)
  console.log(JSON.stringify({ requests, events }))`
test('the package needs only globals that edge runtimes have', async () => {
  const body = '{"id":"evt_2","type":"x"}'
  const secret = 'whsec_c2VjcmV0'
  const sentAt = Date.now()
  const headers = {
    'webhook-id': 'evt_2',
    'webhook-timestamp': String(Math.floor(sentAt / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_2', new Date(sentAt), body),
  }
  const { stdout } = await run(bin('node'), [
    '--experimental-vm-modules',
    '--no-warnings',
    '--input-type=module',
    '--eval',
    RUN_IN_EDGE_RUNTIME,
    join(folder, 'dist/index.js'),
    JSON.stringify({ headers, body, secret }),
  ])
  assert.deepEqual(JSON.parse(stdout), {
    requests: [
      ['GET', 'https://x.example/api/v1/connectors'],
      ['GET', 'https://x.example/api/v1/events/stream'],
    ],
    events: ['evt_1', 'evt_2', 'evt_2'],
  })
})
