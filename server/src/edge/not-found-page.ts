import { html } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from './page.ts'

/** Shown to browsers for a path that does not exist. */
export const notFoundPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(404), {
    title: 'Page not found · Carabiner',
    main: html`<h1>Page not found</h1>
<p class="lead">There is no resource at this URL. Check the address for typos, or ask for a new link if you followed one.</p>
<section class="card"><ul class="links"><li><a href="/">Go to the start page</a></ul></section>
<p class="lead">Reference: <code>${request.id}</code></p>`,
  })
