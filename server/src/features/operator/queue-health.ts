import type { InstallationHealth } from '@carabiner/contract'
import type { Database } from '../../platform/database/database.ts'
import type { HealthCheck, HealthStatus } from './health-status.ts'
import { installationStore, type QueueDepth } from './installation-store.ts'

type QueueHealth = InstallationHealth['queues'][number]
type Name = QueueHealth['name']

const MINUTE_SECONDS = 60

/** Seconds that the oldest entry may wait, and what an operator can do. Null: how long it takes depends on others. */
const QUEUES: Record<Name, { maxSeconds: number | null; what: string; fix: string }> = {
  webhooks: {
    maxSeconds: 5 * MINUTE_SECONDS,
    what: 'Webhook deliveries',
    fix: 'Add a worker process (ROLE=worker), and check the latency of the database.',
  },
  revocations: {
    maxSeconds: 60 * MINUTE_SECONDS,
    what: 'Revocations of tokens',
    fix: 'Check that a worker process is running and can reach the providers. Revocations are retried for a day.',
  },
  refreshes: {
    maxSeconds: null,
    what: 'Refreshes of idle credentials',
    fix: '',
  },
  deletions: { maxSeconds: null, what: 'Organization deletions', fix: '' },
}

const readers: Record<Name, (db: Database) => Promise<QueueDepth>> = {
  webhooks: db => installationStore.webhooks(db),
  revocations: db => installationStore.revocations(db),
  refreshes: db => installationStore.refreshes(db),
  deletions: db => installationStore.deletions(db),
}

export const readQueues = async (db: Database): Promise<QueueHealth[]> => {
  const queues: QueueHealth[] = []
  for (const name of Object.keys(QUEUES) as Name[]) {
    const { waiting, oldestSeconds } = await readers[name](db)
    const oldest = oldestSeconds === null ? null : Math.max(0, Math.round(oldestSeconds))
    queues.push({ name, status: statusOf(name, oldest), waiting, oldest_seconds: oldest })
  }
  return queues
}

const statusOf = (name: Name, oldest: number | null): HealthStatus => {
  const { maxSeconds } = QUEUES[name]
  return maxSeconds !== null && oldest !== null && oldest > maxSeconds ? 'warning' : 'ok'
}

/** Only queues that are behind. */
export const checkQueues = (queues: readonly QueueHealth[]): HealthCheck[] =>
  queues
    .filter(({ status }) => status !== 'ok')
    .map(({ name, status, waiting, oldest_seconds }) => ({
      name,
      status,
      found: `${QUEUES[name].what} are delayed: ${waiting} waiting, the oldest for ${Math.round((oldest_seconds ?? 0) / MINUTE_SECONDS)} minutes.`,
      fix: QUEUES[name].fix,
    }))
