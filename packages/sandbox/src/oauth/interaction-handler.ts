import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Interaction, Provider } from 'oidc-provider'
import { accounts, isAccountId } from '../accounts.ts'
import { HttpError } from '../http/http-error.ts'
import { readForm } from '../http/read-body.ts'
import { seeOther, sendPage } from '../http/send.ts'
import { consentPage } from '../pages/consent.ts'
import { loginPage } from '../pages/login.ts'
import { problemPage } from '../pages/problem.ts'
import { declinableScopes, parseScopes } from './scopes.ts'

/** The sign-in and consent pages. The OAuth server decides which one is shown. */
export async function handleInteraction(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const interaction = await provider.interactionDetails(req, res).catch(() => undefined)
  if (!interaction) {
    const lead = 'This sign-in has ended. Your decision is unchanged.'
    return sendPage(res, 400, problemPage({ code: 'interaction_not_found', lead }))
  }
  if (req.method === 'POST') return decide(provider, interaction, req, res)
  sendPage(res, 200, await render(provider, interaction))
}

async function render(provider: Provider, { prompt, params, session }: Interaction) {
  const client = await provider.Client.find(String(params.client_id))
  const requester = {
    name: client?.clientName ?? String(params.client_id),
    returnsTo: new URL(String(params.redirect_uri)).host,
  }
  const account = session && isAccountId(session.accountId) ? accounts[session.accountId] : undefined
  if (prompt.name === 'consent' && account) {
    return consentPage({ client: requester, account, scopes: parseScopes(params.scope) })
  }
  return loginPage({ client: requester })
}

async function decide(
  provider: Provider,
  interaction: Interaction,
  req: IncomingMessage,
  res: ServerResponse,
) {
  const form = await readForm(req)
  const decision = form.get('decision')
  if (decision === 'deny') return deny(provider, req, res)
  if (interaction.prompt.name === 'login') {
    const accountId = form.get('account')
    if (!isAccountId(accountId)) throw new HttpError(400, 'invalid_request', 'Unknown account.')
    const login = { login: { accountId } }
    return provider.interactionFinished(req, res, login, { mergeWithLastSubmission: false })
  }
  if (decision === 'switch') return switchAccount(provider, interaction, res)
  if (decision === 'allow') return allow(provider, interaction, form, req, res)
  throw new HttpError(400, 'invalid_request', 'Unknown decision.')
}

async function allow(
  provider: Provider,
  { params, session }: Interaction,
  form: URLSearchParams,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const requested = parseScopes(params.scope)
  const kept = requested.filter(
    scope => !declinableScopes.includes(scope) || form.getAll('scope').includes(scope),
  )
  if (!session || kept.length === 0) return deny(provider, req, res)

  const grant = new provider.Grant({ accountId: session.accountId, clientId: String(params.client_id) })
  grant.addOIDCScope(kept.join(' '))
  const withheld = requested.filter(scope => !kept.includes(scope))
  if (withheld.length > 0) grant.rejectOIDCScope(withheld.join(' '))
  await provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } })
}

function deny(provider: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const refusal = { error: 'access_denied', error_description: 'The user denied access' }
  return provider.interactionFinished(req, res, refusal, { mergeWithLastSubmission: false })
}

/** Signs the browser out and repeats the request, which then starts with the sign-in. */
async function switchAccount(
  provider: Provider,
  interaction: Interaction,
  res: ServerResponse,
): Promise<void> {
  const session = interaction.session && (await provider.Session.findByUid(interaction.session.uid))
  await session?.destroy()
  await interaction.destroy()
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(interaction.params)) {
    if (typeof value === 'string') query.set(name, value)
  }
  seeOther(res, `${provider.pathFor('authorization')}?${query.toString()}`)
}
