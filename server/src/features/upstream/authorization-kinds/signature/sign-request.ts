import type { SignatureScheme } from '@carabiner/contract'
import { Secret } from '../../../../core/secret.ts'
import { type HmacPart, hmacValues } from '../../../../core/signing/hmac.ts'
import { oauth1Authorization } from '../../../../core/signing/oauth1.ts'
import type { SignableRequest } from '../../../../core/signing/signable-request.ts'
import { wsseUsernameToken } from '../../../../core/signing/wsse.ts'
import type { SigningMoment } from '../../authorization-kind.ts'
import { fillHeaders, fillText, type Values } from '../../templates/template.ts'

type Of<T extends SignatureScheme['type']> = Extract<SignatureScheme, { type: T }>

const DEFAULT_BODY_DIGEST = { algorithm: 'sha256', encoding: 'hex' } as const

/** The headers that sign a request, from the templates of a scheme and the values for them. */
export const signRequest = (
  scheme: SignatureScheme,
  values: Values,
  request: SignableRequest,
  moment: SigningMoment,
): Record<string, string> => {
  switch (scheme.type) {
    case 'hmac':
      return signHmac(scheme, values, request, moment)
    case 'wsse':
      return signWsse(scheme, values, moment)
    case 'oauth1':
      return signOAuth1(scheme, values, request, moment)
  }
}

const signHmac = (
  { parts, secret, headers, ...scheme }: Of<'hmac'>,
  values: Values,
  request: SignableRequest,
  { at, nonce }: SigningMoment,
) => {
  const signed = hmacValues(
    request,
    {
      algorithm: scheme.algorithm,
      parts: parts.map(part => filledPart(part, values)),
      separator: scheme.separator ?? '',
      encoding: scheme.encoding,
      secretEncoding: scheme.secret_encoding ?? 'utf8',
      timestamp: scheme.timestamp ?? 'seconds',
      bodyDigest: scheme.body_digest ?? DEFAULT_BODY_DIGEST,
    },
    { secret: new Secret(filled(secret, values)), nonce, at },
  )
  return fillHeaders(headers, { ...values, ...signed })
}

const signWsse = (
  { username, secret, algorithm = 'sha1', digest_of = 'bytes' }: Of<'wsse'>,
  values: Values,
  { at, nonce }: SigningMoment,
) => {
  const token = wsseUsernameToken({
    username: filled(username, values),
    secret: new Secret(filled(secret, values)),
    nonce,
    at,
    algorithm,
    digestOf: digest_of,
  })
  return { 'x-wsse': token }
}

const signOAuth1 = (
  { method, consumer_key, consumer_secret, token, token_secret, realm }: Of<'oauth1'>,
  values: Values,
  request: SignableRequest,
  { at, nonce }: SigningMoment,
) => {
  const authorization = oauth1Authorization(request, {
    method: { name: method, consumerSecret: new Secret(filled(consumer_secret, values)) },
    consumerKey: filled(consumer_key, values),
    token: { key: filled(token, values), secret: new Secret(filled(token_secret, values)) },
    ...(realm !== undefined && { realm: filled(realm, values) }),
    nonce,
    at,
    parameters: { oauth_version: '1.0' },
  })
  return { authorization }
}

const filledPart = (part: Of<'hmac'>['parts'][number], values: Values): HmacPart =>
  typeof part === 'string'
    ? part
    : part.header === undefined
      ? { text: filled(part.text ?? '', values) }
      : { header: part.header }

const filled = (template: string, values: Values): string => {
  const text = fillText(template, values)
  if (text === null) throw new Error('a value that requests are signed with is missing')
  return text
}
