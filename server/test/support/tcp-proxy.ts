import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '../../../scripts/postgres-cluster.ts'

/** Stands between the service and something it needs, so that a test can take it away and give it back. */
export type TcpProxy = {
  port: number
  cut(): Promise<void>
  restore(): Promise<void>
  close(): Promise<void>
}

export const startTcpProxy = async (targetPort: number): Promise<TcpProxy> => {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let server: Server | undefined

  const restore = (): Promise<void> =>
    new Promise(resolve => {
      server = createServer(client => {
        const upstream = connect(targetPort, '127.0.0.1')
        for (const socket of [client, upstream]) {
          sockets.add(socket)
          socket.on('error', () => socket.destroy())
          socket.on('close', () => sockets.delete(socket))
        }
        client.pipe(upstream).pipe(client)
      })
      server.listen(port, '127.0.0.1', resolve)
    })
  const cut = async (): Promise<void> => {
    const closed = new Promise<void>(resolve => server?.close(() => resolve()) ?? resolve())
    for (const socket of sockets) socket.destroy()
    await closed
    server = undefined
  }
  await restore()
  return { port, cut, restore, close: async () => (server ? cut() : undefined) }
}
