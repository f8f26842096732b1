import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Cluster, startCluster } from '../../scripts/postgres-cluster.ts'
import { Secret } from '../../server/src/core/secret.ts'
import type { Database } from '../../server/src/platform/database.ts'
import { openPostgres } from '../../server/src/platform/postgres.ts'
import { type Child, startChild } from './child.ts'
import { type CodeSeed, createCodeSeed, seedUsers } from './seed.ts'
import { createInstallation, type ServiceProcess, startServiceProcess } from './service-process.ts'
import { measureStarts, type Starts } from './start-and-rest.ts'

/** Everything that is measured, on one database. */
export type Stage = {
  cluster: Cluster
  database: string
  db: Database
  codes: CodeSeed
  service: ServiceProcess
  bareRoute: Child
  codeExchange: Child
  starts: Starts
  /** For files that live as long as the bench. */
  folder: string
  close(): Promise<void>
}

const DATABASE = 'bench'
/** Durable, as in production. Vacuum and checkpoints come between measurements and not in the middle of one. */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
}

const createDatabase = async (cluster: Cluster): Promise<string> => {
  const client = new pg.Client({ connectionString: `${cluster.url}/postgres` })
  await client.connect()
  await client.query(`create database ${DATABASE}`)
  await client.end()
  return `${cluster.url}/${DATABASE}`
}

/** The cluster does not keep this process alive, not even while it is waited for. */
const stopAwake = async (cluster: Cluster): Promise<void> => {
  const awake = setInterval(() => undefined, 1000)
  await cluster.stop()
  clearInterval(awake)
}

export const openStage = async (profile?: string): Promise<Stage> => {
  // Closed in the opposite order, also when a later step fails.
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const cluster = await startCluster(SETTINGS)
  opened.defer(() => stopAwake(cluster))
  const url = await createDatabase(cluster)
  const installation = createInstallation(url)
  opened.defer(() => installation.remove())

  const starts = await measureStarts(installation)
  const service = await startServiceProcess(installation, profile)
  opened.defer(() => service.stop())
  const bareRoute = await startChild({
    file: 'bench/src/references/bare-route.ts',
    args: [url],
    ready: /ready at (\S+)/,
  })
  opened.defer(() => bareRoute.stop())
  const codeExchange = await startChild({
    file: 'bench/src/references/code-exchange.ts',
    ready: /ready at (\S+)/,
  })
  opened.defer(() => codeExchange.stop())
  const db = await openPostgres({ url: new Secret(url), poolSize: 2, onIdleError: () => undefined })
  opened.defer(() => db.close())
  await seedUsers(db, service.demo.organizationId)
  const codes = createCodeSeed(db, service.demo.organizationId)
  await db.script('vacuum analyze')
  await db.script('checkpoint')

  const closing = opened.move()
  return {
    cluster,
    database: DATABASE,
    db,
    codes,
    service,
    bareRoute,
    codeExchange,
    starts,
    folder,
    close: () => closing.disposeAsync(),
  }
}
