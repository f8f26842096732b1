import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { compiledCode } from './compiled-code.ts'
import { createTestDatabase, type Engine, type TestDatabase } from './databases.ts'
import { eventually } from './eventually.ts'
import { DATABASE_TIMEOUT_MS, SANDBOX_CONNECTORS } from './test-service.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

export type Node = {
  baseUrl: string
  process: ChildProcess
  output: () => string
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Processes of the service that share one database, as on several machines. */
export type Fleet = {
  database: TestDatabase
  keyFile: string
  /** The demo organization's test key and user, as printed by the first node. */
  key: string
  userId: string
  start(port?: number): Promise<Node>
  stop(): Promise<void>
}

export const startFleet = async (
  engine: Engine = 'postgres',
  options: {
    port?: number
    environment?: Record<string, string>
    /** Default: a new one. */
    database?: TestDatabase
  } = {},
): Promise<Fleet & { first: Node }> => {
  const database = options.database ?? (await createTestDatabase(engine))
  const keys = mkdtempSync(join(tmpdir(), 'carabiner-keys-'))
  const keyFile = join(keys, 'vault.key')
  const nodes = new Set<Node>()

  const start = async (wanted?: number): Promise<Node> => {
    const port = wanted ?? (await freePort())
    const child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        ...compiledCode,
        PORT: String(port),
        SANDBOX_PORT: '0',
        KEY_FILE: keyFile,
        TOMBSTONE_PATH: join(keys, 'deleted-users.log'),
        LOG_LEVEL: 'error',
        CONNECTORS: SANDBOX_CONNECTORS,
        DATABASE_TIMEOUT_MS,
        ...options.environment,
        ...(database.url ? { DATABASE_URL: database.url } : { DATA_DIRECTORY: database.folder }),
      },
    })
    let output = ''
    child.stdout.on('data', chunk => (output += String(chunk)))
    child.stderr.on('data', chunk => (output += String(chunk)))
    const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
    const node: Node = {
      baseUrl: `http://localhost:${port}`,
      process: child,
      output: () => output,
      kill: async (signal = 'SIGKILL') => {
        child.kill(signal)
        await exited
        nodes.delete(node)
      },
    }
    nodes.add(node)
    const ended = exited.then(() => Promise.reject(new Error(`the service ended: ${output}`)))
    const ready = eventually(async () => {
      if (!output.includes('link-token')) throw new Error(`not ready: ${output}`)
    })
    await Promise.race([ready, ended])
    ended.catch(() => undefined)
    return node
  }

  const first = await start(options.port)
  const key = /cb_sk_test_\w+/.exec(first.output())?.[0] as string
  await enableAllConnectors(database)
  const userId = /registered-users\/([0-9a-f-]{36})/.exec(first.output())?.[1] as string
  return {
    database,
    keyFile,
    key,
    userId,
    first,
    start,
    stop: async () => {
      await Promise.all([...nodes].map(node => node.kill('SIGKILL')))
      await database.drop()
      rmSync(keys, { recursive: true, force: true })
    },
  }
}

/** The demo's pack offers the sandbox only; tests add connectors of their own. */
const enableAllConnectors = async (database: TestDatabase): Promise<void> => {
  // The embedded database can be opened by one process only.
  if (!database.url) return
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('update tool_packs set connectors = null')
  await client.end()
}

export const post = async (
  url: string,
  key: string,
  body: unknown = {},
): Promise<{ status: number; body: any }> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}
