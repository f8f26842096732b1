import { Type } from 'typebox'
import { OAuthAppPut, OAuthAppState, OAuthAppTest } from '../connector-resources.ts'
import { ConnectorPath } from './connectors.ts'
import { declareOperations } from './operation.ts'

export const oauthAppOperations = declareOperations('OAuth apps', {
  getOAuthApp: {
    route: 'GET /connectors/{slug}/oauth-app',
    client: 'connectors.oauthApp.get',
    summary: 'Retrieve an OAuth app',
    description:
      'Returns the OAuth app that the connector uses, and the redirect URI to register at the provider.',
    params: ConnectorPath,
    responses: { 200: OAuthAppState },
    errors: ['connector_not_found', 'oauth_app_not_applicable'],
    productionKeyOnly: true,
  },
  replaceOAuthApp: {
    route: 'PUT /connectors/{slug}/oauth-app',
    group: 'settings',
    client: 'connectors.oauthApp.put',
    summary: 'Set an OAuth app',
    description:
      'Makes the connector use your own OAuth app for new links. To replace the secret, send the same client_id with a new client_secret; the next refresh uses it. With a new client_id, existing credentials stay unchanged until they are linked again.',
    params: ConnectorPath,
    body: OAuthAppPut,
    responses: { 200: OAuthAppState },
    errors: ['connector_not_found', 'oauth_app_not_applicable'],
    productionKeyOnly: true,
    audit: { action: 'oauth_app.saved', target: 'params.slug', values: ['in_use', 'client_id'] },
  },
  deleteOAuthApp: {
    route: 'DELETE /connectors/{slug}/oauth-app',
    group: 'settings',
    client: 'connectors.oauthApp.remove',
    summary: 'Delete an OAuth app',
    description:
      'New links use the service’s app, if there is one. Credentials linked with your app can no longer be refreshed: they become needs_reauth, each with an event.',
    params: ConnectorPath,
    responses: { 204: Type.Null() },
    errors: ['connector_not_found', 'oauth_app_not_applicable', 'oauth_app_not_found'],
    productionKeyOnly: true,
    audit: { action: 'oauth_app.removed', target: 'params.slug' },
  },
  testOAuthApp: {
    route: 'POST /connectors/{slug}/oauth-app/test',
    group: 'settings',
    client: 'connectors.oauthApp.test',
    summary: 'Test an OAuth app',
    description:
      'Presents an invalid code to the provider’s token endpoint. The error shows whether it accepts the client ID and the secret. Changes nothing.',
    params: ConnectorPath,
    responses: { 200: OAuthAppTest },
    errors: ['connector_not_found', 'oauth_app_not_applicable', 'oauth_app_not_found'],
    productionKeyOnly: true,
    audit: false,
    idempotency: false,
  },
})
