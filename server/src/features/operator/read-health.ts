import type { InstallationHealth } from '@carabiner/contract'
import type { Config } from '../../platform/config.ts'
import { type Database, ping } from '../../platform/database/database.ts'
import { describeStorage } from '../diagnostics/describe-storage.ts'
import { examineRunning } from '../diagnostics/doctor.ts'
import { type HealthCheck, worst } from './health-status.ts'
import { installationStore } from './installation-store.ts'
import { checkJobs, describeJobs, type ScheduledJob } from './job-health.ts'
import { checkQueues, readQueues } from './queue-health.ts'

type Deps = { db: Database; config: Config; version: string; jobs: readonly ScheduledJob[] }

export type ReadHealth = () => Promise<InstallationHealth>

const LATENCY_SAMPLES = 5

/** The state of the installation. Nothing is changed. */
export const createHealthReader =
  ({ db, config, version, jobs: schedule }: Deps): ReadHealth =>
  async () => {
    const latencyMs = await measureLatency(db)
    const storage = await describeStorage(db)
    const uptimeSeconds = Math.floor(process.uptime())
    const jobs = describeJobs(schedule, await installationStore.jobs(db), uptimeSeconds)
    const queues = await readQueues(db)
    const findings = await examineRunning({ config, db })
    const checks: HealthCheck[] = [
      ...findings.map(finding => ({
        name: finding.check,
        status: finding.status === 'problem' ? ('problem' as const) : ('ok' as const),
        found: finding.found,
        fix: finding.status === 'problem' ? finding.fix : null,
      })),
      checkJobs(jobs),
      ...checkQueues(queues),
    ]
    return {
      status: worst(checks),
      version,
      node: process.version,
      role: config.role,
      processes: config.processes,
      uptime_seconds: uptimeSeconds,
      memory_bytes: process.memoryUsage.rss(),
      database: {
        engine: db.engine,
        version: storage.version,
        latency_ms: Math.round(latencyMs * 10) / 10,
        bytes: storage.tables.reduce((sum, { bytes }) => sum + bytes, 0),
        migrations: storage.migrations,
      },
      organizations: storage.organizations,
      checks,
      jobs,
      queues,
      storage: storage.tables.slice(0, 12),
    }
  }

/** The median of a few statements. */
const measureLatency = async (db: Database): Promise<number> => {
  const times: number[] = []
  for (let sample = 0; sample < LATENCY_SAMPLES; sample++) {
    const startedAt = performance.now()
    await db.query(ping)
    times.push(performance.now() - startedAt)
  }
  return times.toSorted((a, b) => a - b)[LATENCY_SAMPLES >> 1] as number
}
