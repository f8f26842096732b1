import { html, type SafeHtml } from '@remix-run/html-template'

/** The demo data shown on the start page. It contains no secrets. */
export type DemoFacts = {
  organizationName: string
  registeredUserName: string
  toolPackId: string
  mcpUrl: string
}

export const developmentView = (demo: DemoFacts, sandboxUrl: string | undefined): SafeHtml => html`
<h1>Account linking for AI agents</h1>
<p class="lead">The service is running with a demo: the organization ${demo.organizationName}, its user ${demo.registeredUserName}, and a sandbox provider to link with. Nothing here leaves this machine.</p>
<section class="card">
<h2>1. Link an account</h2>
<p>Creates a magic link for ${demo.registeredUserName} and opens it. Choose Notes, sign in to the sandbox as Ana, and allow access.</p>
<form method="post" action="/demo/link"><button>Open a magic link</button></form>
</section>
<section class="card">
<h2>2. Call its tools</h2>
<p>Point any MCP client at this URL and send the test key, printed by <code>npm start</code>, as a bearer token.</p>
<pre><code>${demo.mcpUrl}</code></pre>
<dl class="facts"><dt>Tool Pack</dt><dd><code>${demo.toolPackId}</code></dd>${
  sandboxUrl === undefined ? null : html`<dt>Sandbox</dt><dd><a href="${sandboxUrl}">${sandboxUrl}</a></dd>`
}</dl>
</section>
${references('3. Read on')}`

export const productionView = (): SafeHtml => html`
<h1>Account linking for AI agents</h1>
<p class="lead">This address serves an account-linking API. If a link brought you here, ask the application that sent it for a new one.</p>
${references('For developers')}`

const references = (title: string): SafeHtml => html`<section class="card">
<h2>${title}</h2>
<ul class="links">
<li><a href="/api/v1/openapi.json">API document</a><small>OpenAPI 3.1, for reference and generated clients</small>
<li><a href="/docs/errors">Errors</a><small>Every error code and what it means</small>
</ul>
<p>Guides are in the <code>docs</code> folder of the source code, beginning with <code>README.md</code>.</p>
</section>`
