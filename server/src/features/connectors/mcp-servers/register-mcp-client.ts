import type { Secret } from '../../../core/secret.ts'
import type { Transaction } from '../../../platform/database/database.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { CLIENT_NAME, chooseRegistration, clientMetadataDocument } from '../../oauth/client-metadata.ts'
import { registerClient } from '../../oauth/client-registration.ts'
import { type DiscoveredServer, discoverAuthorization } from '../../oauth/discovery.ts'
import { DiscoveryError } from '../../oauth/discovery-error.ts'
import { redirectUri } from '../../oauth/oauth-app.ts'
import { type OAuthAppInput, saveOAuthApp } from '../../oauth/oauth-apps.ts'

type Wanted = {
  organizationId: string
  slug: string
  url: string
  /** The connector's id: it names the client in its redirect URI, so that no two authorization servers share one. */
  id: string
  challenge: string | null
  given: { clientId: string; clientSecret: Secret | null } | null
}
export type Agreement =
  | { kind: 'agreed'; server: DiscoveredServer; saveApp: (tx: Transaction) => Promise<void> }
  | { kind: 'refused'; message: string }
  | { kind: 'needs_client'; message: string }

type Deps = { egress: Egress; vault: Vault; baseUrl: string }

/** A client of ours with the server's authorization server: given by hand, by a metadata document, or registered there. */
export const agreeOnOAuth = async (given: Deps, wanted: Wanted): Promise<Agreement> => {
  const deps = { ...given, egress: given.egress.onBehalfOf(wanted.organizationId) }
  try {
    const server = await discoverAuthorization(deps, { serverUrl: wanted.url, challenge: wanted.challenge })
    const client = await obtainClient(deps, server, wanted)
    if (!client) {
      return {
        kind: 'needs_client',
        message: `The authorization server ${server.issuer} registers no clients by itself. Register one there with the redirect URI ${redirectUri(deps.baseUrl, wanted.id)}, and give its client_id and client_secret.`,
      }
    }
    const key = await deps.vault.organizationKey(wanted.organizationId)
    const saveApp = async (tx: Transaction) => {
      await saveOAuthApp(tx, key, wanted.organizationId, client)
    }
    return { kind: 'agreed', server, saveApp }
  } catch (error) {
    if (error instanceof DiscoveryError) return { kind: 'refused', message: error.message }
    throw error
  }
}

const obtainClient = async (
  deps: Deps,
  server: DiscoveredServer,
  { slug, id, given }: Wanted,
): Promise<OAuthAppInput | null> => {
  const base = { slug, context: id, scopes: null }
  if (given) {
    const authentication = given.clientSecret ? 'client_secret_basic' : 'none'
    return { ...base, kind: 'given', ...given, clientAuthentication: authentication }
  }
  switch (chooseRegistration(server, deps.baseUrl)) {
    case 'metadata_document': {
      const { client_id } = clientMetadataDocument({ baseUrl: deps.baseUrl, context: id })
      return {
        ...base,
        kind: 'metadata_document',
        clientId: client_id,
        clientSecret: null,
        clientAuthentication: 'none',
      }
    }
    case 'dynamic': {
      const registered = await registerClient(deps, server, {
        redirectUri: redirectUri(deps.baseUrl, id),
        clientName: CLIENT_NAME,
        clientUri: deps.baseUrl,
      })
      return {
        ...base,
        kind: 'registered',
        clientId: registered.clientId,
        clientSecret: registered.clientSecret,
        clientAuthentication: registered.tokenEndpointAuthMethod,
      }
    }
    case 'needs_client':
      return null
  }
}
