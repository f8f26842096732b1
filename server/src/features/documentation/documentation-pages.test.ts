import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { errorCodes } from '@carabiner/contract'
import Fastify, { type FastifyInstance } from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import { documentationPages } from './documentation-pages.ts'

const SCRIPT = 'document.documentElement.classList.add("dark")'
const HASH = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`
const page = (title: string): string =>
  `<!doctype html><title>${title}</title><script src="/docs/assets/app-1.js"></script><script id="theme">${SCRIPT}</script>`

const folder = mkdtempSync(join(tmpdir(), 'carabiner-documentation-'))
after(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'assets'))
mkdirSync(join(folder, 'guides'))
const write = (name: string, body: string | Buffer): void => writeFileSync(join(folder, name), body)
write('index.html', page('Start'))
write('errors.html', page('Errors'))
write('404.html', page('Not found'))
write('guides/index.html', page('Guides'))
write('guides/magic-link.html', page('Magic link'))
write('guides/magic-link.md', '# Magic link')
write('llms.txt', '# Carabiner')
write('assets/app-1.js', 'run()')
write('assets/app-1.js.gz', gzipSync('run()'))
write('hashmap.json', '{}')

const start = (options: { folder: string }): FastifyInstance => {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof Refusal ? 404 : 500).send({ code: (error as Refusal).code }),
  )
  documentationPages(app, options)
  return app
}
const app = start({ folder })
const browser = { accept: 'text/html,*/*' }

test('documentation: while the site is being built, the page explains itself, and the next request finds it', async () => {
  const early = await app.inject({ url: '/docs/guides/magic-link', headers: browser })
  assert.equal(early.statusCode, 503)
  assert.match(early.body, /npm ci && npm run build</)
  write('.complete', '{"script_')
  assert.equal((await app.inject({ url: '/docs', headers: browser })).statusCode, 503, 'partly written')
  write('.complete', JSON.stringify({ script_hashes: [HASH] }))
  const built = await app.inject({ url: '/docs/guides/magic-link', headers: browser })
  assert.equal(built.statusCode, 200)
})

for (const [url, title] of [
  ['/docs', 'Start'],
  ['/docs/', 'Start'],
  ['/docs/guides', 'Guides'],
  ['/docs/guides/', 'Guides'],
  ['/docs/guides/magic-link', 'Magic link'],
  ['/docs/errors', 'Errors'],
] as const)
  test(`documentation: ${url} returns its page, with inline scripts allowed by their hash only`, async () => {
    const { statusCode, headers, body } = await app.inject({ url, headers: browser })
    assert.equal(statusCode, 200)
    assert.match(body, new RegExp(`<title>${title}</title>`))
    assert.equal(headers['cache-control'], 'no-cache')
    const policy = String(headers['content-security-policy'])
    assert.ok(policy.includes(`script-src 'self' ${HASH};`), policy)
    assert.match(policy, /default-src 'none'.*style-src 'self';.*require-trusted-types-for 'script'/)
    assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  })

test('documentation: pages are available as Markdown, and llms.txt as text', async () => {
  const markdown = await app.inject('/docs/guides/magic-link.md')
  assert.equal(markdown.headers['content-type'], 'text/markdown; charset=utf-8')
  assert.equal(markdown.body, '# Magic link')
  assert.equal((await app.inject('/docs/llms.txt')).headers['content-type'], 'text/plain; charset=utf-8')
})

test('documentation: hashed files are immutable and compressed', async () => {
  const { headers } = await app.inject({
    url: '/docs/assets/app-1.js',
    headers: { 'accept-encoding': 'gzip' },
  })
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(headers['content-encoding'], 'gzip')
})

test('documentation: an unknown page is the 404 page of the site for browsers, and an error for programs', async () => {
  for (const url of [
    '/docs/nowhere',
    '/docs/guides/nowhere',
    '/docs/..%2f..%2fpackage.json',
    '/docs/.complete',
  ]) {
    const { statusCode, body } = await app.inject({ url, headers: browser })
    assert.equal(statusCode, 404, url)
    assert.match(body, /<title>Not found<\/title>/)
    const program = await app.inject({ url, headers: { accept: '*/*' } })
    assert.deepEqual([program.statusCode, program.json()], [404, { code: 'not_found' }])
  }
  assert.equal((await app.inject('/docs/hashmap.json')).statusCode, 404)
})

test('documentation: programs get the error reference as JSON, with or without the site', async () => {
  for (const service of [app, start({ folder: join(folder, 'none') })]) {
    const { headers, body } = await service.inject({ url: '/docs/errors', headers: { accept: '*/*' } })
    assert.equal(headers.vary, 'accept')
    const { errors } = JSON.parse(body) as { errors: { code: string }[] }
    assert.deepEqual(
      errors.map(({ code }) => code),
      errorCodes,
    )
  }
})
