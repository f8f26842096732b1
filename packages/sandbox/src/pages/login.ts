import { html, type SafeHtml } from '@remix-run/html-template'
import { type Account, accountIds, accounts } from '../accounts.ts'
import { chevron } from './icons.ts'
import { face, layout, type RequestingClient, who } from './layout.ts'

export function loginPage({ client }: { client: RequestingClient }): SafeHtml {
  return layout({
    company: 'Notes',
    title: 'Sign in to Notes',
    body: html`<h1>Sign in to Notes</h1>
<p class="lead">Choose an account to continue to <b>${client.name}</b>.</p>
<form method="post">
<div class="people">
${accountIds.map(id => accountButton(accounts[id]))}
</div>
<p class="back"><button class="link" name="decision" value="deny">Cancel and go back to ${client.name}</button></p>
</form>`,
  })
}

function accountButton(account: Account): SafeHtml {
  return html`<button class="person" name="account" value="${account.id}">${face(account)}${who(account)}${chevron}</button>
`
}
