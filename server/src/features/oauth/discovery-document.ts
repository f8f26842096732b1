import { SECOND } from '../../core/duration.ts'
import { type Egress, EgressError } from '../../platform/egress/egress.ts'
import { DiscoveryError } from './discovery-error.ts'

const DOCUMENT_TIMEOUT = 5 * SECOND
const MOST_DOCUMENT_BYTES = 256 * 1024
const LONGEST_ADDRESS = 2048

/** One discovery, all of its requests under one deadline. */
export type Search = { egress: Egress; signal: AbortSignal }
export type MetadataDocument = Record<string, unknown>

/** A metadata document, or null where there is none: an error of the caller's making, a page, a redirect (not followed). */
export const fetchDocument = async (
  { egress, signal }: Search,
  url: string,
): Promise<MetadataDocument | null> => {
  try {
    const answer = await egress.request({
      url,
      method: 'GET',
      headers: { accept: 'application/json' },
      timeoutMs: DOCUMENT_TIMEOUT,
      maxBytes: MOST_DOCUMENT_BYTES,
      signal,
    })
    if (answer.status >= 500)
      throw new DiscoveryError('unreachable', `${hostOf(url)} answered with status ${answer.status}.`)
    return answer.status === 200 ? readDocument(answer.body) : null
  } catch (error) {
    throw explainAddress(error, url)
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

/** RFC 3986 §2: what else a parser takes it mends in silence, and a database may not keep. */
export const isAddressText = (text: string): boolean =>
  text.length <= LONGEST_ADDRESS && /^[\x21-\x7e]+$/.test(text)

/** An address that a document names, judged before it is kept. */
export const vetAddress = async ({ egress }: Search, value: unknown, field: string): Promise<string> => {
  if (typeof value !== 'string' || !isAddressText(value) || !URL.canParse(value))
    throw new DiscoveryError('metadata_invalid', `${field} in the server's metadata is not an address.`)
  if (value.includes('#'))
    throw new DiscoveryError('metadata_invalid', `${field} in the server's metadata has a fragment.`)
  try {
    await egress.mayCall(value)
    return value
  } catch (error) {
    throw explainAddress(error, value, `${field} in the server's metadata`)
  }
}

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(one => typeof one === 'string') : []

/** What the egress said of an address, in words for whoever named it. */
export const explainAddress = (error: unknown, url: string, what = 'An address'): Error => {
  if (!(error instanceof EgressError)) return error as Error
  const host = hostOf(url)
  if (error.failure === 'blocked')
    return new DiscoveryError('address_refused', `${what} leads to ${host}, which may not be called.`, error)
  const why = error.failure === 'too_large' ? 'answered with too much' : 'cannot be reached'
  return new DiscoveryError('unreachable', `${host} ${why}.`, error)
}

const hostOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).host.slice(0, 255) || 'nowhere' : 'no address'
