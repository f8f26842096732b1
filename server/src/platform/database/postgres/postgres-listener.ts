import pg from 'pg'
import { SECOND } from '../../../core/duration.ts'

/** The LISTEN connection is tested, because a hanging one would never notify. */
const LISTEN_TEST_INTERVAL_MS = 15 * SECOND

/** A dedicated connection for LISTEN. It reconnects as long as the service runs. */
export const createListener = (connection: pg.ClientConfig, onError: (error: Error) => void) => {
  const handlers = new Map<string, Set<(payload: string) => void>>()
  let current: pg.Client | undefined
  let connected: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let test: NodeJS.Timeout | undefined
  let closed = false

  const subscribe = (client: pg.Client, channel: string) =>
    client.query(`listen ${pg.escapeIdentifier(channel)}`)

  const connect = async (): Promise<void> => {
    const client = new pg.Client(connection)
    current = client
    client.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '')
    })
    client.on('error', error => lost(client, error))
    client.on('end', () => lost(client))
    await client.connect()
    clearInterval(test)
    test = setInterval(() => {
      client.query('select 1').catch((error: Error) => lost(client, error))
    }, LISTEN_TEST_INTERVAL_MS).unref()
    for (const channel of handlers.keys()) await subscribe(client, channel)
  }
  /** Errors of connections that were already replaced are ignored. */
  const lost = (client: pg.Client, error?: Error): void => {
    if (closed || current !== client) return
    current = undefined
    connected = undefined
    if (error) onError(error)
    client.end().catch(() => undefined)
    retry = setTimeout(() => void ensure().catch(() => undefined), 1000)
  }
  const ensure = (): Promise<void> => {
    connected ??= connect().catch((error: Error) => {
      if (current) lost(current, error)
      throw error
    })
    return connected
  }

  return {
    listen: async (channel: string, onNotification: (payload: string) => void) => {
      const known = handlers.get(channel)
      handlers.set(channel, (known ?? new Set()).add(onNotification))
      const fresh = connected === undefined
      await ensure()
      if (!known && !fresh && current) await subscribe(current, channel)
      return async () => {
        handlers.get(channel)?.delete(onNotification)
      }
    },
    close: async () => {
      closed = true
      clearTimeout(retry)
      clearInterval(test)
      await current?.end()
    },
  }
}
