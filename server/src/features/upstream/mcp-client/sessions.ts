import { MINUTE, SECOND } from '../../../core/duration.ts'
import { type Connection, hangUp } from './connection.ts'
import type { Wire } from './exchange.ts'
import type { Opened } from './handshake.ts'

const IDLE_LIFETIME = 5 * MINUTE
const SWEEP_INTERVAL = MINUTE
const GOODBYE_TIMEOUT = SECOND
const MOST_SESSIONS = 1000

/**
 * Connections kept for the next call: a handshake of its own makes a call cost several. A session is transport and decides
 * nothing. The key names organization, user, credential, its version and the address, so that nobody meets another's.
 */
export type McpSessions = {
  /** The kept connection, or the one that `open` makes. Callers who come together share one handshake: no caller's to end. */
  use(key: string, wire: Wire, open: () => Promise<Opened>): Promise<Kept>
  /** Forgets a connection that no longer works; a newer one under the same key stays. */
  drop(key: string, connection: Connection): void
  size(): number
  stop(): Promise<void>
}
export type Kept = { opened: Opened; reused: boolean }

type Session = { opening: Promise<Opened>; opened: Opened | null; wire: Wire; usedAt: number }

export const createMcpSessions = ({
  now = Date.now,
  most = MOST_SESSIONS,
}: {
  now?: () => number
  most?: number
} = {}): McpSessions => {
  /** In order of use: the first is the one that waited longest. */
  const sessions = new Map<string, Session>()

  const close = async ({ opened, wire }: Session): Promise<void> => {
    if (opened?.kind === 'open')
      await hangUp({ ...wire, signal: AbortSignal.timeout(GOODBYE_TIMEOUT) }, opened.connection)
  }
  const end = (key: string, session: Session): void => {
    sessions.delete(key)
    void close(session)
  }
  const sweep = (): void => {
    for (const [key, session] of sessions) {
      if (session.usedAt > now() - IDLE_LIFETIME) return
      end(key, session)
    }
  }
  const sweeper = setInterval(sweep, SWEEP_INTERVAL).unref()

  const settle = async (key: string, session: Session): Promise<void> => {
    const opened = await session.opening.catch(() => null)
    if (opened?.kind === 'open') session.opened = opened
    else if (sessions.get(key) === session) sessions.delete(key)
  }
  const makeRoom = (): void => {
    for (const [key, session] of sessions) {
      if (sessions.size < most) return
      end(key, session)
    }
  }

  return {
    use: async (key, wire, open) => {
      sweep()
      const kept: Session | undefined = sessions.get(key)
      const session: Session = kept ?? { opening: open(), opened: null, wire, usedAt: now() }
      session.usedAt = now()
      sessions.delete(key)
      makeRoom()
      sessions.set(key, session)
      if (!kept) void settle(key, session)
      return { opened: await session.opening, reused: kept !== undefined }
    },
    drop: (key, connection) => {
      const session = sessions.get(key)
      if (session?.opened?.kind === 'open' && session.opened.connection === connection) sessions.delete(key)
    },
    size: () => sessions.size,
    stop: async () => {
      clearInterval(sweeper)
      const open = [...sessions.values()]
      sessions.clear()
      await Promise.all(open.map(close))
    },
  }
}
