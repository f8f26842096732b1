import { CatalogueError } from './features/connectors/connector-problem.ts'
import { ensureDemo } from './first-boot.ts'
import { type Config, ConfigError, readConfig } from './platform/config.ts'
import { FolderInUse } from './platform/folder-lock.ts'
import { createLog } from './platform/log.ts'
import { MigrationError } from './platform/migrate.ts'
import { VaultKeyError } from './platform/vault-key.ts'
import { type Service, startService } from './service.ts'
import { welcome } from './welcome.ts'

const startedAt = performance.now()

const run = async (): Promise<void> => {
  const config = readConfig(process.env, process.argv.slice(2))
  const log = createLog(config.logLevel)
  const service = await startService(config, log)
  stopOnSignal(service)
  process.stdout.write(await describeStart(config, service))
}

const describeStart = async (config: Config, service: Service): Promise<string> => {
  const demo = config.development ? await ensureDemo(config, service.features) : null
  return welcome({
    baseUrl: config.baseUrl,
    sandboxUrl: service.sandbox?.url,
    database: config.databaseUrl ? 'PostgreSQL' : `embedded, in ${config.dataDirectory}`,
    milliseconds: performance.now() - startedAt,
    demo,
  })
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

/** What an operator can mend is said in a sentence; anything else keeps its stack. */
const explain = (error: unknown): string => {
  if (
    error instanceof ConfigError ||
    error instanceof CatalogueError ||
    error instanceof VaultKeyError ||
    error instanceof FolderInUse ||
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
