import type { OAuthMethod } from '@carabiner/contract'
import * as oauth from 'oauth4webapi'
import { clientSecretBasic } from './client-secret-basic.ts'
import type { OAuthApp } from './oauth-app.ts'

type Client = { method: Pick<OAuthMethod, 'client_authentication'>; app: OAuthApp }

export const clientAuthentication = ({ method, app }: Client): oauth.ClientAuth => {
  const authMethod = app.clientAuthentication ?? method.client_authentication
  if (authMethod === 'none' || !app.clientSecret) return oauth.None()
  const secret = app.clientSecret.reveal()
  return authMethod === 'client_secret_post' ? oauth.ClientSecretPost(secret) : clientSecretBasic(secret)
}
