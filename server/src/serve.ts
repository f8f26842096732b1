import { isLoopbackAddress } from './core/addresses/loopback.ts'
import { addPerson } from './features/members/add-person.ts'
import { personStore } from './features/members/person-store.ts'
import { type Config } from './platform/config.ts'
import { createLog } from './platform/log.ts'
import { linkToSupervisor, type SupervisorLink } from './platform/processes/child.ts'
import { stopOnSignal } from './platform/processes/stop-on-signal.ts'
import { demoMcpUrl, demoSignInUrl, type Service, startService } from './service.ts'
import { paintFor, showStep, type Welcome, welcome } from './welcome.ts'

/** Runs the service in this process: alone, or as one of the processes of a supervisor. */
export const serve = async (config: Config): Promise<void> => {
  const supervisor = linkToSupervisor()
  const isFirst = supervisor?.isFirst ?? true
  const service = await startService(config, createLog(config.logLevel), {
    withDemo: true,
    isStarted: !isFirst,
    withJobs: supervisor === null,
    ...(isFirst && { onStep: showStep }),
  })
  stopOnSignal({
    stop: async () => {
      await service.stop()
      await reportMetrics(service, supervisor)
      await supervisor?.leave()
      return 0
    },
  })
  if (!supervisor) return announce(config, service, performance.now())
  supervisor.reportReady(message => {
    switch (message.order) {
      case 'run-jobs':
        return service.runJobs()
      case 'report-metrics':
        return void reportMetrics(service, supervisor)
      case 'announce':
        return void announce(config, service, message.startMs)
    }
  })
}

/** A failure must not end the process. The supervisor then uses the previous report. */
const reportMetrics = async (
  { readMetrics, features }: Service,
  supervisor: SupervisorLink | null,
): Promise<void> => {
  try {
    if (supervisor && readMetrics) supervisor.reportMetrics(await readMetrics())
  } catch (error) {
    features.log.error({ error }, 'the metrics could not be reported')
  }
}

/** `startMs`: milliseconds from the start of the command to its readiness. */
const announce = async (config: Config, service: Service, startMs: number): Promise<void> => {
  process.stdout.write(welcome(await describeStart(config, service, startMs), paintFor(process.stdout)))
}

const describeStart = async (config: Config, service: Service, startMs: number): Promise<Welcome> => ({
  role: config.role,
  baseUrl: config.baseUrl,
  sandboxUrl: sandboxUrlOf(config, service),
  database: config.databaseUrl ? 'PostgreSQL' : `embedded, in ${config.dataDirectory}`,
  processes: config.processes,
  milliseconds: startMs,
  signIn: await firstSignIn(config, service),
  demo: await describeDemo(config, service),
})

const sandboxUrlOf = (
  { development, role, sandboxUrl }: Config,
  { sandbox }: Service,
): Welcome['sandboxUrl'] => {
  const url = sandboxUrl ?? sandbox?.url
  return url === undefined && development && role !== 'worker' ? null : url
}

/** For the first person of an installation. In production, the output may be stored in logs, so the link is not printed there. */
const firstSignIn = async (
  { development, role }: Config,
  { demo, features }: Service,
): Promise<Welcome['signIn']> => {
  if (role === 'worker' || (await personStore.count(features.db)) > 0) return null
  if (!development) return { command: 'carabiner people invite you@example.com --operator' }
  const { link } = await addPerson(features, {
    email: FIRST_EMAIL,
    name: 'Administrator',
    isOperator: true,
    membership: demo ? { organizationId: demo.organization_id, role: 'admin' } : undefined,
  })
  return { url: link.url.reveal() }
}
/** The person can replace it together with the first password. */
const FIRST_EMAIL = 'admin@carabiner.localhost'

const describeDemo = async (
  { baseUrl, host }: Config,
  { demo, features }: Service,
): Promise<Welcome['demo']> => {
  if (!demo) return null
  const owner = { organizationId: demo.organization_id, mode: 'test' } as const
  const target = { connectorSlug: null, toolPackId: null, callback: null, state: null }
  const { magic_link_url } = await features.mintLinkToken(owner, demo.registered_user_id, target)
  // If the service listens on the network, others may be able to read its output.
  const facts = isLoopbackAddress(host) ? demo : { ...demo, productionKey: null }
  return {
    facts,
    mcpUrl: demoMcpUrl(baseUrl, demo),
    signInUrl: demoSignInUrl(baseUrl, demo),
    magicLinkUrl: magic_link_url,
  }
}
