import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOrganization } from '../server/src/features/organizations/create-organization.ts'
import { readConfig } from '../server/src/platform/config.ts'
import { migrate } from '../server/src/platform/database/migrate.ts'
import { openDatabase } from '../server/src/platform/database/open-database.ts'
import { createLog } from '../server/src/platform/log.ts'
import { openVaultFor } from '../server/src/platform/vault/open-vault.ts'
import { runSql } from '../server/test/support/run-sql.ts'
import { apiKeySecret, seedSealedUsers } from '../server/test/support/sealed-users.ts'
import { ensureTools } from './machine.ts'
import { type Cluster, startCluster } from './postgres-cluster.ts'

/**
 * `npm run proof:backup`: a database with 100,000 users is backed up and restored with the command, from PostgreSQL into both engines, and
 * from the embedded database back into PostgreSQL. Prints time, size and memory, and those of pg_dump and pg_restore in the same run.
 */
const USERS = Number(process.env.USERS ?? 100_000)
const EVENTS_PER_USER = 2
const CALLS_PER_USER = 5
const CLI = join(import.meta.dirname, '../apps/carabiner/bin/carabiner.mjs')

type Environment = Record<string, string>
type Measured = { seconds: number; megabytes: number; data: Record<string, unknown> }

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const sizeOf = (path: string): string => `${(statSync(path).size / 1e6).toFixed(1)} MB`

const seed = async (environment: Environment): Promise<void> => {
  const config = readConfig(environment)
  const db = await openDatabase(config, createLog('silent'))
  await migrate(db, { apply: true })
  const vault = await openVaultFor(config, db)
  const { organization } = await createOrganization({ db, vault }, 'Large')
  const organizationId = organization.id
  const secretOf = (id: string) => apiKeySecret(`key of ${id}`)
  await seedSealedUsers(
    { db, vault },
    { organizationId, users: USERS, connectors: ['sandbox-vault'], secretOf, mode: 'production' },
  )
  for (let at = 0; at < EVENTS_PER_USER; at++)
    await runSql(
      db,
      `insert into events (organization_id, registered_user_id, type, payload)
       select organization_id, id, 'connection.created', jsonb_build_object('connector', 'sandbox-vault', 'n', ${at})
       from registered_users where organization_id = $1`,
      [organizationId],
    )
  for (let at = 0; at < CALLS_PER_USER; at++)
    await runSql(
      db,
      `insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id, started_at,
         third_party_ms, gateway_ms, arguments_bytes, result_bytes, retention_days)
       select organization_id, uuid_v7(), id, uuid_v7(), 'production', 'sandbox-vault', 'read', 'success', 'req_' || left(id::text, 8),
         now() - interval '${at + 1} days' - random() * interval '12 hours', 120, 3.5, 200, 900, 365
       from registered_users where organization_id = $1`,
      [organizationId],
    )
  await db.close()
}

/** The highest memory use of a running process, in MB. Linux only. */
const peakMemory = (pid: number): number => {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes ?? 0) / 1000
  } catch {
    return 0
  }
}

const run = async (environment: Environment, args: string[]): Promise<Measured> => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [CLI, ...args, '--json'], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, errors, megabytes] = ['', '', 0]
  child.stdout.on('data', chunk => (output += String(chunk)))
  child.stderr.on('data', chunk => (errors += String(chunk)))
  const sampling = setInterval(() => (megabytes = Math.max(megabytes, peakMemory(child.pid as number))), 200)
  const [code] = await once(child, 'close')
  clearInterval(sampling)
  if (code !== 0) throw new Error(`carabiner ${args[0]} failed: ${errors}`)
  return { seconds: (performance.now() - startedAt) / 1000, megabytes, data: JSON.parse(output) }
}

