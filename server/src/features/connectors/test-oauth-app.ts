import { type ConnectorFile, type OAuthAppTest, signInMethod } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import { type OAuthApp, redirectUri } from '../oauth/oauth-app.ts'
import type { OAuthApps } from '../oauth/oauth-apps.ts'
import { checkConsumer } from '../oauth/oauth1-protocol.ts'
import { type ClientCheck, checkClient } from '../oauth/protocol.ts'
import { signingMoment } from '../upstream/authorization-kinds/authorization-kinds.ts'
import { oauth1Provider, oauthProvider } from './oauth-provider.ts'

type Deps = { apps: OAuthApps; egress: Egress; baseUrl: string }

/** Checks the client ID and secret that new links would use, as far as the provider allows it without a user. */
export const testOAuthApp = async (
  { apps, egress, baseUrl }: Deps,
  organizationId: string,
  connector: ConnectorFile,
): Promise<OAuthAppTest> => {
  const app = await apps.forLinking(organizationId, connector.slug)
  if (!app) throw new Refusal('oauth_app_not_found')
  const in_use = app.id === connector.slug ? 'service' : 'own'
  const method = signInMethod(connector)
  const endpoint = method?.type === 'oauth1' ? method.request_token_endpoint : method?.token_endpoint
  if (endpoint === undefined || endpoint.includes('{'))
    return {
      outcome: 'unknown',
      message: `${connector.name} has an address for each account, so the app can only be tested by connecting one.`,
      provider_error: null,
      in_use,
    }
  const outbound = { egress: egress.onBehalfOf(organizationId), moment: signingMoment() }
  const found = await checkApp(outbound, connector, app, redirectUri(baseUrl, app.context))
  return {
    outcome: found.kind === 'unavailable' ? 'unknown' : found.kind,
    message: messageFor(connector.name, found),
    provider_error: found.kind === 'unavailable' ? null : found.error,
    in_use,
  }
}

const checkApp = (
  outbound: Parameters<typeof checkConsumer>[0],
  connector: ConnectorFile,
  app: OAuthApp,
  redirect: string,
): Promise<ClientCheck> => {
  const [consumer, client] = [oauth1Provider(connector, app, {}), oauthProvider(connector, app, {})]
  if (consumer) return checkConsumer(outbound, consumer, redirect)
  if (!client) throw new Error(`${connector.slug} has no OAuth app`)
  return checkClient(outbound, client, redirect)
}

const messageFor = (name: string, found: ClientCheck): string => {
  switch (found.kind) {
    case 'accepted':
      return `${name} accepts the client ID and the secret. The redirect URI and the scopes are checked when a user connects.`
    case 'rejected':
      return `${name} rejects the client ID or the secret.`
    case 'unknown':
      return `The answer of ${name} does not show whether it accepts the client. Connect an account to be sure.`
    case 'unavailable':
      return `${name} could not be reached. Try again later.`
  }
}
