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

type ClientRequest = {
  organizationId: string
  slug: string
  url: string
  /** The connector's ID. It is part of the redirect URI, so that no two authorization servers share one. */
  id: string
  challenge: string | null
  given: { clientId: string; clientSecret: Secret | null } | null
}
export type OAuthClientSetup =
  | { kind: 'agreed'; server: DiscoveredServer; saveApp: (tx: Transaction) => Promise<void> }
  | { kind: 'refused'; message: string }
  | { kind: 'needs_client'; message: string }

type Deps = { egress: Egress; vault: Vault; baseUrl: string }

/**
 * Obtains an OAuth client for the authorization server: given by the organization, by a metadata document, or by
 * registration.
 */
export const setUpOAuthClient = async (
  given: Deps,
  clientRequest: ClientRequest,
): Promise<OAuthClientSetup> => {
  const deps = { ...given, egress: given.egress.onBehalfOf(clientRequest.organizationId) }
  try {
    const server = await discoverAuthorization(deps, {
      serverUrl: clientRequest.url,
      challenge: clientRequest.challenge,
    })
    const client = await obtainClient(deps, server, clientRequest)
    if (!client) {
      return {
        kind: 'needs_client',
        message: `The authorization server ${server.issuer} does not support client registration. Register a client there with the redirect URI ${redirectUri(deps.baseUrl, clientRequest.id)}, and provide its client_id and client_secret.`,
      }
    }
    const key = await deps.vault.organizationKey(clientRequest.organizationId)
    const saveApp = async (tx: Transaction) => {
      await saveOAuthApp(tx, key, clientRequest.organizationId, client)
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
  { slug, id, given }: ClientRequest,
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
