import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '../../../scripts/postgres-cluster.ts'

/** A proxy between the service and a dependency, with which a test can interrupt and restore the connection. */
export type TcpProxy = {
  port: number
  cut(): Promise<void>
  restore(): Promise<void>
  /** Existing connections stay open but transfer no data. `andNew`: new connections as well. */
  freeze(options: { andNew: boolean }): void
  /** New connections work again; frozen ones stay frozen. */
  thaw(): void
  close(): Promise<void>
}

export const startTcpProxy = async (targetPort: number): Promise<TcpProxy> => {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let frozen = false

  const restore = (): Promise<void> =>
    new Promise(resolve => {
      server = createServer(client => {
        const upstream = connect(targetPort, '127.0.0.1')
        for (const socket of [client, upstream]) {
          sockets.add(socket)
          socket.on('error', () => socket.destroy())
          socket.on('close', () => sockets.delete(socket))
        }
        if (frozen) client.pause()
        else client.pipe(upstream).pipe(client)
      })
      server.listen(port, '127.0.0.1', resolve)
    })
  const cut = async (): Promise<void> => {
    const closed = new Promise<void>(resolve => server?.close(() => resolve()) ?? resolve())
    for (const socket of sockets) socket.destroy()
    await closed
    server = undefined
  }
  const freeze = ({ andNew }: { andNew: boolean }): void => {
    frozen = andNew
    for (const socket of sockets) socket.unpipe().pause()
  }
  const thaw = (): void => {
    frozen = false
  }
  await restore()
  return { port, cut, restore, freeze, thaw, close: async () => (server ? cut() : undefined) }
}
