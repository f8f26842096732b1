import { html } from '@remix-run/html-template'
import type { FastifyReply } from 'fastify'
import { sendPage } from '../../../edge/page.ts'

/** Shown to a person who opens the address of the endpoint in a browser instead of adding it to a client. */
export const addressPage = (reply: FastifyReply, address: string): FastifyReply =>
  sendPage(reply.code(401), {
    title: 'Address for MCP clients · Carabiner',
    main: html`<h1>This address is for an MCP client</h1>
<p class="lead">Add it to Claude, ChatGPT, Cursor, VS Code or another client that supports remote MCP servers. The client then opens a page where you sign in.</p>
<section class="card"><h2>Address</h2><pre><code>${address}</code></pre>
<ul class="links"><li><a href="/docs/guides/sign-in#connect-clients">How to add it to your client</a></ul></section>`,
  })
