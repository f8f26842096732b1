import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { connect, isIPv6, type LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { buildConnector } from 'undici'
import { SECOND } from '../core/duration.ts'
import { judgeAddress, literalAddress } from './address-guard.ts'
import { EgressError } from './egress-error.ts'

/**
 * Tests only: names that a test answers for. `addresses` stand in for DNS and are judged like any other; `listeners` are
 * plain-HTTP ports on this machine that answer in the place of a public https host, while every other name stays guarded.
 */
export const standInForNetwork = Symbol('tests stand in for names and hosts')

export type NetworkStandIn = {
  addresses?: Record<string, string[]>
  listeners?: Record<string, number>
}

export type Route = {
  /** Refuses an address by how it is written, before anything is resolved. */
  vet(url: URL): void
  /** Refuses a host whose name leads to an address that may not be dialled. */
  resolve(hostname: string): Promise<void>
  connector: buildConnector.connector
}

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

const CONNECT_TIMEOUT = 5 * SECOND

/** Names are resolved once, and the checked address is what gets dialled. */
export const createRoute = (loopbackAllowed: boolean, standIn: NetworkStandIn = {}): Route => {
  const mayDial = (address: string): boolean => {
    const verdict = judgeAddress(address)
    return verdict === 'public' || (verdict === 'loopback' && loopbackAllowed)
  }

  const addressesOf = (hostname: string, found: Found): void => {
    const judge: Found = (error, addresses) => {
      if (error) return found(error, [])
      const refused = addresses.length === 0 || addresses.some(({ address }) => !mayDial(address))
      const message = `${hostname} resolves to an address that may not be called.`
      return refused ? found(new EgressError('blocked', message), []) : found(null, addresses)
    }
    const given = standIn.addresses?.[hostname]
    if (!given) return dnsLookup(hostname, { all: true }, judge)
    setImmediate(
      judge,
      null,
      given.map(address => ({ address, family: isIPv6(address) ? 6 : 4 })),
    )
  }

  const guardedLookup: LookupFunction = (hostname, { all }, callback) =>
    addressesOf(hostname, (error, addresses) => {
      const [first] = addresses
      if (error || !first) return callback(error, '', 0)
      return all ? callback(null, addresses) : callback(null, first.address, first.family)
    })

  const guarded = buildConnector({ lookup: guardedLookup, timeout: CONNECT_TIMEOUT })
  const connector: buildConnector.connector = (options, callback) => {
    const port = standIn.listeners?.[options.hostname]
    if (port === undefined) return guarded(options, callback)
    const socket = connect(port, '127.0.0.1', () => callback(null, socket))
    socket.once('error', error => callback(error, null))
  }

  return {
    connector,
    vet: url => {
      const literal = literalAddress(url.hostname)
      // A custom lookup is never asked for literals, so they are judged here.
      if (literal && !mayDial(literal)) throw new EgressError('blocked', `${url.hostname} may not be called.`)
      const local = url.hostname === 'localhost' || (literal !== null && judgeAddress(literal) === 'loopback')
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local && loopbackAllowed))
        throw new EgressError('blocked', `${url.protocol}//${url.hostname} may not be called: https only.`)
      if (url.username || url.password)
        throw new EgressError('blocked', 'An address with credentials in it may not be called.')
    },
    resolve: async hostname => {
      if (literalAddress(hostname) || standIn.listeners?.[hostname] !== undefined) return
      await promisify(addressesOf)(hostname)
    },
  }
}
