import { createEmulator, type ServiceName } from 'emulate'
import type { Browser } from 'playwright-core'
import { freePort } from '../../scripts/postgres-cluster.ts'
import { startTestService, type TestService } from '../../server/test/support/test-service.ts'
import { startBrowser } from './browser.ts'
import { type Adapt, type Exchange, startProxy } from './stand-in-proxy.ts'

/** The OAuth client of the service at a vendor, shared by all connectors of the vendor. */
export type StandInClient = {
  client_id: string
  client_secret: string
  name: string
  redirect_uris: string[]
}

export type StandInVendor = {
  service: ServiceName
  /** Origins of the vendor, whose requests are routed to the stand-in. */
  origins: string[]
  slugs: string[]
  /** At least two accounts with their data. Some stand-ins use the first as the default account. */
  seed: (client: StandInClient) => Record<string, unknown>
  adapt?: (client: StandInClient) => Adapt
}

export type StandIn = {
  vendor: StandInVendor
  /** URL for the service and the browser. */
  url: string
  /** URL for direct requests of the test. */
  directUrl: string
  client: StandInClient
  exchanges: Exchange[]
}

const clientOf = ({ service, slugs }: StandInVendor, baseUrl: string): StandInClient => ({
  client_id: `carabiner-at-${service}`,
  client_secret: `secret-at-${service}`,
  name: 'Carabiner',
  redirect_uris: slugs.map(slug => `${baseUrl}/oauth/callback/${slug}`),
})

const forwardUnchanged: Adapt = (request, forward) => forward(request)

const startStandIn = async (
  vendor: StandInVendor,
  baseUrl: string,
  opened: AsyncDisposableStack,
): Promise<StandIn> => {
  const { service } = vendor
  const client = clientOf(vendor, baseUrl)
  const proxy = await startProxy(vendor.adapt?.(client) ?? forwardUnchanged)
  opened.defer(proxy.stop)
  const port = await freePort()
  proxy.setTarget(port)
  const seed = { tokens: {}, [service]: vendor.seed(client) }
  const emulator = await createEmulator({ service, port, baseUrl: proxy.url, seed })
  opened.defer(() => emulator.close())
  return { vendor, url: proxy.url, directUrl: `http://127.0.0.1:${port}`, client, exchanges: proxy.exchanges }
}

const appOf = (slug: string, { client_id, client_secret }: StandInClient): [string, string][] => {
  const name = `OAUTH_${slug.toUpperCase().replaceAll('-', '_')}`
  return [
    [`${name}_CLIENT_ID`, client_id],
    [`${name}_CLIENT_SECRET`, client_secret],
  ]
}

const settingsFor = (standIns: StandIn[]): Record<string, string> => ({
  CONNECTORS: standIns.flatMap(({ vendor }) => vendor.slugs).join(' '),
  STAND_INS: standIns
    .flatMap(({ vendor, url }) => vendor.origins.map(origin => `${origin}=${url}`))
    .join(' '),
  ...Object.fromEntries(
    standIns.flatMap(({ vendor, client }) => vendor.slugs.flatMap(slug => appOf(slug, client))),
  ),
})

export type StandInWorld = {
  service: TestService
  browser: Browser
  standInOf: (vendor: StandInVendor) => StandIn
  stop: () => Promise<void>
}

/** Starts the service with local stand-ins for the given vendors, and a browser. If a part fails, the others are stopped. */
export const startStandIns = async (vendors: StandInVendor[]): Promise<StandInWorld> => {
  await using opened = new AsyncDisposableStack()
  const port = String(await freePort())
  const baseUrl = `http://localhost:${port}`
  const standIns = await Promise.all(vendors.map(vendor => startStandIn(vendor, baseUrl, opened)))
  const settings = { PORT: port, TRUST_PROXY: 'loopback', ...settingsFor(standIns) }
  const service = await startTestService('postgres', settings)
  opened.defer(() => service.stop())
  const browser = await startBrowser()
  opened.defer(() => browser.close())
  const running = opened.move()
  return {
    service,
    browser,
    standInOf: vendor => standIns[vendors.indexOf(vendor)] as StandIn,
    stop: () => running.disposeAsync(),
  }
}