const runTool = (bin: string, tool: string, args: string[]): number => {
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(join(bin, tool), args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${tool} failed: ${stderr}`)
  return (performance.now() - startedAt) / 1000
}

const describe = (name: string, { seconds, megabytes, data }: Measured, size = ''): void =>
  print(
    `${name.padEnd(44)} ${seconds.toFixed(1).padStart(6)} s  ${Math.round(Number(data.rows) / seconds)} rows/s  ${Math.round(megabytes)} MB memory${size && `  ${size}`}`,
  )

const prove = async (cluster: Cluster, folder: string): Promise<string[]> => {
  const environment = (settings: Environment): Environment => ({
    KEY_FILE: join(folder, 'vault.key'),
    TOMBSTONE_PATH: join(folder, 'deleted-users.log'),
    ...settings,
  })
  const database = (name: string): Environment => {
    runTool(cluster.bin, 'createdb', ['-h', '127.0.0.1', '-p', String(cluster.port), '-U', 'postgres', name])
    return environment({ DATABASE_URL: `${cluster.url}/${name}` })
  }
  const file = (name: string) => join(folder, name)
  const source = database('source')
  const embedded = environment({ DATA_DIRECTORY: file('data') })
  await seed({ ...source, DATABASE_TIMEOUT_MS: '600000' })
  spawnSync('touch', [source.TOMBSTONE_PATH as string])
  const backup = await run(source, ['backup', '--to', file('postgres.backup')])
  print(`${USERS} users, ${String(backup.data.rows)} rows`)
  describe('backup of PostgreSQL', backup, sizeOf(file('postgres.backup')))
  const dump = runTool(cluster.bin, 'pg_dump', ['-Fc', '-f', file('dump'), source.DATABASE_URL as string])
  print(`${'pg_dump -Fc'.padEnd(44)} ${dump.toFixed(1).padStart(6)} s  ${sizeOf(file('dump'))}`)
  const restored = await run(database('target'), ['restore', file('postgres.backup')])
  describe('restore into PostgreSQL', restored)
  const { DATABASE_URL: dumpTarget = '' } = database('dump_target')
  const load = runTool(cluster.bin, 'pg_restore', ['-d', dumpTarget, file('dump')])
  print(`${'pg_restore'.padEnd(44)} ${load.toFixed(1).padStart(6)} s`)
  describe('restore into the embedded database', await run(embedded, ['restore', file('postgres.backup')]))
  const second = await run(embedded, ['backup', '--to', file('embedded.backup')])
  describe('backup of the embedded database', second, sizeOf(file('embedded.backup')))
  const back = await run(database('back'), ['restore', file('embedded.backup')])
  describe('restore of it into PostgreSQL', back)
  const ratio = (a: number, b: number) => (a / b).toFixed(2)
  print(
    `ratio to pg_dump: time ${ratio(backup.seconds, dump)}, size ${ratio(statSync(file('postgres.backup')).size, statSync(file('dump')).size)}; ratio to pg_restore: time ${ratio(restored.seconds, load)}`,
  )
  return compareUsers(source)
}

/** The restores compare all rows with their backup. This compares the last copy with the first database. */
const compareUsers = async (source: Environment): Promise<string[]> => {
  const sums: string[] = []
  for (const url of [source.DATABASE_URL, source.DATABASE_URL?.replace(/source$/, 'back')]) {
    const db = await openDatabase(readConfig({ ...source, DATABASE_URL: url }), createLog('silent'))
    const [row] = await runSql<{ sum: string }>(
      db,
      `select concat_ws(' ', (select sum(hashtextextended(u::text, 0)) from registered_users u),
         (select sum(hashtextextended(c::text, 0)) from credentials c), (select sum(hashtextextended(t::text, 0)) from copied_records t)) as sum`,
    )
    sums.push(row?.sum ?? '')
    await db.close()
  }
  return sums[0] === sums[1] ? [] : [`the last copy differs from the source: ${sums.join(' | ')}`]
}

ensureTools()
const cluster = await startCluster({ max_wal_size: '4GB' })
const folder = mkdtempSync(join(tmpdir(), 'carabiner-proof-'))
// The cluster's child process does not keep this process alive, so a timer does.
const awake = setInterval(() => undefined, 1000)
const problems = await prove(cluster, folder).catch(error => [String(error?.stack ?? error)])
await cluster.stop()
rmSync(folder, { recursive: true, force: true })
clearInterval(awake)
for (const problem of problems) print(`✖ ${problem}`)
if (problems.length === 0) print('✔ the copy that went through both engines is equal to the source')
process.exit(problems.length === 0 ? 0 : 1)
