import { isLoopbackHost } from '@carabiner/contract/loopback'
import { MINUTE, SECOND } from '../../../core/duration.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import { type OAuthClient, readClientMetadata } from './oauth-client.ts'

const TIMEOUT_MS = 5 * SECOND
/** OAuth Client ID Metadata Document §6.6 recommends 5 kB. */
const MAX_BYTES = 16 * 1024
const MAX_URL_LENGTH = 1000
const MAX_AGE_MS = MINUTE

/**
 * OAuth Client ID Metadata Document §3: an https URL with a path, without fragment, user and dot segments. http on loopback is for
 * development; the egress rejects it in production.
 */
export const isClientDocumentUrl = (id: string): boolean => {
  const url =
    id.length <= MAX_URL_LENGTH && /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(id) ? URL.parse(id) : null
  return (
    url !== null &&
    (url.protocol === 'https:' || isLoopbackHost(url.hostname)) &&
    url.href === id &&
    url.pathname !== '/' &&
    !id.includes('#') &&
    url.username === '' &&
    url.password === ''
  )
}

/** `maxAgeMs`: for how long the document may be cached. */
export type ReadClient = { client: OAuthClient; maxAgeMs: number }

/** Null if the response does not describe this client. Throws if there is no response. */
export const fetchClientDocument = async (egress: Egress, id: string): Promise<ReadClient | null> => {
  const { status, headers, body } = await egress.request({
    url: id,
    method: 'GET',
    headers: { accept: 'application/json' },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  const document = status === 200 ? parseObject(body) : null
  // §4.1: the document must contain its own URL, otherwise a document of another client could be served here.
  if (!document || document.client_id !== id) return null
  // §4.1: a public document cannot contain a shared secret.
  if (String(document.token_endpoint_auth_method).startsWith('client_secret_')) return null
  const metadata = readClientMetadata(document)
  return metadata && { client: { id, ...metadata }, maxAgeMs: maxAgeOf(headers['cache-control'] ?? '') }
}

/** §5.2 allows own bounds for the time that HTTP allows. */
const maxAgeOf = (cacheControl: string): number => {
  if (/\b(no-store|no-cache)\b/i.test(cacheControl)) return 0
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1]
  return seconds === undefined ? MAX_AGE_MS : Math.min(Number(seconds) * SECOND, MAX_AGE_MS)
}

const parseObject = (body: Buffer): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
