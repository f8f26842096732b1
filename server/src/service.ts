import { setTimeout as delay } from 'node:timers/promises'
import type { Sandbox } from '@carabiner/sandbox'
import type { FastifyInstance } from 'fastify'
import { buildApp, buildWorkerApp } from './app.ts'
import { SECOND } from './core/duration.ts'
import { MCP_PATH, packHandle } from './core/pack-handle.ts'
import { Secret } from './core/secret.ts'
import { siblingModule } from './core/sibling-module.ts'
import { ensureDemoUserSignIn } from './demo-user-sign-in.ts'
import { requireNoUnfinishedRestore } from './features/backups/unfinished-restore.ts'
import { createHealthReader } from './features/operator/read-health.ts'
import { revokeDevelopmentKeys } from './features/organizations/end-api-keys.ts'
import type { DemoTarget } from './features/start-page/routes.ts'
import { startTaskWorker } from './features/tools/task-runner/task-worker.ts'
import { startWebhookWorker, type WebhookWorkerOptions } from './features/webhooks/webhook-worker.ts'
import { createFeatures, type Features } from './features.ts'
import { type BootedDemo, ensureDemo } from './first-boot.ts'
import { openCells } from './platform/cells.ts'
import type { Config } from './platform/config.ts'
import {
  applyMigrations,
  openDatabase,
  openLists,
  refuseTransactionPooling,
} from './platform/database/open-database.ts'
import { allowLoopback, createEgress } from './platform/egress/egress.ts'
import { watchFileDescriptors } from './platform/health/file-descriptors.ts'
import { createServiceReadiness } from './platform/health/service-readiness.ts'
import { createIsolatedPool } from './platform/isolation/isolated-pool.ts'
import { createQueue, type Queue } from './platform/jobs/queue.ts'
import type { WakeUpOptions } from './platform/jobs/wake-ups.ts'
import type { Log } from './platform/log.ts'
import {
  createServiceMetrics,
  openReporter,
  type ReadReport,
  serveMetrics,
} from './platform/metrics/service-metrics.ts'
import { openTombstoneLog } from './platform/tombstone-log.ts'
import type { Tracing } from './platform/tracing/tracing.ts'
import { openVaultFor } from './platform/vault/open-vault.ts'
import type { Vault } from './platform/vault/vault.ts'
import { openSandbox, SANDBOX_CLIENT } from './sandbox.ts'
import { createJobs, REVOCATION_JOB } from './worker.ts'

export const VERSION = '0.1.0'
/** A stop that takes longer is aborted. Pending work is safe in the database. */
const STOP_TIMEOUT_MS = 30 * SECOND
/** All calls have ended by then. The remaining connections are closed, so that they do not delay the stop. */
const CONNECTION_CLOSE_MS = 27 * SECOND

export type Service = {
  app: FastifyInstance
  features: Features
  sandbox: Sandbox | undefined
  queue: Queue
  /** Runs the jobs in this process, if they were not started with it. */
  runJobs(): void
  /** The metrics of this process. Null if nothing reads them. */
  readMetrics: ReadReport | null
  /** The demo organization; only in development. */
  demo: BootedDemo | null
  stop(): Promise<void>
}

export type ServiceOptions = {
  /** Called before each startup step that may take a while. */
  onStep?: (step: string) => void
  /** Development: create the demo organization if there is none. */
  withDemo?: boolean
  /**
   * Whether another process of this service has started it: migrated the database, created the demo organization and
   * revoked the keys that are for development only. Default: false.
   */
  isStarted?: boolean
  /** Whether to run the jobs, if the role of this process includes them. Default: true. */
  withJobs?: boolean
  /** Whether the jobs run at their times, and not only when woken. Tests run them when they need them. Default: true. */
  withSchedule?: boolean
  // Tests change these intervals to avoid waiting.
  wakeUps?: WakeUpOptions
  webhookWorker?: WebhookWorkerOptions
  /** Maximum time that a task is queued for a worker thread. */
  maxTaskWaitMs?: number
  /** How long a stop waits for open connections. */
  lastConnectionsMs?: number
  /** Resolves when load balancers no longer send requests to a process that is not ready. Default: after `drainDelayMs`. */
  drained?: () => Promise<unknown>
}

/**
 * Starts database, vault, sandbox (development), features, routes, listener and jobs in this order, and stops them in
 * the reverse order.
 */
