import { SECOND } from '../../../core/duration.ts'
import { type Egress, EgressError } from '../../../platform/egress/egress.ts'
import { createExpiringCache } from '../../../platform/expiring-cache.ts'
import { createSingleFlight } from '../../../platform/single-flight.ts'
import { fetchClientDocument } from './client-document.ts'
import type { OAuthClient } from './oauth-client.ts'

/** Fetches in flight for one network. A client of many people is cached, so an office needs few. */
export const MAX_FETCHES_PER_NETWORK = 4
/** A host that cannot be reached is not tried again for this time. */
const UNREACHABLE_TTL_MS = 10 * SECOND
const MAX_CACHED = 1000

/** `busy`: too many fetches of this network are in flight. Null: the document cannot be read, or does not describe this client. */
export type FoundClient = OAuthClient | null | 'busy'

export type ClientDocuments = {
  /** `network`: of the requester. */
  find(id: string, network: string): Promise<FoundClient>
}

/**
 * Reads the documents of clients. Anyone can request one, before anybody has signed in: connections are counted for the network of the
 * requester and never for an organization, whose tool calls they would delay (decision 56).
 */
export const createClientDocuments = (egress: Egress, now: () => number = Date.now): ClientDocuments => {
  const documents = createExpiringCache<OAuthClient>({ maxEntries: MAX_CACHED, now })
  const unreachable = createExpiringCache<true>({ maxEntries: MAX_CACHED, now })
  const singleFlight = createSingleFlight<FoundClient>()
  const inFlight = new Map<string, number>()

  const fetchFor = async (network: string, id: string): Promise<OAuthClient | null> => {
    // Of the network, so that nobody can make a host unavailable to others.
    const host = `${network} ${new URL(id).host}`
    if (unreachable.get(host)) return null
    try {
      const found = await fetchClientDocument(egress.onBehalfOf(`client documents of ${network}`), id)
      if (found) documents.set(id, found.client, found.maxAgeMs)
      return found?.client ?? null
    } catch (error) {
      if (!(error instanceof EgressError)) throw error
      // §5.2 forbids to cache error responses and malformed documents. A host that does not respond has sent neither.
      if (error.failure !== 'too_large') unreachable.set(host, true, UNREACHABLE_TTL_MS)
      return null
    }
  }

  const fetchWithinLimit = async (network: string, id: string): Promise<FoundClient> => {
    const running = inFlight.get(network) ?? 0
    if (running >= MAX_FETCHES_PER_NETWORK) return 'busy'
    inFlight.set(network, running + 1)
    try {
      return await fetchFor(network, id)
    } finally {
      const rest = (inFlight.get(network) ?? 1) - 1
      if (rest === 0) inFlight.delete(network)
      else inFlight.set(network, rest)
    }
  }

  return {
    find: async (id, network) =>
      documents.get(id) ?? singleFlight(`${network} ${id}`, () => fetchWithinLimit(network, id)),
  }
}
