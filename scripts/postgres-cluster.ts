import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findPostgres } from './machine.ts'

export type Cluster = {
  url: string
  port: number
  /** Process ID of the server. */
  pid: number
  bin: string
  /** Ends all server processes at once, without a checkpoint. Resolves when the server is down. */
  crash(): Promise<void>
  /** Starts the server again after a crash. */
  start(): Promise<void>
  /** Stops the execution of all server processes: connections stay open, and nothing answers. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** PostgreSQL does not run as root; the Debian packages create a user for it. */
export const postgresUser = (): { uid: number; gid: number } | null => {
  if (process.getuid?.() !== 0) return null
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(line => line.startsWith('postgres:'))
    ?.split(':')
  if (!entry)
    throw new Error(
      'the tests run as root, but the user "postgres", which is needed to run PostgreSQL, does not exist',
    )
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

const PORT_RANGE = { from: 12_000, to: 32_000 }
const assignedPorts = new Set<number>()

const canListen = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

/**
 * A free port below the ephemeral range, so that no other process is assigned the same port between this check and
 * its use.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(PORT_RANGE.from, PORT_RANGE.to)
    if (assignedPorts.has(port)) continue
    assignedPorts.add(port)
    if (await canListen(port)) return port
  }
}

/** Disables durability, because the data is disposable. Tables are too small and short-lived for vacuum and statistics. */
export const DISPOSABLE_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
}

type Folder = { bin: string; folder: string; data: string; options: { stdio: 'ignore'; cwd: string } }

const createFolder = (parentFolder: string): Folder => {
  const bin = findPostgres()
  if (!bin) throw new Error('no PostgreSQL found')
  const user = postgresUser()
  const folder = mkdtempSync(join(parentFolder, 'carabiner-pg-'))
  if (user) chownSync(folder, user.uid, user.gid)
  return { bin, folder, data: join(folder, 'data'), options: { stdio: 'ignore', cwd: folder, ...user } }
}

/** Starts a disposable cluster on its own port. It is deleted when `stop` returns, and ends with this process. */
export const startCluster = async (
  settings: Record<string, string> = {},
  parentFolder: string = tmpdir(),
): Promise<Cluster> => {
  const created = createFolder(parentFolder)
  const { bin, data, options } = created
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    options,
  )
  return runServer(created, settings)
}

/** Settings of a cluster that can have a replica. */
export const REPLICATED_SETTINGS = {
  ...DISPOSABLE_SETTINGS,
  wal_level: 'replica',
  max_wal_senders: '4',
  synchronous_commit: 'on',
}

/** Starts a streaming replica of a cluster that runs with REPLICATED_SETTINGS. */
export const startReplicaOf = async (
  primary: Cluster,
  settings: Record<string, string> = {},
): Promise<Cluster> => {
  const created = createFolder(tmpdir())
  const { bin, data, options } = created
  const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
  execFileSync(
    join(bin, 'pg_basebackup'),
    [...source, '-D', data, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
    options,
  )
  return runServer(created, { ...REPLICATED_SETTINGS, ...settings })
}

const runServer = async (
  { bin, folder, data, options }: Folder,
  settings: Record<string, string>,
): Promise<Cluster> => {
  const port = await freePort()
  const configured = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: '200',
    ...settings,
  }
  const start = async (): Promise<ChildProcess> => {
    const started = spawn(
      join(bin, 'postgres'),
      ['-D', data, ...Object.entries(configured).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      options,
    )
    // The child must not keep a finished test file alive; the exit handler stops it.
    started.unref()
    await untilReady(bin, port, started)
    return started
  }
  let server = await start()
  const kill = () => {
    server.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
  process.once('exit', kill)
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.ref()
    const exited = new Promise(resolve => server.once('exit', resolve))
    server.kill(signal)
    await exited
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}`,
    port,
    get pid() {
      return server.pid as number
    },
    bin,
    crash: () => end('SIGQUIT'),
    start: async () => {
      server = await start()
    },
    pause: () => signalAll(server, 'SIGSTOP'),
    resume: () => signalAll(server, 'SIGCONT'),
    stop: async () => {
      process.off('exit', kill)
      await end('SIGINT')
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Sends a signal to the server and its child processes, which handle the connections. */
const signalAll = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  // The server first, so that it starts no other processes meanwhile.
  process.kill(pid as number, signal)
  for (const child of execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).split('\n'))
    if (child !== '') signalRunning(Number(child), signal)
}

/** A child process may end between the listing and the signal. */
const signalRunning = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const untilReady = async (bin: string, port: number, server: ChildProcess): Promise<void> => {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL exited with code ${server.exitCode}`)
    try {
      execFileSync(join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)], {
        stdio: 'ignore',
      })
      return
    } catch {
      await delay(50)
    }
  }
  throw new Error('PostgreSQL did not become ready')
}