export const startService = async (
  config: Config,
  log: Log,
  options: ServiceOptions = {},
): Promise<Service> => {
  const opened = new AsyncDisposableStack()
  try {
    return await openService(config, log, options, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

const openService = async (
  config: Config,
  log: Log,
  {
    wakeUps,
    webhookWorker,
    lastConnectionsMs = CONNECTION_CLOSE_MS,
    withDemo = false,
    isStarted = false,
    withJobs = true,
    withSchedule = true,
    onStep = () => undefined,
    maxTaskWaitMs,
    drained = () => delay(config.drainDelayMs),
  }: ServiceOptions,
  opened: AsyncDisposableStack,
): Promise<Service> => {
  const cells = config.cell ? openCells(config.cell, { log }) : null
  onStep(config.databaseUrl ? 'Connecting to PostgreSQL' : 'Opening the embedded database')
  if (!isStarted) await refuseTransactionPooling(config, log)
  const db = await openDatabase(config, log)
  opened.defer(() => db.close())
  const descriptors = watchFileDescriptors({ log })
  opened.defer(() => descriptors.stop())
  const metrics = createServiceMetrics(db, VERSION)
  const tracing = await openServiceTracing(config, log)
  opened.defer(() => tracing?.close())
  const lists = await openLists(config, db, log)
  opened.defer(() => lists.close())
  onStep('Checking migrations')
  await applyMigrations(config, { db, log, apply: config.migrate && !isStarted })
  await requireNoUnfinishedRestore(db)
  const vault = await openVaultFor(config, db)
  const egress = createEgress({
    [allowLoopback]: config.development,
    dnsServers: config.dnsServers,
    onLocalFailure: error => log.error({ error }, 'a provider was not called: no free file descriptor'),
  })
  opened.defer(() => egress.close())
  const isolated = createIsolatedPool({
    entry: siblingModule('isolated', import.meta.url),
    maxWaitMs: maxTaskWaitMs,
  })
  opened.defer(() => isolated.close())
  // A worker would need the sandbox of the processes that link accounts: SANDBOX_URL.
  const ownsSandbox = config.development && !config.sandboxUrl && config.role !== 'worker'
  if (ownsSandbox) onStep('Starting the sandbox')
  const sandbox = ownsSandbox ? await openOwnSandbox(config, vault) : undefined
  opened.defer(() => sandbox?.close())
  const queue = createQueue({ db, log, metrics })
  opened.defer(() => queue.stop())
  const afterRevocation = () => {
    queue
      .wake(REVOCATION_JOB)
      .catch(error =>
        log.warn({ error, job: REVOCATION_JOB }, 'wake-up could not be sent; the job runs at its next tick'),
      )
  }
  const sandboxUrl = config.sandboxUrl ?? sandbox?.url
  onStep('Loading connectors')
  const features = await createFeatures(config, {
    db,
    lists,
    vault,
    egress,
    isolated,
    metrics,
    tracing,
    log,
    tombstones: await openTombstoneLog(config.tombstonePath),
    cells,
    version: VERSION,
    sandboxUrl,
    afterRevocation,
    ...(wakeUps && { wakeUpOptions: wakeUps }),
  })
  opened.defer(() => features.sessions.stop())
  opened.defer(() => features.keyUses.stop())
  if (!config.development && !isStarted) await revokeDevelopmentKeys({ db, signer: vault.signer })
  const demo =
    config.development && withDemo && config.role !== 'worker'
      ? await ensureDemo(config, features, { create: !isStarted, sandbox })
      : null
  if (demo && sandboxUrl !== undefined && !isStarted) await ensureDemoUserSignIn(features, demo, sandboxUrl)
  const readiness = await createServiceReadiness({ ...features, queue })
  const app =
    config.role === 'worker'
      ? buildWorkerApp(config, features, readiness)
      : buildApp(config, features, readiness, {
          demo: demo && demoTarget(demo),
          readHealth: createHealthReader({ ...features, config, jobs: createJobs(features) }),
        })
  opened.defer(async () => {
    const closeMs = Math.max(0, lastConnectionsMs - config.drainDelayMs)
    const last = setTimeout(() => app.server.closeAllConnections(), closeMs)
    await app.close()
    clearTimeout(last)
  })
  const readMetrics = await openReporter(config.metrics, metrics)
  // The supervisor of several processes serves the metrics of all of them.
  if (config.metrics && readMetrics && config.processes === 1)
    opened.use(await serveMetrics(config.metrics, readMetrics, log))
  await app.listen({ host: config.host, port: config.port })
  const runJobs = () => {
    queue.start(createJobs(features), { withSchedule })
    const webhooks = startWebhookWorker(features, webhookWorker)
    opened.defer(() => webhooks.stop())
    const tasks = startTaskWorker(features)
    opened.defer(() => tasks.stop())
  }
  if (withJobs && config.role !== 'api') runJobs()
  const stop = () =>
    stopInTime(log, async () => {
      readiness.drain()
      await drained()
      await features.acceptedTasks.stop()
      await opened.disposeAsync()
    })
  return { app, features, sandbox, queue, runJobs, readMetrics, demo, stop }
}

/** OpenTelemetry is loaded only if it is used. */
const openServiceTracing = async ({ tracing }: Config, log: Log): Promise<Tracing | null> => {
  if (!tracing) return null
  const { openTracing } = await import('./platform/tracing/open-tracing.ts')
  return openTracing(tracing, VERSION, log)
}

const demoTarget = ({ organization_id, registered_user_id }: BootedDemo): DemoTarget => ({
  organizationId: organization_id,
  registeredUserId: registered_user_id,
})

export const demoMcpUrl = (baseUrl: string, demo: BootedDemo): string =>
  `${baseUrl}/api/v1/tool-packs/${demo.tool_pack_id}/registered-users/${demo.registered_user_id}/mcp`

/** The MCP endpoint at which users of the test mode sign in. */
export const demoSignInUrl = (baseUrl: string, demo: BootedDemo): string =>
  `${baseUrl}${MCP_PATH}/${packHandle(demo.organization_id, demo.tool_pack_id, 'test')}`

const stopInTime = async (log: Log, stop: () => Promise<void>): Promise<void> => {
  const deadline = setTimeout(() => {
    log.error('the stop timed out and was aborted')
    process.exit(1)
  }, STOP_TIMEOUT_MS)
  await stop()
  clearTimeout(deadline)
}

/** The sandbox's client secret is derived, so that it need not be stored in two places. */
const openOwnSandbox = async (config: Config, { signer }: Vault): Promise<Sandbox | undefined> => {
  const clientSecret = new Secret(signer.sign('sandbox-client', config.baseUrl).toString('hex'))
  for (const slug of SANDBOX_CLIENT.connectors)
    config.oauthApps.set(slug, { clientId: SANDBOX_CLIENT.id, clientSecret })
  return openSandbox(config, clientSecret)
}
