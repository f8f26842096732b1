import * as oauth from 'oauth4webapi'
import { MINUTE } from '../../../core/duration.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import { createExpiringCache } from '../../../platform/expiring-cache.ts'
import { createSingleFlight } from '../../../platform/single-flight.ts'

/** Anyone can start a sign-in, so the provider is not asked for each. */
const METADATA_TTL_MS = MINUTE
const MAX_CACHED = 1000

// The egress decides where plain HTTP is allowed: to loopback, in development.
export const through = (egress: Egress) => ({
  [oauth.customFetch]: (url: string, init: object) => egress.fetch(url, init),
  [oauth.allowInsecureRequests]: true,
})

/** OpenID Connect Discovery 1.0 §4. */
export const discoverProvider = async (
  egress: Egress,
  issuer: string,
): Promise<oauth.AuthorizationServer> => {
  const url = new URL(issuer)
  const response = await oauth.discoveryRequest(url, { algorithm: 'oidc', ...through(egress) })
  const server = await oauth.processDiscoveryResponse(url, response)
  for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const address = server[endpoint]
    if (address === undefined) throw new Error(`the metadata of the provider has no ${endpoint}`)
    await egress.mayCall(address)
  }
  return server
}

/** Reads the metadata of an organization's provider. */
export type ProviderDiscovery = (organizationId: string, issuer: string) => Promise<oauth.AuthorizationServer>

/** With a cache. Errors are not cached. */
export const createProviderDiscovery = (egress: Egress): ProviderDiscovery => {
  const cache = createExpiringCache<oauth.AuthorizationServer>({ maxEntries: MAX_CACHED })
  const singleFlight = createSingleFlight<oauth.AuthorizationServer>()
  return async (organizationId, issuer) => {
    const key = `${organizationId} ${issuer}`
    const server =
      cache.get(key) ??
      (await singleFlight(key, async () => {
        const read = await discoverProvider(egress.onBehalfOf(organizationId), issuer)
        cache.set(key, read, METADATA_TTL_MS)
        return read
      }))
    // A copy, because the library caches the provider's keys with the object.
    return { ...server }
  }
}
