import { describeError, errorCodes } from '@carabiner/contract'
import { html } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendPage, wantsHtml } from './page.ts'

/** The page that `documentation_url` of every error links to. Programs get the same table as JSON. */
export const errorReference = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
  const errors = errorCodes.map(code => ({ code, ...describeError(code) }))
  if (!wantsHtml(request))
    return reply.header('vary', 'accept').send({
      errors: errors.map(({ code, status, type, text }) => ({ code, status, type, message: text })),
    })
  return sendPage(reply, {
    title: 'Errors · Carabiner',
    main: html`<h1>Errors</h1>
<p class="lead">Every error has a stable <code>code</code>. Include its request ID when you ask about one.</p>
<section class="card"><dl class="codes">
${errors.map(
  ({ code, status, type, carrier, text }) =>
    html`<dt id="${code}"><code>${code}</code><span>${carrier === 'tool' ? 'tool result' : status} · ${type}</span></dt><dd>${text}</dd>\n`,
)}
</dl></section>`,
  })
}

/** Shown to browsers for a path that does not exist. */
export const notFoundPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(404), {
    title: 'Page not found · Carabiner',
    main: html`<h1>Page not found</h1>
<p class="lead">There is no resource at this URL. Check it for typing errors, or ask for a new link if you followed one.</p>
<section class="card"><ul class="links"><li><a href="/">Go to the start page</a></ul></section>
<p class="lead">Reference: <code>${request.id}</code></p>`,
  })
