import { addGauge, type Metrics } from '../metrics/metrics.ts'
import type { Database } from './database.ts'

export const addPoolMetrics = (metrics: Metrics, db: Pick<Database, 'pools'>): void => {
  addGauge(metrics, {
    name: 'carabiner_database_connections',
    help: 'Database connections by pool and state. The pool `batch` admits and settles tool calls.',
    read: () =>
      db.pools().flatMap(({ name: pool, idle, inUse }) => [
        { labels: { pool, state: 'idle' }, value: idle },
        { labels: { pool, state: 'in_use' }, value: inUse },
      ]),
  })
  addGauge(metrics, {
    name: 'carabiner_database_waiting',
    help: 'Callers that wait for a database connection, by pool.',
    read: () => db.pools().map(({ name: pool, waiting }) => ({ labels: { pool }, value: waiting })),
  })
}
