import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort, postgresUser } from '../../../scripts/postgres-cluster.ts'
import { eventually } from './eventually.ts'

const CONFIGURATION = join(import.meta.dirname, '../../../deploy/pgbouncer/pgbouncer.ini')

export type Pooler = {
  /** The database through the pooler. */
  url: string
  stop(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

/** The configuration in `deploy/pgbouncer` with the addresses of this test, and two connections to PostgreSQL. */
const configure = (folder: string, port: number, database: URL): string => {
  const name = database.pathname.slice(1)
  const users = join(folder, 'userlist.txt')
  writeFileSync(users, `"${database.username}" ""\n`)
  const replacements: [RegExp, string][] = [
    [
      /^carabiner = .*$/m,
      `${name} = host=${database.hostname} port=${database.port} dbname=${name} user=${database.username}`,
    ],
    [/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1'],
    [/^listen_port = .*$/m, `listen_port = ${port}`],
    [/^auth_type = .*$/m, 'auth_type = trust'],
    [/^auth_file = .*$/m, `auth_file = ${users}`],
    // Fewer than the service has, so that they are shared.
    [/^default_pool_size = .*$/m, 'default_pool_size = 2'],
    // A busy machine must not fail the test.
    [/^query_wait_timeout = .*$/m, 'query_wait_timeout = 120'],
  ]
  let text = readFileSync(CONFIGURATION, 'utf8')
  for (const [pattern, replacement] of replacements) {
    if (!pattern.test(text)) throw new Error(`pgbouncer.ini does not contain ${pattern.source}`)
    text = text.replace(pattern, replacement)
  }
  const path = join(folder, 'pgbouncer.ini')
  writeFileSync(path, text)
  return path
}

/** Starts PgBouncer in transaction mode in front of a database. */
export const startPgbouncer = async (databaseUrl: string): Promise<Pooler> => {
  const user = postgresUser()
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-pgbouncer-'))
  if (user) chownSync(folder, user.uid, user.gid)
  const port = await freePort()
  const url = new URL(databaseUrl)
  const path = configure(folder, port, url)
  url.port = String(port)
  let stop = async (): Promise<void> => undefined

  const start = async (): Promise<void> => {
    const child = spawn('pgbouncer', [path], { stdio: ['ignore', 'pipe', 'pipe'], ...user })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
    const exited = once(child, 'exit')
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
    stop = async () => {
      process.off('exit', kill)
      child.kill('SIGKILL')
      await exited
    }
    const failed = exited.then(() => Promise.reject(new Error(`pgbouncer ended: ${output}`)))
    failed.catch(() => undefined)
    await Promise.race([eventually(() => queryOnce(url.href, 'select 1')), failed])
  }
  await start()
  return {
    url: url.href,
    start,
    stop: () => stop(),
    close: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a statement on a new connection. */
export const queryOnce = async (
  connectionString: string,
  sql: string,
): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
