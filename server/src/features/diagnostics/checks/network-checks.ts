import { isLoopbackHost } from '@carabiner/contract/loopback'
import { SECOND } from '../../../core/duration.ts'
import { allowLoopback, createEgress } from '../../../platform/egress/egress.ts'
import { createNameResolver } from '../../../platform/egress/name-resolver.ts'
import { loadCatalog } from '../../connectors/catalog/catalog.ts'
import { addressesOf } from '../../connectors/catalog/rules/connector-addresses.ts'
import { differenceOf } from './database-checks.ts'
import { BEFORE_START, type Check, type DoctorContext, ok, problem, skipped } from './finding.ts'

/** A Date header has a resolution of one second. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * SECOND

export const dnsCheck: Check = {
  name: 'DNS',
  run: async ({ config }, signal) => {
    const databaseHost = config.databaseUrl && new URL(config.databaseUrl.reveal()).hostname
    const names = [new URL(config.baseUrl).hostname, new URL(config.linkUrl).hostname, databaseHost ?? '']
    const resolver = createNameResolver(config.dnsServers ? { servers: config.dnsServers } : {})
    const wanted = [...new Set(names)].filter(name => /[a-z]/i.test(name) && !isLoopbackHost(name))
    if (wanted.length === 0) return skipped('no host name is configured')
    return Promise.all(
      wanted.map(async name => {
        try {
          return ok(`${name} has the addresses ${(await resolver.resolve(name, signal)).join(', ')}`)
        } catch (error) {
          return problem(
            `${name} cannot be resolved: ${(error as Error).message}`,
            `Check the name and the name servers (${config.dnsServers ? 'DNS_SERVERS' : '/etc/resolv.conf'}).`,
          )
        }
      }),
    )
  },
}

/** BASE_URL and LINK_URL, as a browser would open them. */
const reachabilityCheck = (name: string, urlOf: (context: DoctorContext) => string): Check => ({
  name,
  run: async (context, signal) => {
    if (context.isBeforeStart) return skipped(BEFORE_START)
    const url = new URL('/livez', urlOf(context)).href
    const before = Date.now()
    const response = await fetch(url, { signal, redirect: 'manual' }).catch((error: Error) => error)
    if (response instanceof Error)
      return problem(
        `${url} cannot be reached: ${((response.cause as Error | undefined) ?? response).message}`,
        'Start the service, and check the load balancer, the firewall and the DNS entry in front of it.',
      )
    const body = await response.text()
    if (response.status !== 200 || !body.includes('"ok"'))
      return problem(
        `${url} is answered with status ${response.status}, but not by this service.`,
        `Route ${new URL(url).host} to the service, including the path /livez.`,
      )
    const date = Date.parse(response.headers.get('date') ?? '')
    const difference = differenceOf(date, before, Date.now())
    if (difference > MAX_CLOCK_DIFFERENCE_MS)
      return problem(
        `The clock of the service at ${url} differs from the clock of this machine by about ${Math.round(difference / SECOND)} seconds.`,
        'Synchronize both clocks with NTP (timedatectl set-ntp true).',
      )
    return ok(`${url} answers`)
  },
})

export const baseUrlCheck = reachabilityCheck('BASE_URL', ({ config }) => config.baseUrl)
export const linkUrlCheck = reachabilityCheck('LINK_URL', ({ config }) => config.linkUrl)

/** The token endpoints of connectors for which the operator has configured an OAuth app, and URLs that the operator names. */
const outboundUrls = ({ config, outbound }: DoctorContext): string[] => {
  const { connectorsDirectory, standIns, sandboxUrl } = config
  const places = sandboxUrl === undefined ? {} : { sandbox_url: sandboxUrl }
  const catalog = loadCatalog(places, connectorsDirectory, { standIns })
  const urls = [...config.oauthApps.keys()].flatMap(slug => {
    const connector = catalog.find(slug)
    return connector ? addressesOf(connector).flatMap(({ url, use }) => (use === 'oauth' ? [url] : [])) : []
  })
  const origins = urls.filter(url => URL.canParse(url) && !url.includes('{')).map(url => new URL(url).origin)
  return [...new Set([...origins, ...outbound])]
}

export const outboundCheck: Check = {
  name: 'outbound access',
  run: async (context, signal) => {
    const { development, dnsServers } = context.config
    const urls = outboundUrls(context)
    if (urls.length === 0)
      return skipped('The service has no OAuth app. Specify a URL to call: --outbound URL')
    const egress = createEgress({ [allowLoopback]: development, dnsServers })
    try {
      return await Promise.all(
        urls.map(async url => {
          try {
            const { status } = await egress.request({ url, method: 'GET', signal })
            return ok(`${url} answers with status ${status}`)
          } catch (error) {
            return problem(
              `${url} cannot be reached: ${(error as Error).message}`,
              'Allow outbound connections to this host in the firewall. The service does not use an HTTP proxy.',
            )
          }
        }),
      )
    } finally {
      await egress.close()
    }
  },
}
