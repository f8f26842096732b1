import { randomBytes } from 'node:crypto'
import type { Sandbox } from '@carabiner/sandbox'
import { Secret } from './core/secret.ts'
import type { Config } from './platform/config.ts'
import { createLog, type Log } from './platform/log.ts'
import type { MetricsAddress } from './platform/metrics/metrics-server.ts'
import type { ProcessReports } from './platform/metrics/process-reports.ts'
import { serveMetrics } from './platform/metrics/service-metrics.ts'
import { forkChild } from './platform/processes/child.ts'
import { stopOnSignal } from './platform/processes/stop-on-signal.ts'
import { createSupervisor } from './platform/processes/supervisor.ts'
import { openSandbox, SANDBOX_CLIENT } from './sandbox.ts'
import { showStep } from './welcome.ts'

/** Runs the service in several processes. This one serves no requests and has no connection to the database. */
export const supervise = async (config: Config): Promise<void> => {
  const { sandbox, environment } = await openSharedSandbox(config)
  const exit = async (code: number): Promise<void> => {
    await sandbox?.close()
    process.exit(code)
  }
  const log = createLog(config.logLevel)
  const reports = config.metrics ? await openProcessReports(config.metrics, log) : null
  const supervisor = createSupervisor({
    processes: config.processes,
    withJobs: config.role !== 'api',
    fork: () => {
      const child = forkChild(environment)
      reports?.add(child)
      return child
    },
    log,
    onStep: showStep,
    onReady: first => first.send({ order: 'announce', startMs: performance.now() }),
    onFailure: code => void exit(code),
  })
  stopOnSignal({
    stop: async () => {
      const code = await supervisor.stop()
      await sandbox?.close()
      return code
    },
    onInterrupt: () => supervisor.kill(),
  })
  await supervisor.start()
}

/** One scrape returns the metrics of all processes. */
const openProcessReports = async (address: MetricsAddress, log: Log): Promise<ProcessReports> => {
  const { createProcessReports } = await import('./platform/metrics/process-reports.ts')
  const reports = createProcessReports()
  await serveMetrics(address, () => reports.read(), log)
  return reports
}

type SharedSandbox = { sandbox?: Sandbox; environment: Record<string, string> }

/** Development only: one sandbox for all processes, which are configured as if it ran elsewhere. */
const openSharedSandbox = async (config: Config): Promise<SharedSandbox> => {
  if (!config.development || config.sandboxUrl) return { environment: {} }
  showStep('Starting the sandbox')
  const clientSecret = new Secret(randomBytes(32).toString('hex'))
  const sandbox = await openSandbox(config, clientSecret)
  if (!sandbox) return { environment: {} }
  const apps = SANDBOX_CLIENT.connectors.map(slug => {
    const name = slug.toUpperCase().replaceAll('-', '_')
    return {
      [`OAUTH_${name}_CLIENT_ID`]: SANDBOX_CLIENT.id,
      [`OAUTH_${name}_CLIENT_SECRET`]: clientSecret.reveal(),
      [`OAUTH_${name}_CLIENT_SECRET_FILE`]: '',
    }
  })
  return { sandbox, environment: Object.assign({ SANDBOX_URL: sandbox.url }, ...apps) }
}
