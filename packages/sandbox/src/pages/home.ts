import { html, type SafeHtml } from '@remix-run/html-template'
import { layout } from './layout.ts'

/** The page at the root, which explains the sandbox. */
export function homePage(): SafeHtml {
  return layout({
    company: 'Notes',
    title: 'Sandbox – Notes and Vault',
    body: html`<h1>Two companies that do not exist</h1>
<p class="lead">Notes is linked with OAuth, Vault with an API key. Open a magic link to connect one of them.</p>
<p class="fine"><a href="/vault/keys">API keys of Vault</a></p>`,
  })
}
