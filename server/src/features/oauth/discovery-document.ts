import { SECOND } from '../../core/duration.ts'
import { type Egress, EgressError } from '../../platform/egress/egress.ts'
import { DiscoveryError } from './discovery-error.ts'

const DOCUMENT_TIMEOUT_MS = 5 * SECOND
const MAX_DOCUMENT_BYTES = 256 * 1024
const MAX_ADDRESS_LENGTH = 2048

/** The context of one discovery; all its requests share one deadline. */
export type DiscoveryContext = { egress: Egress; signal: AbortSignal }
export type MetadataDocument = Record<string, unknown>

/** Returns a metadata document, or null for a 4xx response, a redirect (not followed) or a body that is not a JSON object. */
export const fetchDocument = async (
  { egress, signal }: DiscoveryContext,
  url: string,
): Promise<MetadataDocument | null> => {
  try {
    const answer = await egress.request({
      url,
      method: 'GET',
      headers: { accept: 'application/json' },
      timeoutMs: DOCUMENT_TIMEOUT_MS,
      maxBytes: MAX_DOCUMENT_BYTES,
      signal,
    })
    if (answer.status >= 500)
      throw new DiscoveryError('unreachable', `${hostOf(url)} returned status ${answer.status}.`)
    return answer.status === 200 ? readDocument(answer.body) : null
  } catch (error) {
    throw toDiscoveryError(error, url)
  }
}

const readDocument = (body: Buffer): MetadataDocument | null => {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as MetadataDocument)
      : null
  } catch {
    return null
  }
}

/** RFC 3986 §2. URL parsers silently fix other characters, which the database may not be able to store. */
export const isAddressText = (text: string): boolean =>
  text.length <= MAX_ADDRESS_LENGTH && /^[\x21-\x7e]+$/.test(text)

/** Validates an address from a metadata document before it is stored. */
export const validateAddress = async (
  { egress }: DiscoveryContext,
  value: unknown,
  field: string,
): Promise<string> => {
  if (typeof value !== 'string' || !isAddressText(value) || !URL.canParse(value))
    throw new DiscoveryError('metadata_invalid', `${field} in the server's metadata is not a valid URL.`)
  if (value.includes('#'))
    throw new DiscoveryError(
      'metadata_invalid',
      `${field} in the server's metadata must not have a fragment.`,
    )
  try {
    await egress.mayCall(value)
    return value
  } catch (error) {
    throw toDiscoveryError(error, value, `${field} in the server's metadata`)
  }
}

export const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(one => typeof one === 'string') : []

/** Converts an egress error into a message for the person who registers the server. */
export const toDiscoveryError = (error: unknown, url: string, what = 'An address'): Error => {
  if (!(error instanceof EgressError)) return error as Error
  const host = hostOf(url)
  if (error.failure === 'blocked')
    return new DiscoveryError('address_refused', `${what} points to ${host}, which may not be called.`, error)
  const reason = error.failure === 'too_large' ? 'returned a response that is too large' : 'cannot be reached'
  return new DiscoveryError('unreachable', `${host} ${reason}.`, error)
}

const hostOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).host.slice(0, 255) || 'an unknown host' : 'an invalid URL'
