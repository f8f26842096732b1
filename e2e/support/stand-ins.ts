import { createEmulator, type ServiceName } from 'emulate'
import type { Browser } from 'playwright-core'
import { freePort } from '../../scripts/postgres-cluster.ts'
import { startTestService, type TestService } from '../../server/test/support/test-service.ts'
import { startBrowser } from './browser.ts'
import { type Adapt, type Seen, startFront } from './stand-in-front.ts'

/** The client that this service is to a vendor: one for all of its connectors, as operators have it. */
export type StandInClient = {
  client_id: string
  client_secret: string
  name: string
  redirect_uris: string[]
}

export type StandIn = {
  /** Where the service and the browser find it. */
  url: string
  /** Where the test asks it past the service. */
  inside: string
  client: StandInClient
  seen: Seen[]
}

export type StandInVendor = {
  service: ServiceName
  /** Whatever a connector file says goes there comes here. */
  origins: string[]
  slugs: string[]
  /** Two people at least, and what they have: the first is whom some stand-ins take every stranger for. */
  seed: (client: StandInClient) => Record<string, unknown>
  adapt?: () => Adapt
}

type Running = StandIn & { stop: () => Promise<void> }

const asTheyAre: Adapt = (asked, ask) => ask(asked)

const startStandIn = async (vendor: StandInVendor, baseUrl: string): Promise<Running> => {
  const front = await startFront(vendor.adapt?.() ?? asTheyAre)
  const port = await freePort()
  front.lead(port)
  const client = {
    client_id: `carabiner-at-${vendor.service}`,
    client_secret: `secret-at-${vendor.service}`,
    name: 'Carabiner',
    redirect_uris: vendor.slugs.map(slug => `${baseUrl}/oauth/callback/${slug}`),
  }
  const seed = { tokens: {}, [vendor.service]: vendor.seed(client) }
  const emulator = await createEmulator({ service: vendor.service, port, baseUrl: front.url, seed })
  return {
    url: front.url,
    inside: `http://127.0.0.1:${port}`,
    client,
    seen: front.seen,
    stop: async () => {
      await Promise.all([front.stop(), emulator.close()])
    },
  }
}

const setting = (slug: string): string => `OAUTH_${slug.toUpperCase().replaceAll('-', '_')}`

const settingsFor = (vendors: StandInVendor[], running: StandIn[]): Record<string, string> => ({
  CONNECTORS: vendors.flatMap(({ slugs }) => slugs).join(' '),
  STAND_INS: vendors
    .flatMap(({ origins }, index) => origins.map(origin => `${origin}=${running[index]?.url}`))
    .join(' '),
  ...Object.fromEntries(
    vendors.flatMap(({ slugs }, index) =>
      slugs.flatMap(slug => [
        [`${setting(slug)}_CLIENT_ID`, running[index]?.client.client_id ?? ''],
        [`${setting(slug)}_CLIENT_SECRET`, running[index]?.client.client_secret ?? ''],
      ]),
    ),
  ),
})

export type StandInWorld = {
  service: TestService
  browser: Browser
  of: (vendor: StandInVendor) => StandIn
  stop: () => Promise<void>
}

/** The service with every vendor of the list on this machine, and a browser. */
export const startStandIns = async (vendors: StandInVendor[]): Promise<StandInWorld> => {
  const port = String(await freePort())
  const running = await Promise.all(vendors.map(vendor => startStandIn(vendor, `http://localhost:${port}`)))
  const [service, browser] = await Promise.all([
    startTestService('postgres', { PORT: port, TRUST_PROXY: 'loopback', ...settingsFor(vendors, running) }),
    startBrowser(),
  ])
  return {
    service,
    browser,
    of: vendor => running[vendors.indexOf(vendor)] as StandIn,
    stop: async () => {
      await browser.close()
      await service.stop()
      await Promise.all(running.map(({ stop }) => stop()))
    },
  }
}
