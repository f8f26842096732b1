import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Database } from '../../../server/src/platform/database/database.ts'
import { plainStatement } from '../../../server/test/support/run-sql.ts'
import { median } from '../figures.ts'
import { residentMegabytes } from '../measure-starts.ts'

/**
 * What a call costs, whatever else runs on the machine: CPU time of the service and of PostgreSQL (all of their processes) in microseconds, bytes of write-ahead
 * log, and the number of flushes of that log with their total time in microseconds. Concurrent calls share a flush.
 */
export type Cost = {
  service: number
  database: number
  walBytes: number
  flushes: number
  flushTime: number
}
const COSTS = ['service', 'database', 'walBytes', 'flushes', 'flushTime'] as const

type ServerRow = { pid: number; wal: string; flushes: string; flush_ms: number }
const selectServer = (flushesAndTime: string) =>
  plainStatement<ServerRow>(
    'bench.server',
    `select pg_backend_pid() as pid, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as wal,
       flushes, flush_ms from (${flushesAndTime}) w`,
  )
/** PostgreSQL 18 counts flushes elsewhere. */
const selectServer15 = selectServer(
  'select wal_sync::text as flushes, wal_sync_time as flush_ms from pg_stat_wal',
)
const selectServer18 = selectServer(
  `select sum(fsyncs)::text as flushes, sum(fsync_time) as flush_ms from pg_stat_io where object = 'wal'`,
)
const selectVersion = plainStatement<{ version: number }>(
  'bench.version',
  `select current_setting('server_version_num')::integer as version`,
)

/** The kernel counts CPU time in hundredths of a second. */
const MICROSECONDS_PER_TICK = 10_000

type ProcessTimes = { parent: number; own: number; ofEndedChildren: number }

const timesOf = (pid: number): ProcessTimes | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the process is in parentheses and may contain spaces.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0, user = 0, system = 0, childUser = 0, childSystem = 0] = [1, 11, 12, 13, 14].map(
      index => fields[index],
    )
    return {
      parent,
      own: (user + system) * MICROSECONDS_PER_TICK,
      ofEndedChildren: (childUser + childSystem) * MICROSECONDS_PER_TICK,
    }
  } catch {
    return null
  }
}

const hasProcessFiles = (): boolean => existsSync('/proc/self/stat')

const childrenOf = (pid: number): number[] =>
  (hasProcessFiles() ? readdirSync('/proc') : [])
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(child => timesOf(child)?.parent === pid)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0)

/** The time of a process and of its direct children, including those that have ended. */
const timeOfFamily = (pid: number): number =>
  (timesOf(pid)?.ofEndedChildren ?? 0) +
  sum([pid, ...childrenOf(pid)].map(member => timesOf(member)?.own ?? 0))

/** The resident memory of a process and of its direct children, in MB. Shared pages are counted for each of them. */
export const memoryOfFamily = (pid: number): number => sum([pid, ...childrenOf(pid)].map(residentMegabytes))

const readUse = async (db: Database, servicePid: number): Promise<Cost> => {
  const [found] = await db.query(selectVersion, [])
  const [server] = await db.query((found?.version ?? 0) < 180_000 ? selectServer15 : selectServer18, [])
  const backend = timesOf(server?.pid ?? 0)
  return {
    service: timeOfFamily(servicePid),
    database: backend ? timeOfFamily(backend.parent) : 0,
    walBytes: Number(server?.wal ?? 0),
    flushes: Number(server?.flushes ?? 0),
    flushTime: 1000 * (server?.flush_ms ?? 0),
  }
}

/** Runs a measurement and returns the cost per response; without a cost where there is no `/proc`. */
export const withCost = async <Measured extends { responses: number }>(
  { db, servicePid }: { db: Database; servicePid: number },
  measure: () => Promise<Measured>,
): Promise<Measured & { cost?: Cost }> => {
  if (!hasProcessFiles()) return measure()
  const before = await readUse(db, servicePid)
  const measured = await measure()
  const after = await readUse(db, servicePid)
  const cost = costOf(name => (after[name] - before[name]) / Math.max(1, measured.responses))
  return { ...measured, cost }
}

const costOf = (figure: (name: keyof Cost) => number): Cost =>
  Object.fromEntries(COSTS.map(name => [name, figure(name)])) as Cost

export const medianCost = (costs: readonly Cost[]): Cost =>
  costOf(name => median(costs.map(cost => cost[name])))

export const describeCost = ({ service, database, walBytes, flushes, flushTime }: Cost): string =>
  `service ${service.toFixed(0)} µs, PostgreSQL ${database.toFixed(0)} µs, WAL ${walBytes.toFixed(0)} bytes, ` +
  `${flushes.toFixed(2)} flushes of ${meanFlush({ flushes, flushTime }).toFixed(0)} µs`

export const meanFlush = ({ flushes, flushTime }: Pick<Cost, 'flushes' | 'flushTime'>): number =>
  flushes === 0 ? 0 : flushTime / flushes
