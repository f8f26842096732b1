import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { html } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import { sendPage, wantsHtml } from '../../edge/page.ts'
import { readStaticFiles, type StaticFile, sendStaticFile } from '../../edge/static-files.ts'
import { listErrors } from './list-errors.ts'

/** Written by `npm run build --workspace docs`. */
const BUILD_FOLDER = join(import.meta.dirname, '../../../../docs/.vitepress/dist')

type Site = { files: Map<string, StaticFile>; policy: string }

/**
 * Serves the built documentation. It is read from disk with the first request, because most processes never get one.
 */
export const documentationPages = (app: FastifyInstance, { folder = BUILD_FOLDER } = {}): void => {
  let site: Site | null = null
  const send = (request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply => {
    site ??= readSite(folder)
    if (!site) return notBuilt(reply)
    const { files, policy } = site
    const file = findFile(files, path)
    reply.header('content-security-policy', path === API_REFERENCE ? API_REFERENCE_POLICY : policy)
    if (file) return sendStaticFile(request, reply, file, { isHashed: path.startsWith('assets/') })
    const missing = files.get('404.html')
    if (!missing || !wantsHtml(request)) throw new Refusal('not_found')
    return sendStaticFile(request, reply.code(404), missing)
  }
  app.get('/docs', async (request, reply) => send(request, reply, ''))
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) =>
    send(request, reply, request.params['*']),
  )
  app.get('/docs/errors', async (request, reply) =>
    wantsHtml(request) ? send(request, reply, 'errors') : listErrors(reply),
  )
}

/** The page with the API reference. Its scripts set styles, which the policy of the other pages rejects. */
const API_REFERENCE = 'api'

const findFile = (files: Site['files'], path: string): StaticFile | undefined => {
  const name = path.replace(/\/$/, '')
  return (
    files.get(name) ??
    files.get(`${name}.html`) ??
    files.get(name === '' ? 'index.html' : `${name}/index.html`)
  )
}

const readSite = (folder: string): Site | null => {
  // Written last: the service may run while the site is being built.
  const files = existsSync(join(folder, '.complete')) ? readStaticFiles(folder) : null
  if (!files) return null
  const hashes = new Set([...files.values()].flatMap(inlineScriptHashes))
  return {
    files,
    policy: makePolicy({ scripts: ["'self'", ...hashes], styles: ["'self'"], trustedTypes: true }),
  }
}

/** Scripts without an address, such as the one that sets the theme before the first paint. */
const inlineScriptHashes = ({ type, body }: StaticFile): string[] =>
  type.startsWith('text/html')
    ? [...body.toString().matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)].map(
        ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
      )
    : []

/** `data:` images are the icons in the style sheet. */
const makePolicy = ({
  scripts,
  styles,
  trustedTypes,
}: {
  scripts: string[]
  styles: string[]
  trustedTypes: boolean
}): string =>
  [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    `style-src ${styles.join(' ')}`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(trustedTypes ? ["require-trusted-types-for 'script'"] : []),
  ].join('; ')

const API_REFERENCE_POLICY = makePolicy({
  scripts: ["'self'"],
  styles: ["'self'", "'unsafe-inline'"],
  trustedTypes: false,
})

const notBuilt = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(503), {
    title: 'The documentation is not built yet',
    main: html`<h1>The documentation is not built yet</h1>
<p class="lead">After a first <code>npm start</code> it is built while the service already runs: reload this page in a few seconds. Otherwise, run this command in the folder of the source code.</p>
<pre><code>npm ci && npm run build --workspace docs</code></pre>
<p class="lead">The same pages are Markdown files in the folder <code>docs</code>.</p>`,
  })
