import { CatalogError } from './features/connectors/catalog/connector-problem.ts'
import { CellMapError } from './platform/cell-map.ts'
import { type Config, ConfigError, LOOPBACK_HOSTS, readConfig } from './platform/config.ts'
import { FolderInUse } from './platform/database/folder-lock.ts'
import { FolderUnusable } from './platform/database/make-folder.ts'
import { MigrationError } from './platform/database/migrate.ts'
import { FolderNotPrivate } from './platform/database/private-folder.ts'
import { createLog } from './platform/log.ts'
import { TombstoneLogError } from './platform/tombstone-log.ts'
import { VaultKeyError } from './platform/vault/key.ts'
import { demoMcpUrl, type Service, startService } from './service.ts'
import { paintFor, type Welcome, welcome } from './welcome.ts'

const startedAt = performance.now()

const run = async (): Promise<void> => {
  // A closed pipe or a full disk must not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  // Files of the service are accessible to its own account only.
  process.umask(0o077)
  const config = readConfig(process.env, process.argv.slice(2))
  const log = createLog(config.logLevel)
  const service = await startService(config, log, { withDemo: true, onStep: showStep })
  stopOnSignal(service)
  process.stdout.write(welcome(await describeStart(config, service), paintFor(process.stdout)))
}

/** Prints the current step, because a cold start may take many seconds on a busy machine. */
const showStep = (step: string): void => {
  process.stderr.write(`${paintFor(process.stderr)('dim', `${step} …`)}\n`)
}

const describeStart = async (config: Config, service: Service): Promise<Welcome> => ({
  baseUrl: config.baseUrl,
  sandboxUrl: service.sandbox?.url,
  database: config.databaseUrl ? 'PostgreSQL' : `embedded, in ${config.dataDirectory}`,
  milliseconds: performance.now() - startedAt,
  demo: await describeDemo(config, service),
})

const describeDemo = async (
  { baseUrl, host }: Config,
  { demo, features }: Service,
): Promise<Welcome['demo']> => {
  if (!demo) return null
  const owner = { organizationId: demo.organization_id, mode: 'test' } as const
  const target = { connectorSlug: null, toolPackId: null, callback: null, state: null }
  const { magic_link_url } = await features.mintLinkToken(owner, demo.registered_user_id, target)
  // If the service listens on the network, others may be able to read its output.
  const facts = LOOPBACK_HOSTS.has(host) ? demo : { ...demo, productionKey: null }
  return { facts, mcpUrl: demoMcpUrl(baseUrl, demo), magicLinkUrl: magic_link_url }
}

const stopOnSignal = (service: Service): void => {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      service.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
}

/** Errors that an operator can fix are shown as one sentence; others keep their stack. */
const explain = (error: unknown): string => {
  if (
    error instanceof ConfigError ||
    error instanceof CellMapError ||
    error instanceof CatalogError ||
    error instanceof VaultKeyError ||
    error instanceof FolderInUse ||
    error instanceof FolderUnusable ||
    error instanceof FolderNotPrivate ||
    error instanceof TombstoneLogError ||
    error instanceof MigrationError
  )
    return error.message
  const { code, port, message, stack } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port ?? ''} is in use. Stop the process using it, or set PORT and SANDBOX_PORT to free ports.`
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
    return `The database cannot be reached: ${message}. Check DATABASE_URL.`
  return stack ?? message
}

run().catch(error => {
  process.stderr.write(`Carabiner did not start.\n${explain(error)}\n`)
  process.exit(1)
})
