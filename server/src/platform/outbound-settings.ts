import { isIP } from 'node:net'
import { isLoopbackHost } from '@carabiner/contract/loopback'

/**
 * STAND_INS="https://api.github.com=http://localhost:4100 …": calls of connectors to the first origin go to the
 * second.
 */
export const readStandIns = (
  text: string | undefined,
  development: boolean,
  problems: string[],
): Record<string, string> => {
  if (text === undefined) return {}
  if (!development)
    problems.push('STAND_INS is for development only, because credentials must be sent to the real provider.')
  const pairs = text.split(/[\s,]+/).filter(Boolean)
  return Object.fromEntries(
    pairs.flatMap(pair => {
      const [from = '', to = ''] = pair.split('=')
      const good = [from, to].every(url => URL.canParse(url)) && isLoopbackHost(new URL(to).hostname)
      if (!good) problems.push(`STAND_INS must pair an origin with an origin on loopback, not "${pair}".`)
      return good ? [[new URL(from).origin, new URL(to).origin] as const] : []
    }),
  )
}

/** An IPv4 address, or an IPv6 address in brackets, with an optional port. Default port: 53. */
const DNS_SERVER = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9a-f:.]+)\])(?::\d{1,5})?$/i

export const readDnsServers = (text: string | undefined, problems: string[]): string[] | undefined => {
  const servers = text?.split(/[\s,]+/).filter(Boolean)
  for (const server of servers ?? []) {
    const [, four, six] = DNS_SERVER.exec(server) ?? []
    if (isIP(four ?? six ?? '') === 0)
      problems.push(
        `DNS_SERVERS must list addresses such as 192.0.2.53 or [2001:db8::53]:5353, not "${server}".`,
      )
  }
  return servers
}
