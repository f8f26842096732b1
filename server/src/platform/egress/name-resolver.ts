import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { SECOND } from '../../core/duration.ts'
import { readHosts, readSearchDomains } from './resolver-files.ts'

/** Resolves host names asynchronously and with a timeout. */
export type NameResolver = {
  /** All addresses of a name, IPv4 first. Rejects if there are none, at the timeout, and when `signal` aborts. */
  resolve(hostname: string, signal?: AbortSignal): Promise<string[]>
}

export type NameResolverOptions = {
  /** Default: the system's name servers. */
  servers?: string[]
  hostsFile?: string
  resolvConf?: string
  timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 3 * SECOND
/** RFC 8305 §3: how long the addresses of one family wait for the other family. */
const RESOLUTION_DELAY_MS = 50
/** How often the system's configuration is read again. */
const CONFIGURATION_TTL_MS = 30 * SECOND

type Configuration = {
  hosts: Map<string, string[]>
  search: string[]
  readAt: number
}

export const createNameResolver = ({
  servers,
  hostsFile = '/etc/hosts',
  resolvConf = '/etc/resolv.conf',
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: NameResolverOptions = {}): NameResolver => {
  let current: Configuration | undefined

  const configuration = (): Configuration => {
    if (current && performance.now() - current.readAt < CONFIGURATION_TTL_MS) return current
    current = {
      hosts: readHosts(readText(hostsFile)),
      search: readSearchDomains(readText(resolvConf)),
      readAt: performance.now(),
    }
    return current
  }

  /** One resolver per lookup, so that it can be cancelled and hanging queries do not delay others. */
  const createResolver = (): Resolver => {
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 })
    if (servers) resolver.setServers(servers)
    return resolver
  }

  return {
    resolve: async (hostname, signal) => {
      signal?.throwIfAborted()
      const name = hostname.toLowerCase().replace(/\.$/, '')
      const { hosts, search } = configuration()
      const listed = hosts.get(name)
      if (listed) return listed
      // RFC 6761 §6.3: never sent to a name server.
      if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
      // Search domains apply to single labels only.
      const names = name.includes('.') ? [name] : [...search.map(domain => `${name}.${domain}`), name]
      const resolver = createResolver()
      try {
        return await within(timeoutMs, signal, firstOf(resolver, names))
      } finally {
        resolver.cancel()
      }
    },
  }
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const firstOf = async (resolver: Resolver, names: string[]): Promise<string[]> => {
  let failure: unknown
  for (const name of names) {
    try {
      return await bothFamilies(resolver, name)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Addresses of both families; once one family has responded, the other gets a short delay. */
const bothFamilies = async (resolver: Resolver, name: string): Promise<string[]> => {
  const families = [resolver.resolve4(name), resolver.resolve6(name)]
  const first = await Promise.any(families).catch((error: AggregateError) => {
    throw error.errors[0]
  })
  const [four, six] = await Promise.all(
    families.map(family =>
      Promise.race([family.catch(() => []), delay(RESOLUTION_DELAY_MS).then((): string[] => [])]),
    ),
  )
  const all = [...(four ?? []), ...(six ?? [])]
  return all.length > 0 ? all : first
}

const delay = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds).unref())

const within = <T>(timeoutMs: number, signal: AbortSignal | undefined, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    const abort = () => {
      end()
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      end()
      reject(new DOMException('The name was not resolved in time.', 'TimeoutError'))
    }, timeoutMs)
    signal?.addEventListener('abort', abort, { once: true })
    work.finally(end).then(resolve, reject)
  })
