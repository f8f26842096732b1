import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startSandbox } from '@carabiner/sandbox'
import pg from 'pg'
import { hashToken, type Token } from '../server/src/core/token.ts'
import { createBrowserUser, linkNotes } from '../server/test/support/browser-user.ts'
import { eventually } from '../server/test/support/eventually.ts'
import { type Acknowledged, longestGap, startFailoverLoad } from '../server/test/support/failover/load.ts'
import { startPatroniCluster } from '../server/test/support/failover/patroni.ts'
import { post, startFleet } from '../server/test/support/processes.ts'
import { ensureTools } from './machine.ts'
import { freePort } from './postgres-cluster.ts'

/**
 * `npm run proof:failover`: three processes of the service on a PostgreSQL with a synchronous replica (Patroni, etcd, HAProxy). Kills the
 * primary under load, again and again. Every acknowledged write must exist afterwards. Takes about half an hour; `-- --kills 3` takes a few
 * minutes.
 */
const { values } = parseArgs({ options: { kills: { type: 'string', default: '20' } } })
const KILLS = Number(values.kills)
const CODES_PER_KILL = 4
/** Load before each kill, and after each failover. */
const LOAD_MS = 3000
const NOTES = 'sandbox-notes'
const CALLBACK = 'https://app.example.com/callback'

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const problems: string[] = []

/** Acknowledged writes that do not exist. */
const findLost = async (db: pg.Client, acknowledged: Acknowledged): Promise<string[]> => {
  const missing = async (
    what: string,
    wanted: string[],
    sql: string,
    parameter: unknown[],
  ): Promise<string[]> => {
    const found = new Set((await db.query(sql, [parameter])).rows.map(({ id }) => String(id)))
    return wanted.filter(id => !found.has(id)).map(id => `${what} ${id} was acknowledged and does not exist`)
  }
  const hashes = acknowledged.linkTokens.map(token => hashToken(token as Token))
  return [
    ...(await missing(
      'link token with the hash',
      hashes.map(hash => hash.toString('hex')),
      `select encode(secret_hash, 'hex') as id from link_sessions where secret_hash = any($1::bytea[])`,
      hashes,
    )),
    ...(await missing(
      'call',
      acknowledged.calls,
      `select request_id as id from tool_calls where outcome = 'success' and request_id = any($1::text[])`,
      acknowledged.calls,
    )),
    ...(await missing(
      'confirmed credential of',
      acknowledged.confirmedUsers,
      `select registered_user_id as id from credentials where status = 'active' and registered_user_id = any($1::uuid[])`,
      acknowledged.confirmedUsers,
    )),
  ]
}

