import { connect, isIPv6, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { SECOND } from '../../core/duration.ts'
import { judgeAddress, literalAddress } from './address-guard.ts'
import { createConnectLimit, requester } from './connect-limit.ts'
import { EgressError } from './egress-error.ts'
import type { NameResolver } from './name-resolver.ts'

/**
 * Tests only: names that a test answers for. `addresses` replace DNS and are checked like any other; `listeners` are
 * plain-HTTP ports on this machine that answer in the place of a public https host, while every other name stays guarded;
 * `resolver` replaces the system's name servers.
 */
export const standInForNetwork = Symbol('tests stand in for names and hosts')

export type NetworkStandIn = {
  addresses?: Record<string, string[]>
  listeners?: Record<string, number>
  resolver?: NameResolver
}

export type Route = {
  /** Refuses an address by how it is written, before anything is resolved. */
  vet(url: URL): void
  /** Refuses a host whose name has no address, or one that may not be dialled. */
  resolve(hostname: string, signal: AbortSignal): Promise<void>
  connector: buildConnector.connector
}

const CONNECT_TIMEOUT = 5 * SECOND

/** Names are resolved once, and the checked address is what gets dialled. */
export const createRoute = (
  loopbackAllowed: boolean,
  { resolver, ...standIn }: NetworkStandIn & { resolver: NameResolver },
): Route => {
  const connects = createConnectLimit()
  const mayDial = (address: string): boolean => {
    const verdict = judgeAddress(address)
    return verdict === 'public' || (verdict === 'loopback' && loopbackAllowed)
  }

  /** Fails alike for a name that does not exist and for one of an internal address: a caller must not learn which it is. */
  const addressesOf = async (hostname: string, signal?: AbortSignal): Promise<string[]> => {
    try {
      const addresses = standIn.addresses?.[hostname] ?? (await resolver.resolve(hostname, signal))
      const refused = addresses.find(address => !mayDial(address))
      if (refused !== undefined)
        throw new Error(`${hostname} resolves to ${refused}, which may not be called.`)
      if (addresses.length === 0) throw new Error(`${hostname} has no address.`)
      return addresses
    } catch (error) {
      if (signal?.aborted) throw error
      throw new EgressError('unreachable', `${hostname} cannot be reached.`, error)
    }
  }

  const findFor = callbackify(async (hostname: string, signal: AbortSignal | undefined) =>
    (await addressesOf(hostname, signal)).map(address => ({ address, family: isIPv6(address) ? 6 : 4 })),
  )
  const guardedLookup: LookupFunction = (hostname, { all }, callback) =>
    findFor(hostname, requester.getStore()?.signal, (error, found) => {
      const [first] = found ?? []
      if (error || !first) return callback(error, '', 0)
      return all ? callback(null, found) : callback(null, first.address, first.family)
    })

  const guarded = buildConnector({ lookup: guardedLookup, timeout: CONNECT_TIMEOUT })
  const connector: buildConnector.connector = (options, callback) => {
    const port = standIn.listeners?.[options.hostname]
    if (port !== undefined) {
      const socket = connect(port, '127.0.0.1', () => callback(null, socket))
      socket.once('error', error => callback(error, null))
      return
    }
    const by = requester.getStore()
    // A connection that is opened again may run in the context of an earlier request, which may have been aborted.
    const signal = by?.signal?.aborted ? undefined : by?.signal
    connects.enter(by?.owner, done =>
      requester.run({ owner: by?.owner, signal }, () =>
        guarded(options, (...connected) => {
          done()
          callback(...connected)
        }),
      ),
    )
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
    resolve: async (hostname, signal) => {
      if (literalAddress(hostname) || standIn.listeners?.[hostname] !== undefined) return
      await addressesOf(hostname, signal)
    },
  }
}
