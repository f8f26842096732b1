import { html, type SafeHtml } from '@remix-run/html-template'
import { type Account, accountIds, accounts } from '../accounts.ts'
import type { VaultKey, VaultKeysByAccount } from '../vault/vault-keys.ts'
import { face, layout, who } from './layout.ts'

export function vaultKeysPage(keys: VaultKeysByAccount): SafeHtml {
  return layout({
    company: 'Vault',
    title: 'Your API keys – Vault',
    body: html`<h1>Your API keys</h1>
<p class="lead">A key lets another app read your Vault. Click a key to select all of it, then copy.</p>
<ul class="keys">
${accountIds.map(id => keyCard(accounts[id], keys[id]))}
</ul>`,
  })
}

function keyCard(account: Account, { key, revoked }: VaultKey): SafeHtml {
  const button = revoked
    ? html`<button class="link" name="action" value="renew">New key</button>`
    : html`<button class="link" name="action" value="revoke">Revoke</button>`
  return html`<li>
<div class="holder">${face(account)}${who(account)}<span class="status ${revoked ? 'gone' : 'live'}">${revoked ? 'Revoked' : 'Active'}</span></div>
<code class="key ${revoked ? 'gone' : ''}" id="key-${account.id}">${key}</code>
<form method="post"><input type="hidden" name="account" value="${account.id}"><span class="hint">Workspace ${account.workspace}</span>${button}</form>
</li>
`
}
