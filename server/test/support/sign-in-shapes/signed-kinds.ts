import type { OAuth1Method, SignatureMethod } from '@carabiner/contract'
import { SCHEMES } from '../signature-vendor.ts'

/** Addresses and parameters from the providers' documentation. */
const oauth1 = (
  requestToken: string,
  authorization: string,
  accessToken: string,
  parameters?: Record<string, string>,
): OAuth1Method => ({
  type: 'oauth1',
  request_token_endpoint: requestToken,
  authorization_endpoint: authorization,
  access_token_endpoint: accessToken,
  ...(parameters && { extra_authorization_parameters: parameters }),
})

/** Providers whose users sign in with OAuth 1.0a. */
export const OAUTH1: Record<string, OAuth1Method> = {
  garmin: oauth1(
    'https://connectapi.garmin.com/oauth-service/oauth/request_token',
    'https://connect.garmin.com/oauthConfirm',
    'https://connectapi.garmin.com/oauth-service/oauth/access_token',
    { oauth_callback: '{callback}' },
  ),
  smugmug: oauth1(
    'https://api.smugmug.com/services/oauth/1.0a/getRequestToken',
    'https://api.smugmug.com/services/oauth/1.0a/authorize',
    'https://api.smugmug.com/services/oauth/1.0a/getAccessToken',
    { Access: 'Full', Permissions: 'Modify' },
  ),
  trello: oauth1(
    'https://trello.com/1/OAuthGetRequestToken',
    'https://trello.com/1/OAuthAuthorizeToken',
    'https://trello.com/1/OAuthGetAccessToken',
    { name: 'Carabiner', expiration: 'never', scope: 'read,write' },
  ),
  twitter: oauth1(
    'https://api.twitter.com/oauth/request_token',
    'https://api.twitter.com/oauth/authorize',
    'https://api.twitter.com/oauth/access_token',
  ),
}

/** Providers whose requests are signed with entered secrets, and the stand-in that verifies them. */
export const SIGNED: Record<string, { method: SignatureMethod; standIn: keyof typeof SCHEMES }> = {
  emarsys: { method: SCHEMES.wsse.method, standIn: 'wsse' },
  // The realm is written as 1234567_SB1, and the host of the same account as 1234567-sb1.
  'netsuite-tba': { method: SCHEMES.oauth1.method, standIn: 'oauth1' },
}
