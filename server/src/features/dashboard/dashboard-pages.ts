import { html } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import { sendPage, wantsHtml } from '../../edge/page.ts'
import { DASHBOARD_FOLDER } from '../../edge/site-folders.ts'
import { readStaticFiles, sendStaticFile } from '../../edge/static-files.ts'
import { readPageChunks } from './page-chunks.ts'

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
    // `data:` for a logo that was chosen and not saved yet.
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The live preview of the Link pages, which may have their own host.
    `frame-src ${linkUrl}/preview/`,
  ].join('; ')

/** Serves the built dashboard. Paths without a file are routes of the dashboard itself and return its index. */
export const dashboardPages = (
  app: FastifyInstance,
  { linkUrl }: { linkUrl: string },
  { folder = DASHBOARD_FOLDER } = {},
): void => {
  const policy = policyWith(linkUrl)
  const withPolicy = (reply: FastifyReply): FastifyReply => reply.header('content-security-policy', policy)
  const files = readStaticFiles(folder)
  const linkHeaderOf = readPageChunks(folder)
  const sendDocument = (request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply => {
    const document = files?.get(path === 'sign-in' ? 'sign-in.html' : 'index.html')
    if (!document) return notBuilt(reply)
    const link = linkHeaderOf(path)
    if (link) reply.header('link', link)
    return sendStaticFile(request, withPolicy(reply), document)
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

const notBuilt = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(503), {
    title: 'The dashboard is not built',
    main: html`<h1>The dashboard is not built</h1>
<p class="lead">The API works, but the files of the dashboard are missing. Run this command in the folder of the source code, then restart the service.</p>
<pre><code>npm ci && npm run build</code></pre>`,
  })
