import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOrganization } from './features/organizations/create-organization.ts'
import { readConfig } from './platform/config.ts'
import { fillFolder } from './platform/database/embedded/prepared-folder.ts'
import { MOVABLE_CLOCK, moveClock, readClock } from './platform/database/movable-clock.ts'
import { createLog } from './platform/log.ts'
import { SANDBOX_NOT_INSTALLED } from './sandbox.ts'
import { type Service, startService } from './service.ts'
import { createJobs } from './worker.ts'

export type ThrowawayOptions = {
  /** Settings of the service, as environment variables. The environment of the process is not read. */
  environment?: Readonly<Record<string, string>> | undefined
  /** Where the prepared database is stored for the next start. Null: nowhere. */
  cacheDirectory: string | null
  onLog: (line: string) => void
}

/** A service with its own temporary database, sandbox and clock, for tests of applications. */
export type Throwaway = {
  baseUrl: string
  sandboxUrl: string
  organization: { id: string; toolPackId: string; productionKey: string; testKey: string }
  /** The time of the service, in milliseconds since the epoch. */
  now(): Promise<number>
  /** Moves the clock of the service forward, then runs all scheduled jobs once. */
  advanceClock(milliseconds: number): Promise<void>
  stop(): Promise<void>
}

const MAX_PORT_ATTEMPTS = 10

/**
 * Starts a service that cannot be a production service: it listens on loopback, and its database is a new temporary folder, which
 * is deleted when it stops.
 */
export const startThrowaway = async (options: ThrowawayOptions): Promise<Throwaway> => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-testing-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    await fillFolder(join(folder, 'data'), { cache: options.cacheDirectory, script: MOVABLE_CLOCK })
    const service = await startOnFreePort(folder, options)
    return await openThrowaway(service, remove)
  } catch (error) {
    remove()
    throw error
  }
}

const startOnFreePort = async (folder: string, options: ThrowawayOptions): Promise<Service> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startAt(await findFreePort(), folder, options)
    } catch (error) {
      // Another process may take the port between the search and the start.
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || attempt === MAX_PORT_ATTEMPTS) throw error
    }
  }
}

const startAt = (
  port: number,
  folder: string,
  { environment, onLog }: ThrowawayOptions,
): Promise<Service> => {
  const config = readConfig({
    CONNECTORS: 'sandbox-notes sandbox-tasks sandbox-vault',
    LOG_LEVEL: 'info',
    ...environment,
    PORT: String(port),
    SANDBOX_PORT: '0',
    DATA_DIRECTORY: join(folder, 'data'),
    KEY_FILE: join(folder, 'keys', 'vault.key'),
    TOMBSTONE_PATH: join(folder, 'tombstones', 'deleted-users.log'),
  })
  if (!config.development || config.databaseUrl || config.sandboxUrl)
    throw new Error(
      'A service for tests listens on loopback, with its own embedded database and sandbox. Remove NODE_ENV, BASE_URL, DATABASE_URL and SANDBOX_URL from its settings.',
    )
  return startService(config, createLog(config.logLevel, { write: onLog }), {
    // Clients of a test may leave streams open, which would delay the stop.
    lastConnectionsMs: 0,
  })
}

const openThrowaway = async (service: Service, remove: () => void): Promise<Throwaway> => {
  const { features, sandbox } = service
  if (!sandbox) throw new Error(`The sandbox is ${SANDBOX_NOT_INSTALLED}`)
  const { organization, productionKey, testKey, toolPackId } = await createOrganization(features, 'Test')
  return {
    baseUrl: features.baseUrl,
    sandboxUrl: sandbox.url,
    organization: {
      id: organization.id,
      toolPackId,
      productionKey: productionKey.reveal(),
      testKey: testKey.reveal(),
    },
    now: async () => (await readClock(features.db)).getTime(),
    advanceClock: async milliseconds => {
      await moveClock(features.db, milliseconds)
      for (const { run } of createJobs(features)) await run()
    },
    stop: async () => {
      await service.stop()
      remove()
    },
  }
}

const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, 'localhost', () => {
      const address = server.address()
      const port = address !== null && typeof address === 'object' ? address.port : 0
      server.close(() => resolve(port))
    })
  })
