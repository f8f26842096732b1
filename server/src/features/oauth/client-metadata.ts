import type { DiscoveredServer } from './discovery.ts'
import { redirectUri } from './oauth-app.ts'

/** OAuth Client ID Metadata Document: the client ID is the URL of this document. */
export type ClientMetadataDocument = {
  client_id: string
  client_name: string
  client_uri: string
  redirect_uris: string[]
  grant_types: string[]
  response_types: string[]
  token_endpoint_auth_method: 'none'
}

export const CLIENT_NAME = 'Carabiner'

export const clientMetadataUrl = (baseUrl: string, context: string): string =>
  `${baseUrl}/oauth/clients/${context}`

/** One document per connector, so that each authorization server gets its own redirect URI. */
export const clientMetadataDocument = ({
  baseUrl,
  context,
  clientName = CLIENT_NAME,
}: {
  baseUrl: string
  context: string
  clientName?: string
}): ClientMetadataDocument => ({
  client_id: clientMetadataUrl(baseUrl, context),
  client_name: clientName,
  client_uri: baseUrl,
  redirect_uris: [redirectUri(baseUrl, context)],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
})

export type Registration = 'metadata_document' | 'dynamic' | 'needs_client'

/**
 * Chooses in the order that MCP specifies. A metadata document requires https, because the authorization server must be
 * able to fetch it.
 */
export const chooseRegistration = (
  discovered: Pick<DiscoveredServer, 'client_id_metadata_document_supported' | 'registration_endpoint'>,
  baseUrl: string,
): Registration => {
  if (discovered.client_id_metadata_document_supported && new URL(baseUrl).protocol === 'https:')
    return 'metadata_document'
  return discovered.registration_endpoint ? 'dynamic' : 'needs_client'
}
