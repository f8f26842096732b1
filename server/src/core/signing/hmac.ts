import { createHash, createHmac, createSecretKey } from 'node:crypto'
import type { Secret } from '../secret.ts'
import type { SignableRequest } from './signable-request.ts'

export type HmacPart =
  | 'method'
  | 'host'
  | 'path'
  | 'query'
  | 'path_and_query'
  | 'url'
  | 'body'
  | 'body_digest'
  | 'timestamp'
  | 'nonce'
  /** The value of a header of the request. Empty if it has none. */
  | { header: string }
  | { text: string }

export type HmacScheme = {
  algorithm: 'sha1' | 'sha256' | 'sha512'
  /** What is signed, in this order. */
  parts: HmacPart[]
  /** Between the parts. */
  separator: string
  encoding: 'hex' | 'base64' | 'base64url'
  secretEncoding: 'utf8' | 'hex' | 'base64'
  timestamp: 'seconds' | 'milliseconds' | 'iso' | 'http_date'
  bodyDigest: { algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512'; encoding: 'hex' | 'base64' }
}

/** What a request sends beside its signature. */
export type HmacValues = { signature: string; timestamp: string; nonce: string; body_digest: string }

/** Signs parts of a request with a shared secret. There is no standard: each vendor chooses parts and encodings. */
export const hmacValues = (
  request: SignableRequest,
  scheme: HmacScheme,
  { secret, nonce, at }: { secret: Secret; nonce: string; at: Date },
): HmacValues => {
  const { host, pathname, search } = new URL(request.url)
  const timestamp = TIMESTAMPS[scheme.timestamp](at)
  const body = Buffer.from(request.body ?? '')
  const bodyDigest = createHash(scheme.bodyDigest.algorithm).update(body).digest(scheme.bodyDigest.encoding)
  const named = {
    method: request.method,
    host,
    path: pathname,
    query: search.slice(1),
    path_and_query: pathname + search,
    url: request.url,
    body,
    body_digest: bodyDigest,
    timestamp,
    nonce,
  }
  const hmac = createHmac(scheme.algorithm, createSecretKey(secret.reveal(), scheme.secretEncoding))
  for (const [index, part] of scheme.parts.entries()) {
    if (index > 0) hmac.update(scheme.separator)
    hmac.update(typeof part === 'string' ? named[part] : valueOf(part, request))
  }
  return { signature: hmac.digest(scheme.encoding), timestamp, nonce, body_digest: bodyDigest }
}

const TIMESTAMPS: Record<HmacScheme['timestamp'], (at: Date) => string> = {
  seconds: at => `${Math.floor(at.getTime() / 1000)}`,
  milliseconds: at => `${at.getTime()}`,
  iso: at => at.toISOString(),
  http_date: at => at.toUTCString(),
}

const valueOf = (part: Exclude<HmacPart, string>, { headers }: SignableRequest): string => {
  if ('text' in part) return part.text
  const wanted = part.header.toLowerCase()
  return (
    Object.entries(headers)
      .find(([name]) => name.toLowerCase() === wanted)?.[1]
      .trim() ?? ''
  )
}
