import { html } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import { sendPage, wantsHtml } from '../../edge/page.ts'
import { DOCUMENTATION_FOLDER } from '../../edge/site-folders.ts'
import { listErrors } from './list-errors.ts'
import { findName, openSite, type Site, sendSiteFile } from './site-files.ts'

/** Serves the built documentation. */
export const documentationPages = (app: FastifyInstance, { folder = DOCUMENTATION_FOLDER } = {}): void => {
  let site: Site | null = null
  const send = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> => {
    site ??= await openSite(folder)
    if (!site) return notBuilt(reply)
    reply.header('content-security-policy', policyOf(site))
    const name = findName(site, path)
    if (name !== null) return sendSiteFile(request, reply, site, name)
    if (!site.names.has(NOT_FOUND) || !wantsHtml(request)) throw new Refusal('not_found')
    return sendSiteFile(request, reply.code(404), site, NOT_FOUND)
  }
  app.get('/docs', async (request, reply) => send(request, reply, ''))
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) =>
    send(request, reply, request.params['*']),
  )
  app.get('/docs/errors', async (request, reply) =>
    wantsHtml(request) ? send(request, reply, 'errors') : listErrors(reply),
  )
}

const NOT_FOUND = '404.html'

/** `data:` images are the icons in the style sheet. */
const policyOf = ({ scriptHashes }: Site): string =>
  [
    "default-src 'none'",
    `script-src ${["'self'", ...scriptHashes].join(' ')}`,
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')

const notBuilt = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(503), {
    title: 'The documentation is not built yet',
    main: html`<h1>The documentation is not built yet</h1>
<p class="lead">After a first <code>npm start</code> it is built while the service already runs: reload this page in a few seconds. Otherwise, run this command in the folder of the source code.</p>
<pre><code>npm ci && npm run build</code></pre>
<p class="lead">The same pages are Markdown files in the folder <code>docs</code>.</p>`,
  })
