import { SECOND } from '../../../core/duration.ts'
import { LOOPBACK_HOSTS } from '../../../core/loopback.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import { type OAuthClient, readClientMetadata } from './oauth-client.ts'

const TIMEOUT_MS = 5 * SECOND
/** OAuth Client ID Metadata Document §6.6 recommends 5 kB. */
const MAX_BYTES = 16 * 1024
const MAX_URL_LENGTH = 1000

/**
 * OAuth Client ID Metadata Document §3: an https URL with a path, without fragment, user and dot segments. http on loopback is for
 * development; the egress rejects it in production.
 */
export const isClientDocumentUrl = (id: string): boolean => {
  const url =
    id.length <= MAX_URL_LENGTH && /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(id) ? URL.parse(id) : null
  return (
    url !== null &&
    (url.protocol === 'https:' || LOOPBACK_HOSTS.has(url.hostname)) &&
    url.href === id &&
    url.pathname !== '/' &&
    !id.includes('#') &&
    url.username === '' &&
    url.password === ''
  )
}

/** Reads the document for each request, without a cache. Null if it cannot be read, or does not describe this client. */
export const fetchClientDocument = async (egress: Egress, id: string): Promise<OAuthClient | null> => {
  const answer = await egress
    .request({
      url: id,
      method: 'GET',
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    })
    .catch(() => null)
  const document = answer?.status === 200 ? parseObject(answer.body) : null
  // §4.1: the document must contain its own URL, otherwise a document of another client could be served here.
  if (!document || document.client_id !== id) return null
  // §4.1: a public document cannot contain a shared secret.
  if (String(document.token_endpoint_auth_method).startsWith('client_secret_')) return null
  const metadata = readClientMetadata(document)
  return metadata && { id, ...metadata }
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
