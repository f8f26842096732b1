import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import { dashboardPages } from './dashboard-pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-dashboard-'))
after(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Index</title>')
writeFileSync(join(folder, 'sign-in.html'), '<!doctype html><title>Sign in</title>')
writeFileSync(join(folder, 'assets/app-1.js'), 'run()')
writeFileSync(
  join(folder, 'page-chunks.json'),
  JSON.stringify({ home: ['assets/home-1.js', 'assets/parts-1.js'], users: ['assets/users-1.js'] }),
)
writeFileSync(join(folder, 'assets/app-1.js.gz'), gzipSync('run()'))
writeFileSync(join(folder, '.fingerprint'), 'secret')

const start = (options: { folder: string }) => {
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof Refusal ? 404 : 500).send({ code: (error as Refusal).code }),
  )
  dashboardPages(app, { linkUrl: 'https://link.example.com/link' }, options)
  return app
}
const app = start({ folder })
const page = { accept: 'text/html,*/*' }

for (const url of ['/dashboard', '/dashboard/', '/dashboard/o/1/test/users?user=2'])
  test(`dashboard: ${url} returns the index, revalidated on each load, with a strict policy`, async () => {
    const { statusCode, headers, body } = await app.inject({ url, headers: page })
    assert.equal(statusCode, 200)
    assert.match(body, /Index/)
    assert.equal(headers['cache-control'], 'no-cache')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/)
    assert.match(policy, /; frame-src https:\/\/link\.example\.com\/link\/preview\/$/)
    assert.doesNotMatch(policy.replace(/frame-src .*/, ''), /unsafe|https?:|\*/)
    const again = await app.inject({ url, headers: { ...page, 'if-none-match': String(headers.etag) } })
    assert.equal(again.statusCode, 304)
    assert.equal(again.body, '')
  })

test('dashboard: the sign-in page has its own document, with the same policy', async () => {
  const { headers, body } = await app.inject({ url: '/dashboard/sign-in?next=%2Fdashboard', headers: page })
  assert.match(body, /Sign in/)
  assert.equal(headers['cache-control'], 'no-cache')
  assert.match(String(headers['content-security-policy']), /script-src 'self'.*require-trusted-types-for/)
})

const HOME =
  '</dashboard/assets/home-1.js>; rel=preload; as=script; crossorigin, </dashboard/assets/parts-1.js>; rel=preload; as=script; crossorigin'
const USERS = '</dashboard/assets/users-1.js>; rel=preload; as=script; crossorigin'
for (const [url, link] of [
  ['/dashboard', HOME],
  ['/dashboard/', HOME],
  ['/dashboard/o/1/test', HOME],
  ['/dashboard/o/1/test/users?user=2', USERS],
  ['/dashboard/o/1/test/users/2', undefined],
  ['/dashboard/o/1/test/__proto__', undefined],
  ['/dashboard/o/1/test/a%0d%0ab', undefined],
  ['/dashboard/sign-in', undefined],
] as const)
  test(`dashboard: ${url} announces ${link ? 'the chunks of its page' : 'no chunks'}`, async () => {
    const { statusCode, headers } = await app.inject({ url, headers: page })
    assert.equal(statusCode, 200)
    assert.equal(headers.link, link)
  })

test('dashboard: hashed files are immutable and compressed for clients that accept it', async () => {
  const send = (encoding: string) =>
    app.inject({ url: '/dashboard/assets/app-1.js', headers: { 'accept-encoding': encoding } })
  const zipped = await send('br;q=0, gzip')
  assert.equal(zipped.headers['content-encoding'], 'gzip')
  assert.equal(zipped.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(zipped.headers.vary, 'accept-encoding')
  for (const encoding of ['', 'identity', 'gzip;q=0', 'gzip;q=0.0']) {
    const plain = await send(encoding)
    assert.equal(plain.headers['content-encoding'], undefined, encoding)
    assert.equal(plain.body, 'run()')
  }
})

for (const url of [
  '/dashboard/assets/missing.js',
  '/dashboard/.fingerprint',
  '/dashboard/page-chunks.json',
  '/dashboard/..%2f..%2fpackage.json',
  '/dashboard/assets/app-1.js.gz',
])
  test(`dashboard: ${url} is not found`, async () => {
    const { statusCode, body } = await app.inject({ url, headers: { accept: '*/*' } })
    assert.equal(statusCode, 404)
    assert.doesNotMatch(body, /secret|carabiner-workspace/)
  })

test('dashboard: without built files, the page states the command that builds them', async () => {
  const missing = start({ folder: join(folder, 'none') })
  for (const url of ['/dashboard', '/dashboard/o/1/test/users']) {
    const { statusCode, body } = await missing.inject({ url, headers: page })
    assert.equal(statusCode, 503)
    assert.match(body, /npm ci && npm run build</)
  }
})
