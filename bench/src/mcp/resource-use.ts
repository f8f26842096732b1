import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Database } from '../../../server/src/platform/database/database.ts'
import { plainStatement } from '../../../server/test/support/run-sql.ts'
import { median } from '../figures.ts'

/**
 * What a call costs, whatever else runs on the machine: CPU time of the service and of PostgreSQL in microseconds, and bytes of
 * write-ahead log.
 */
export type Cost = { service: number; database: number; walBytes: number }

const selectServer = plainStatement<{ pid: number; wal: string }>(
  'bench.server',
  `select pg_backend_pid() as pid, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as wal`,
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

/** The time of a process and of its direct children, including those that have ended. */
const timeOfFamily = (pid: number): number => {
  const children = readdirSync('/proc').flatMap(name => {
    const times = /^\d+$/.test(name) ? timesOf(Number(name)) : null
    return times?.parent === pid ? times.own : []
  })
  const root = timesOf(pid)
  return children.reduce((sum, own) => sum + own, (root?.own ?? 0) + (root?.ofEndedChildren ?? 0))
}

const readUse = async (db: Database, servicePid: number): Promise<Cost> => {
  const [server] = await db.query(selectServer, [])
  const backend = timesOf(server?.pid ?? 0)
  return {
    service: timesOf(servicePid)?.own ?? 0,
    database: backend ? timeOfFamily(backend.parent) : 0,
    walBytes: Number(server?.wal ?? 0),
  }
}

/** Runs a measurement and returns the cost per response; without a cost where there is no `/proc`. */
export const withCost = async <Measured extends { responses: number }>(
  { db, servicePid }: { db: Database; servicePid: number },
  measure: () => Promise<Measured>,
): Promise<Measured & { cost?: Cost }> => {
  if (!existsSync('/proc/self/stat')) return measure()
  const before = await readUse(db, servicePid)
  const measured = await measure()
  const after = await readUse(db, servicePid)
  const perResponse = (name: keyof Cost): number =>
    (after[name] - before[name]) / Math.max(1, measured.responses)
  const cost = {
    service: perResponse('service'),
    database: perResponse('database'),
    walBytes: perResponse('walBytes'),
  }
  return { ...measured, cost }
}

export const medianCost = (costs: readonly Cost[]): Cost => ({
  service: median(costs.map(({ service }) => service)),
  database: median(costs.map(({ database }) => database)),
  walBytes: median(costs.map(({ walBytes }) => walBytes)),
})
