import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cluster } from '../../scripts/postgres-cluster.ts'
import { Secret } from '../../server/src/core/secret.ts'
import type { Database } from '../../server/src/platform/database/database.ts'
import { openPostgres } from '../../server/src/platform/database/postgres/postgres.ts'
import { type Child, startChild } from './child.ts'
import { DATABASE, startDurableCluster } from './durable-cluster.ts'
import { measureStarts, type Starts } from './measure-starts.ts'
import type { Options } from './options.ts'
import { type CodeSeed, createCodeSeed, SEED_TIMEOUT_MS, seedUsers } from './seed.ts'
import { createInstallation, type ServiceProcess, startServiceProcess } from './service-process.ts'

/** The service and its references, on one database. */
export type Stage = {
  cluster: Cluster
  database: string
  db: Database
  codes: CodeSeed
  service: ServiceProcess
  bareRoute: Child
  codeExchange: Child
  starts: Starts
  /** For temporary files. It is deleted by `close`. */
  folder: string
  close(): Promise<void>
}

export const openStage = async ({
  profile,
  ramDisk,
}: Pick<Options, 'profile' | 'ramDisk'>): Promise<Stage> => {
  // Closed in reverse order, even if a later step fails.
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const { cluster, url } = await startDurableCluster(opened, ramDisk)
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
  const db = await openPostgres({
    url: new Secret(url),
    poolSize: 2,
    timeoutMs: SEED_TIMEOUT_MS,
    onIdleError: () => undefined,
  })
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
