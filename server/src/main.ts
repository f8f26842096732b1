import cluster from 'node:cluster'
import { UnfinishedRestore } from './features/backups/unfinished-restore.ts'
import { CatalogError } from './features/connectors/catalog/rules/connector-problem.ts'
import { CellMapError } from './platform/cell-map.ts'
import { ConfigError, readConfig } from './platform/config.ts'
import { FolderInUse } from './platform/database/embedded/folder-lock.ts'
import { FolderUnusable } from './platform/database/embedded/make-folder.ts'
import { FolderNotPrivate } from './platform/database/embedded/private-folder.ts'
import { MigrationError } from './platform/database/migrate.ts'
import { TransactionPooling } from './platform/database/open-database.ts'
import { TombstoneLogError } from './platform/tombstone-log.ts'
import { VaultKeyError } from './platform/vault/key.ts'
import { KeyServiceError } from './platform/vault/key-provider.ts'

const run = async (): Promise<void> => {
  // A closed pipe or a full disk must not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  // Files of the service are accessible to its own account only.
  process.umask(0o077)
  const config = readConfig(process.env, process.argv.slice(2))
  // The supervisor stays small, because it does not load the service.
  if (cluster.isPrimary && config.processes > 1) {
    const { supervise } = await import('./supervise.ts')
    return supervise(config)
  }
  const { serve } = await import('./serve.ts')
  return serve(config)
}

/** Errors that an operator can fix are shown as one sentence; others keep their stack. */
const explain = (error: unknown): string => {
  if (
    error instanceof ConfigError ||
    error instanceof CellMapError ||
    error instanceof CatalogError ||
    error instanceof VaultKeyError ||
    error instanceof KeyServiceError ||
    error instanceof FolderInUse ||
    error instanceof FolderUnusable ||
    error instanceof FolderNotPrivate ||
    error instanceof TombstoneLogError ||
    error instanceof UnfinishedRestore ||
    error instanceof MigrationError ||
    error instanceof TransactionPooling
  )
    return error.message
  const { code, port, message, stack } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port ?? ''} is in use. Stop the process using it, or set PORT, METRICS_PORT and SANDBOX_PORT to free ports.`
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
    return `The database cannot be reached: ${message}. Check DATABASE_URL.`
  return stack ?? message
}

run().catch(error => {
  process.stderr.write(`Carabiner did not start.\n${explain(error)}\n`)
  process.exit(1)
})
