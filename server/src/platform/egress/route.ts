import { connect, isIPv6, type LookupFunction } from 'node:net'
import { rootCertificates } from 'node:tls'
import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { SECOND } from '../../core/duration.ts'
import { classifyAddress, literalAddress } from './address-guard.ts'
import type { ClientCertificate } from './client-agents.ts'
import { createConnectLimit, requester } from './connect-limit.ts'
import { EgressError } from './egress-error.ts'
import type { NameResolver } from './name-resolver.ts'

/**
 * Tests only. `addresses` replace DNS results and are checked like any other; `listeners` are plain-HTTP ports on
 * loopback that replace a public https host; `resolver` replaces the system's name servers.
 */
export const standInForNetwork = Symbol('tests stand in for names and hosts')

export type NetworkStandIn = {
  addresses?: Record<string, string[]>
  listeners?: Record<string, number>
  resolver?: NameResolver
  /** Certificate authorities besides those that Node.js trusts. */
  authorities?: string[]
}

export type Route = {
  /** Throws for a URL that is blocked by its text, before anything is resolved. */
  vet(url: URL): void
  /** Throws if the host name has no address or a blocked one. */
  resolve(hostname: string, signal: AbortSignal): Promise<void>
  /** Opens connections, which identify themselves with the certificate if there is one. */
  connectorFor(client?: ClientCertificate): buildConnector.connector
}

const CONNECT_TIMEOUT_MS = 5 * SECOND

/** Names are resolved once, and the connection uses the address that was checked. */
export const createRoute = (
  loopbackAllowed: boolean,
  { resolver, ...standIn }: NetworkStandIn & { resolver: NameResolver },
): Route => {
  const connects = createConnectLimit()
  const mayDial = (address: string): boolean => {
    const verdict = classifyAddress(address)
    return verdict === 'public' || (verdict === 'loopback' && loopbackAllowed)
  }

  /** Fails in the same way for a missing name and for an internal address, so that a caller cannot distinguish them. */
  const addressesOf = async (hostname: string, signal?: AbortSignal): Promise<string[]> => {
    try {
      const addresses = standIn.addresses?.[hostname] ?? (await resolver.resolve(hostname, signal))
      const refused = addresses.find(address => !mayDial(address))
      if (refused !== undefined) throw new Error(`${hostname} resolves to ${refused}, which is blocked.`)
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

  const guardedFor = (client?: ClientCertificate): buildConnector.connector =>
    buildConnector({
      lookup: guardedLookup,
      timeout: CONNECT_TIMEOUT_MS,
      ...(standIn.authorities && { ca: [...rootCertificates, ...standIn.authorities] }),
      ...(client && { cert: client.certificate, key: client.privateKey.reveal() }),
    })
  const connectorOf =
    (guarded: buildConnector.connector): buildConnector.connector =>
    (options, callback) => {
      const port = standIn.listeners?.[options.hostname]
      if (port !== undefined) {
        const socket = connect(port, '127.0.0.1', () => callback(null, socket))
        socket.once('error', error => callback(error, null))
        return
      }
      const by = requester.getStore()
      // A reconnect may run in the context of an earlier request that was aborted.
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
    connectorFor: client => connectorOf(client ? keepingAlerts(guardedFor(client)) : guardedFor()),
    vet: url => {
      const literal = literalAddress(url.hostname)
      // The custom lookup is not called for literal addresses, so they are checked here.
      if (literal && !mayDial(literal))
        throw new EgressError('blocked', `Calls to ${url.hostname} are not allowed.`)
      const local =
        url.hostname === 'localhost' || (literal !== null && classifyAddress(literal) === 'loopback')
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local && loopbackAllowed))
        throw new EgressError(
          'blocked',
          `Calls to ${url.protocol}//${url.hostname} are not allowed. Use https.`,
        )
      if (url.username || url.password)
        throw new EgressError('blocked', 'Calls to a URL with credentials in it are not allowed.')
    },
    resolve: async (hostname, signal) => {
      if (literalAddress(hostname) || standIn.listeners?.[hostname] !== undefined) return
      await addressesOf(hostname, signal)
    },
  }
}

/**
 * After an alert, the end of the connection follows, and undici would report only that. Destroying the socket with the error of the alert keeps
 * it.
 */
const keepingAlerts =
  (connector: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connector(options, (...connected) => {
      const [, socket] = connected
      socket?.once('error', error => socket.destroy(error))
      callback(...connected)
    })
