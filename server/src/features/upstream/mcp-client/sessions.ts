import { MINUTE, SECOND } from '../../../core/duration.ts'
import { type Connection, closeConnection } from './connection.ts'
import type { Wire } from './exchange.ts'
import type { Opened } from './handshake.ts'

const IDLE_TTL_MS = 5 * MINUTE
const SWEEP_INTERVAL_MS = MINUTE
const CLOSE_TIMEOUT_MS = SECOND
const MAX_SESSIONS = 1000

/**
 * Connections kept open between calls, because a handshake for each call would cost several requests. A session is
 * transport only and authorizes nothing. The key contains organization, user, credential, its version and the URL, so
 * sessions are never shared between them.
 */
export type McpSessions = {
  /**
   * Returns the kept connection, or opens one. Concurrent callers share one handshake, which no single caller can
   * abort.
   */
  use(key: string, wire: Wire, open: () => Promise<Opened>): Promise<SessionUse>
  /** Removes a connection that no longer works, unless a newer one has replaced it. */
  drop(key: string, connection: Connection): void
  size(): number
  stop(): Promise<void>
}
export type SessionUse = { opened: Opened; reused: boolean }

type Session = { opening: Promise<Opened>; opened: Opened | null; wire: Wire; usedAt: number }

export const createMcpSessions = ({
  now = Date.now,
  maxSessions = MAX_SESSIONS,
}: {
  now?: () => number
  maxSessions?: number
} = {}): McpSessions => {
  /** Ordered by last use, least recently used first. */
  const sessions = new Map<string, Session>()

  const close = async ({ opened, wire }: Session): Promise<void> => {
    if (opened?.kind === 'open')
      await closeConnection({ ...wire, signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS) }, opened.connection)
  }
  const end = (key: string, session: Session): void => {
    sessions.delete(key)
    void close(session)
  }
  const sweep = (): void => {
    for (const [key, session] of sessions) {
      if (session.usedAt > now() - IDLE_TTL_MS) return
      end(key, session)
    }
  }
  const sweeper = setInterval(sweep, SWEEP_INTERVAL_MS).unref()

  const settle = async (key: string, session: Session): Promise<void> => {
    const opened = await session.opening.catch(() => null)
    if (opened?.kind === 'open') session.opened = opened
    else if (sessions.get(key) === session) sessions.delete(key)
  }
  const evictOldest = (): void => {
    for (const [key, session] of sessions) {
      if (sessions.size < maxSessions) return
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
      evictOldest()
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