const prove = async (opened: AsyncDisposableStack): Promise<number[]> => {
  print('starting etcd, Patroni with two nodes, HAProxy …')
  const cluster = await startPatroniCluster(opened)
  const port = await freePort()
  const redirectUris = [`http://localhost:${port}/oauth/callback/${NOTES}`]
  const client = { id: 'carabiner', secret: 'a-secret-of-this-proof', redirectUris }
  const sandbox = await startSandbox({ client })
  opened.defer(() => sandbox.close())
  const fleet = await startFleet('postgres', {
    port,
    database: { engine: 'postgres', url: cluster.url, folder: undefined, drop: async () => undefined },
    environment: {
      SANDBOX_URL: sandbox.url,
      OAUTH_SANDBOX_NOTES_CLIENT_ID: client.id,
      OAUTH_SANDBOX_NOTES_CLIENT_SECRET: client.secret,
      DATABASE_TIMEOUT_MS: '5000',
    },
  })
  opened.defer(() => fleet.stop())
  const nodes = [fleet.first, await fleet.start(), await fleet.start()]
  const api = `${fleet.first.baseUrl}/api/v1`
  const minted = await post(`${api}/registered-users/${fleet.userId}/link-token`, fleet.key)
  await linkNotes(createBrowserUser(), minted.body.magic_link_url)
  const issueCode = async () => {
    const user = await post(`${api}/registered-users`, fleet.key, { origin_user_id: crypto.randomUUID() })
    const target = { Connector: NOTES, callback_url: CALLBACK, state: 's' }
    const link = await post(`${api}/registered-users/${user.body.id}/link-token`, fleet.key, target)
    const browser = createBrowserUser()
    await linkNotes(browser, link.body.magic_link_url)
    const code = new URL(browser.lastLocation ?? '').searchParams.get('code') as string
    return { code, userId: user.body.id as string }
  }
  const query = async <T>(work: (db: pg.Client) => Promise<T>): Promise<T> => {
    const db = new pg.Client({ connectionString: cluster.url })
    await db.connect()
    return work(db).finally(() => void db.end())
  }
  await query(db =>
    db.query('insert into callback_origins (organization_id, origin) select id, $1 from organizations', [
      new URL(CALLBACK).origin,
    ]),
  )
  const packId = await query(async db => (await db.query('select id from tool_packs')).rows[0].id as string)
  const target = { key: fleet.key, userId: fleet.userId, packId, tool: `${NOTES}__list_notes` }

  const gaps: number[] = []
  const all: Acknowledged = { linkTokens: [], calls: [], confirmedUsers: [] }
  for (let kill = 1; kill <= KILLS; kill++) {
    const codes = []
    for (let n = 0; n < CODES_PER_KILL; n++) codes.push(await issueCode())
    const load = startFailoverLoad({ baseUrls: nodes.map(({ baseUrl }) => baseUrl), ...target })
    await delay(LOAD_MS)
    load.codes.push(...codes.splice(0, CODES_PER_KILL / 2))
    const killed = await cluster.killPrimary()
    const killedAt = performance.now()
    load.codes.push(...codes)
    await eventually(async () => {
      const writes = load.times.filter(time => time > killedAt + 2000).length
      if (writes < 20) throw new Error('no writes')
    }, 300_000)
    await delay(LOAD_MS)
    await load.stop()
    for (const name of ['linkTokens', 'calls', 'confirmedUsers'] as const)
      all[name].push(...load.acknowledged[name])
    const lost = await query(db => findLost(db, all))
    const gap = longestGap(load.times)
    gaps.push(gap)
    problems.push(...load.unexpected, ...lost)
    print(
      `kill ${kill} of ${KILLS}, node ${killed}: ${gap.toFixed(1)} s without writes, ${load.times.length} writes, ${load.unavailable} answers 503, ${lost.length} lost, ${load.unexpected.length} unexpected answers`,
    )
    for (const problem of [...load.unexpected, ...lost].slice(0, 5)) print(`  ✖ ${problem}`)
    await cluster.restore(killed)
  }
  const alive = nodes.filter(node => node.process.exitCode === null).length
  if (alive !== nodes.length) problems.push(`${nodes.length - alive} processes of the service ended`)
  const connections = await query(
    async db =>
      (
        await db.query(
          `select count(*)::int as n from pg_stat_activity where application_name like 'carabiner%'`,
        )
      ).rows[0].n as number,
  )
  if (connections > nodes.length * 12) problems.push(`${connections} connections are open`)
  print(
    `acknowledged: ${all.linkTokens.length} link tokens, ${all.calls.length} calls, ${all.confirmedUsers.length} confirmed codes; ${connections} connections at the end`,
  )
  return gaps
}

const printGaps = (gaps: number[]): void => {
  const sorted = gaps.toSorted((a, b) => a - b)
  const [min, median, max] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map(n =>
    sorted[n]?.toFixed(1),
  )
  print(`seconds without writes: ${min} min, ${median} median, ${max} max of ${sorted.length}`)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

ensureTools({ patroni: 'patroni', etcd: 'etcd-server' })
const opened = new AsyncDisposableStack()
await prove(opened)
  .then(printGaps)
  .catch((error: Error) => problems.push(String(error.stack ?? error)))
await opened.disposeAsync().catch((error: Error) => problems.push(String(error.stack ?? error)))
for (const problem of problems.slice(0, 20)) print(`✖ ${problem}`)
if (problems.length === 0)
  print('✔ no acknowledged write was lost, and all processes recovered automatically')
process.exit(problems.length === 0 ? 0 : 1)
