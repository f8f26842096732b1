import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { html } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import { sendPage, wantsHtml } from '../../edge/page.ts'
import { DASHBOARD_FOLDER } from '../../edge/site-folders.ts'
import { acceptedEncodings, PAGE_HEADERS, readStaticFiles, sendStaticFile } from '../../edge/static-files.ts'
import type { Log } from '../../platform/log.ts'
import { readPageChunks } from './page-chunks.ts'
import { createHomeRenderer } from './rendered-home.ts'

/**
 * Nothing inline and nothing from other hosts. Components position popups through the CSSOM, which `style-src 'self'` allows;
 * strings never become markup or script (`require-trusted-types-for`).
 */
const policyWith = (linkUrl: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The live preview of the Link pages, which may have their own host.
    `frame-src ${linkUrl}/preview/`,
  ].join('; ')

const HTML = 'text/html; charset=utf-8'
const GZIP_LEVEL = 4

/** Serves the built dashboard. Paths without a file are routes of the dashboard itself and return its index. */
export const dashboardPages = (
  app: FastifyInstance,
  { linkUrl, baseUrl, log }: { linkUrl: string; baseUrl: string; log: Log },
  { folder = DASHBOARD_FOLDER } = {},
): void => {
  const policy = policyWith(linkUrl)
  const withPolicy = (reply: FastifyReply): FastifyReply => reply.header('content-security-policy', policy)
  const files = readStaticFiles(folder)
  const linkHeaderOf = readPageChunks(folder)
  const index = files?.get('index.html')
  const renderHome =
    index && createHomeRenderer(app, { baseUrl, log }, { folder, template: index.body.toString() })
  const sendDocument = (request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply => {
    const document = path === 'sign-in' ? files?.get('sign-in.html') : index
    if (!document) return notBuilt(reply)
    const home = renderHome?.(request, path) ?? null
    const link = home ? undefined : linkHeaderOf(path)
    if (link) reply.header('link', link)
    return home
      ? sendHome(request, withPolicy(reply), home)
      : sendStaticFile(request, withPolicy(reply), document)
  }
  app.get('/dashboard', async (request, reply) => sendDocument(request, reply, ''))
  app.get<{ Params: { '*': string } }>('/dashboard/*', async (request, reply) => {
    const path = request.params['*']
    const file = files?.get(path)
    if (file)
      return sendStaticFile(request, withPolicy(reply), file, { isHashed: path.startsWith('assets/') })
    if (path.startsWith('assets/') || !wantsHtml(request)) throw new Refusal('not_found')
    return sendDocument(request, reply, path)
  })
}

/** It contains data of one person, so nothing stores it. Each part is flushed. */
const sendHome = (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  parts: AsyncIterable<string>,
): FastifyReply => {
  reply.headers(PAGE_HEADERS).header('cache-control', 'no-store').header('vary', 'accept-encoding').type(HTML)
  const source = Readable.from(parts, { objectMode: false })
  if (!acceptedEncodings(headers['accept-encoding']).has('gzip')) return reply.send(source)
  const zip = createGzip({ level: GZIP_LEVEL, flush: constants.Z_SYNC_FLUSH })
  // If the browser closes the connection, both streams end.
  pipeline(source, zip, () => undefined)
  return reply.header('content-encoding', 'gzip').send(zip)
}

const notBuilt = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(503), {
    title: 'The dashboard is not built',
    main: html`<h1>The dashboard is not built</h1>
<p class="lead">The API works, but the files of the dashboard are missing. Run this command in the folder of the source code, then restart the service.</p>
<pre><code>npm ci && npm run build</code></pre>`,
  })
