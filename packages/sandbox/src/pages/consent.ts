import { html, type SafeHtml } from '@remix-run/html-template'
import type { Account } from '../accounts.ts'
import { declinableScopes, type Scope } from '../oauth/scopes.ts'
import { check } from './icons.ts'
import { face, layout, type RequestingClient, who } from './layout.ts'

/** Descriptions of scopes. `openid` is omitted, because the account is shown above. */
const scopeDescriptions: Partial<Record<Scope, { can: string; meaning: string }>> = {
  profile: { can: 'See your name', meaning: 'As in your Notes profile' },
  email: { can: 'See your email address', meaning: 'To know which account this is' },
  'notes:read': { can: 'Read your notes', meaning: 'Titles and text of every note' },
  'notes:write': { can: 'Create notes', meaning: 'Never edits or deletes yours' },
  'tasks:read': { can: 'See your tasks', meaning: 'Titles, and whether they are done' },
  'tasks:write': { can: 'Add tasks', meaning: 'Never edits or deletes yours' },
  offline_access: { can: 'Stay connected', meaning: 'Also when you are not using it' },
}

type ConsentView = { client: RequestingClient; account: Account; scopes: Scope[] }

export function consentPage({ client, account, scopes }: ConsentView): SafeHtml {
  return layout({
    company: 'Notes',
    title: `Allow ${client.name}? – Notes`,
    // Cancel has its own form: Enter activates the first button of a form, which must be Allow.
    body: html`<h1>Allow ${client.name} to use your Notes account?</h1>
<p class="lead">Only say yes if you started this and trust ${client.name}.</p>
<div class="signed">${face(account)}${who(account)}<button class="link" form="switch" name="decision" value="switch">Use another account</button></div>
<form method="post">
<fieldset>
<legend>${client.name} will be able to</legend>
<ul class="powers">
${scopes.map(power)}
</ul>
</fieldset>
<p class="fine">You will go back to <b>${client.returnsTo}</b>. Your password stays with Notes.</p>
<div class="choices">
<button class="act main" name="decision" value="allow">Allow</button>
<button class="act plain" name="decision" value="deny">Don’t allow</button>
</div>
</form>
<form method="post" id="switch"></form>`,
  })
}

function power(scope: Scope): SafeHtml | null {
  const description = scopeDescriptions[scope]
  if (!description) return null
  const text = html`<span class="grow">${description.can}<small>${description.meaning}</small></span>`
  if (!declinableScopes.includes(scope))
    return html`<li><div class="power">${check}${text}</div></li>
`
  return html`<li><label class="power"><input type="checkbox" name="scope" value="${scope}" checked>${text}<span class="optional">Optional</span></label></li>
`
}
