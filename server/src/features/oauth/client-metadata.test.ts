import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseRegistration, clientMetadataDocument } from './client-metadata.ts'

test('client metadata: the client ID is the document’s URL, with one redirect URI', () => {
  const document = clientMetadataDocument({ baseUrl: 'https://link.example', context: 'custom-1' })
  assert.deepEqual(document, {
    client_id: 'https://link.example/oauth/clients/custom-1',
    client_name: 'Carabiner',
    client_uri: 'https://link.example',
    redirect_uris: ['https://link.example/oauth/callback/custom-1'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
})

test('chooseRegistration: metadata document over https, else dynamic, else needs_client', () => {
  const registration_endpoint = 'https://as.example/register'
  const table: [supported: boolean, registers: boolean, baseUrl: string, chosen: string][] = [
    [true, true, 'https://link.example', 'metadata_document'],
    [true, false, 'https://link.example', 'metadata_document'],
    [true, true, 'http://localhost:3000', 'dynamic'],
    [true, false, 'http://localhost:3000', 'needs_client'],
    [false, true, 'https://link.example', 'dynamic'],
    [false, false, 'https://link.example', 'needs_client'],
  ]
  for (const [supported, registers, baseUrl, chosen] of table)
    assert.equal(
      chooseRegistration(
        { client_id_metadata_document_supported: supported, ...(registers && { registration_endpoint }) },
        baseUrl,
      ),
      chosen,
    )
})
