import { SECOND } from '../../../core/duration.ts'
import type { Secret } from '../../../core/secret.ts'
import type { Log } from '../../log.ts'
import { type Database, markTransaction, refuseInsideTransaction } from '../database.ts'
import { type ReadDatabase, readPrimary } from '../read-database.ts'
import { isConnectionError } from './connection-error.ts'
import { closeWithin, connectionOptions, createPool, queryThrough, withClient } from './postgres-pool.ts'
import { connectionTimeout, statementTimeout } from './postgres-settings.ts'
import { createReplicaLag } from './replica-lag.ts'
import { replicaStore } from './replica-store.ts'

const POOL_SIZE = 4
/** Pause between two measurements of the lag. */
const PROBE_INTERVAL_MS = SECOND

/** Why lists are read from the primary. */
type Obstacle = 'unavailable' | 'lagging' | 'not_a_replica' | 'another_database'

type Options = {
  url: Secret
  primary: Database
  log: Log
  timeoutMs: number
  maxLagMs: number
  probeIntervalMs?: number
}

export type Replica = ReadDatabase & { close(): Promise<void> }

/**
 * Reads lists from a replica whose lag is within the bound, otherwise from the primary. It connects in the background,
 * so that a replica that is down delays neither a start nor a request.
 */
export const openReplica = ({
  url,
  primary,
  log,
  timeoutMs,
  maxLagMs,
  probeIntervalMs = PROBE_INTERVAL_MS,
}: Options): Replica => {
  const connection = { ...connectionOptions(url, timeoutMs), application_name: 'carabiner lists' }
  const poolOptions = {
    settings: {
      ...statementTimeout(timeoutMs),
      ...connectionTimeout(timeoutMs),
      default_transaction_read_only: 'on',
    },
    // The next probe or read reports the error.
    onIdleError: () => undefined,
  }
  const pool = createPool({ ...connection, max: POOL_SIZE, query_timeout: timeoutMs }, poolOptions)
  // Long reads must not delay the measurement of the lag.
  const probePool = createPool({ ...connection, max: 1, query_timeout: timeoutMs }, poolOptions)
  const onReplica = queryThrough(pool)
  const onPrimary = readPrimary(primary)
  const lag = createReplicaLag(maxLagMs)
  const status = createStatus(log)
  const now = () => performance.now()

  const probe = async (): Promise<void> => {
    const askedAt = now()
    const source = await replicaStore.primary(primary).catch(() => null)
    // Without the primary, the replica is used until the bound is reached.
    if (!source) return
    lag.recordPrimary(askedAt, BigInt(source.position ?? 0))
    try {
      const target = await replicaStore.replica(queryThrough(probePool))
      if (!target?.inRecovery) return status.set('not_a_replica')
      if (target.system !== source.system || target.database !== source.database)
        return status.set('another_database')
      lag.recordReplica(BigInt(target.position ?? 0))
      status.set(lag.lagAt(now()) <= maxLagMs ? null : 'lagging')
    } catch (error) {
      status.set('unavailable', error)
    }
  }
  const probing = repeat(probe, probeIntervalMs)

  const readOrFallBack = async <T>(read: () => Promise<T>, fallBack: () => Promise<T>): Promise<T> => {
    refuseInsideTransaction()
    if (!status.isUsable() || lag.lagAt(now()) > maxLagMs) return fallBack()
    try {
      return await read()
    } catch (error) {
      // Other errors, such as a conflict with recovery, concern this statement only.
      if (isConnectionError(error)) status.set('unavailable', error)
      else log.debug({ error }, 'the replica rejected a read, which is retried on the primary')
      return fallBack()
    }
  }

  return {
    read: (statement, ...values) =>
      readOrFallBack(
        () => onReplica.query(statement, ...values),
        () => onPrimary.read(statement, ...values),
      ),
    readWith: (settings, work) =>
      readOrFallBack(
        () =>
          withClient(pool, async (client, onLost) => {
            try {
              await client.query(`begin read only; ${settings}`)
              const reads = queryThrough(client)
              const result = await markTransaction(() =>
                work({ read: (statement, ...values) => reads.query(statement, ...values) }),
              )
              await client.query('commit')
              return result
            } catch (error) {
              // Closing the connection ends the transaction, also on a connection that hangs.
              onLost(error as Error)
              throw error
            }
          }),
        () => onPrimary.readWith(settings, work),
      ),
    close: async () => {
      probing.stop()
      await closeWithin(timeoutMs, [pool.end(), probePool.end()])
    },
  }
}

/** Logs once per change. Initially the replica is not used, because its lag is unknown. */
const createStatus = (log: Log) => {
  let obstacle: Obstacle | null | 'unknown' = 'unknown'
  return {
    isUsable: () => obstacle === null,
    set: (next: Obstacle | null, error?: unknown): void => {
      if (next === obstacle) return
      obstacle = next
      if (next === null) log.info('lists are read from the replica')
      else
        log.warn({ reason: next, ...(error !== undefined && { error }) }, 'lists are read from the primary')
    },
  }
}

/** Runs `work` at once and again after each pause, never concurrently. */
const repeat = (work: () => Promise<void>, pauseMs: number): { stop(): void } => {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const run = async (): Promise<void> => {
    await work()
    if (!stopped) timer = setTimeout(() => void run(), pauseMs).unref()
  }
  void run()
  return {
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
