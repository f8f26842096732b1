import { createHmac, type KeyObject, sign } from 'node:crypto'
import type { Secret } from '../secret.ts'
import { type EncodedParameter, joinSorted, readParameters } from './encoded-parameters.ts'
import { percentEncode } from './percent-encoding.ts'
import type { SignableRequest } from './signable-request.ts'

/** RFC 5849 §3.4, and HMAC-SHA256, which the RFC does not define but NetSuite and others require. */
export type OAuth1Method =
  | { name: 'HMAC-SHA1' | 'HMAC-SHA256' | 'PLAINTEXT'; consumerSecret: Secret }
  | { name: 'RSA-SHA1'; privateKey: KeyObject }

export type OAuth1Signing = {
  method: OAuth1Method
  consumerKey: string
  token?: { key: string; secret: Secret }
  /** Not part of the signature. */
  realm?: string
  nonce: string
  at: Date
  /** Further protocol parameters: `oauth_version`, `oauth_callback`, `oauth_verifier`. */
  parameters?: Record<string, string>
}

/** RFC 5849 §3.5.1: the value of `Authorization` that signs a request. */
export const oauth1Authorization = (request: SignableRequest, signing: OAuth1Signing): string => {
  const parameters = protocolParameters(signing)
  const signature = signatureOf(oauth1BaseString(request, parameters), signing)
  const realm = signing.realm === undefined ? [] : [['realm', quotable(signing.realm)] as const]
  const written = [...realm, ...Object.entries({ ...parameters, oauth_signature: signature }).map(encodePair)]
  return `OAuth ${written.map(([name, value]) => `${name}="${value}"`).join(', ')}`
}

/** RFC 5849 §3.4.1: the text that is signed. */
export const oauth1BaseString = (request: SignableRequest, parameters: Record<string, string>): string => {
  const { origin, pathname, search } = new URL(request.url)
  const all = [
    ...readParameters(search.slice(1)),
    ...bodyParameters(request),
    ...Object.entries(parameters).map(encodePair),
  ]
  return [request.method.toUpperCase(), origin + pathname, joinSorted(all)].map(percentEncode).join('&')
}

const protocolParameters = (signing: OAuth1Signing): Record<string, string> => ({
  oauth_consumer_key: signing.consumerKey,
  ...(signing.token && { oauth_token: signing.token.key }),
  oauth_signature_method: signing.method.name,
  oauth_timestamp: `${Math.floor(signing.at.getTime() / 1000)}`,
  oauth_nonce: signing.nonce,
  ...signing.parameters,
})

/** RFC 5849 §3.4.1.3.1: only the parameters of a form are signed. Other bodies are not. */
const bodyParameters = ({ headers, body }: SignableRequest): EncodedParameter[] => {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)
  return isForm && body !== null ? readParameters(Buffer.from(body).toString()) : []
}

const signatureOf = (baseString: string, { method, token }: OAuth1Signing): string => {
  if (method.name === 'RSA-SHA1')
    return sign('sha1', Buffer.from(baseString), method.privateKey).toString('base64')
  const secrets = [method.consumerSecret.reveal(), token?.secret.reveal() ?? '']
  const key = secrets.map(percentEncode).join('&')
  if (method.name === 'PLAINTEXT') return key
  const hash = method.name === 'HMAC-SHA1' ? 'sha1' : 'sha256'
  return createHmac(hash, key).update(baseString).digest('base64')
}

const encodePair = ([name, value]: readonly [string, string]): EncodedParameter => [
  percentEncode(name),
  percentEncode(value),
]

/** RFC 9110 §5.6.4. The realm is the only value that is not percent-encoded. */
const quotable = (text: string): string => text.replaceAll(/["\\]/g, '\\$&')
