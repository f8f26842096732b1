import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { errorCode } from './error-code.ts'

export type Listener = { port: number; close(): Promise<void> }

const IPV4_LOOPBACK = '127.0.0.1'
const IPV6_LOOPBACK = '::1'
const MAX_ATTEMPTS = 20

/**
 * Listens on one port. On loopback it binds both address families, so that `localhost` always reaches this sandbox
 * and no other program.
 */
export async function listen(
  options: { port: number; host: string },
  handle: RequestListener,
): Promise<Listener> {
  if (options.host !== IPV4_LOOPBACK && options.host !== 'localhost') {
    return asListener(await bind(handle, options.port, options.host))
  }
  for (let attempt = 1; ; attempt++) {
    const first = await bind(handle, options.port, IPV4_LOOPBACK)
    try {
      return asListener(first, await bind(handle, portOf(first), IPV6_LOOPBACK))
    } catch (error) {
      const code = errorCode(error)
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return asListener(first)
      await close(first)
      // A free IPv4 port may be in use on IPv6; try another one.
      if (options.port !== 0 || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

async function bind(handle: RequestListener, port: number, host: string): Promise<Server> {
  const server = createServer(handle)
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

function asListener(first: Server, ...others: Server[]): Listener {
  return {
    port: portOf(first),
    close: async () => {
      await Promise.all([first, ...others].map(close))
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the sandbox is not listening')
  return address.port
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // Hanging and kept-alive connections would keep the server open.
  server.closeAllConnections()
  await closed
}
