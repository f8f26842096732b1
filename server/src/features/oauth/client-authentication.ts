import type { OAuthMethod } from '@carabiner/contract'
import * as oauth from 'oauth4webapi'
import type { OAuthApp } from './oauth-app.ts'

type Client = { method: Pick<OAuthMethod, 'client_authentication'>; app: OAuthApp }

export const clientAuthentication = ({ method, app }: Client): oauth.ClientAuth => {
  const how = app.clientAuthentication ?? method.client_authentication
  if (how === 'none' || !app.clientSecret) return oauth.None()
  const secret = app.clientSecret.reveal()
  return how === 'client_secret_post' ? oauth.ClientSecretPost(secret) : clientSecretBasic(secret)
}

/** RFC 6749 §2.3.1: client and secret, each form-encoded, as HTTP Basic. */
const clientSecretBasic =
  (secret: string): oauth.ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    const pair = `${formEncode(client_id)}:${formEncode(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`)
  }

/**
 * Only what must be encoded is: third parties that never decode are many (Slack's ids have a dot, Notion's have dashes), and
 * those that do decode read both spellings alike.
 */
const formEncode = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+')
