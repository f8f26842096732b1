import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { Secret } from '../../../server/src/core/secret.ts'
import type { Database } from '../../../server/src/platform/database/database.ts'
import { openPostgres } from '../../../server/src/platform/database/postgres/postgres.ts'
import { type InstalledFolder, installFolder } from '../../../server/test/support/installed-folder.ts'
import { type Child, ROOT, startChild } from '../child.ts'
import { hasRamDisk, startDurableCluster } from '../durable-cluster.ts'
import { GROWTHS } from '../growth/grow.ts'
import { SEED_TIMEOUT_MS, seedUsers } from '../seed.ts'
import { type Gateway, openGateway } from './gateway.ts'

/** The gateway and its peers, all in front of the same upstream server. */
export type McpStage = {
  folder: string
  upstream: string
  gateway: ServedGateway
  /** The same with its database on a RAM disk; null where there is none. */
  ramGateway: ServedGateway | null
  peers: Partial<Record<Peer, string>>
  close(): Promise<void>
}

export type ServedGateway = Gateway & { db: Database }

export const PEERS = ['pass-through', 'mcp-proxy', 'mcp-hub', 'SDK proxy'] as const
export type Peer = (typeof PEERS)[number]

/** The credential of the peers, which do not distinguish users. */
export const SHARED_AUTHORIZATION = 'Bearer bench-shared'
const CALLERS = 64
/** Without existing records, PostgreSQL would plan for an empty table. */
const EXISTING_RECORDS = 100_000
const READY = /ready at (\S+)/

const addressOf = ({ ready }: Child): string => ready[1] ?? ''

const startHub = async (
  folder: string,
  installed: InstalledFolder,
  upstream: string,
): Promise<[Child, string]> => {
  const port = await freePort()
  const config = join(folder, 'hub.json')
  const home = join(folder, 'hub')
  mkdirSync(home)
  const server = { url: `${upstream}/mcp`, headers: { authorization: SHARED_AUTHORIZATION } }
  writeFileSync(config, JSON.stringify({ mcpServers: { bench: server } }))
  const child = await startChild({
    file: relative(ROOT, join(installed.packages, 'node_modules/mcp-hub/dist/cli.js')),
    args: ['--port', String(port), '--config', config],
    nodeArgs: ['--import', join(installed.programs, 'loopback-only.mjs')],
    // If fetch fails, mcp-hub falls back to curl. This PATH does not contain it.
    environment: { PATH: home, HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
    ready: /1\/1 servers started successfully/,
    stderr: 'ignore',
  })
  return [child, `http://localhost:${port}/mcp`]
}

export const openUpstream = async (opened: AsyncDisposableStack): Promise<string> => {
  const child = await startChild({ file: 'bench/src/references/mcp-upstream.ts', ready: READY })
  opened.defer(() => child.stop())
  return addressOf(child)
}

const openPeers = async (
  opened: AsyncDisposableStack,
  folder: string,
  upstream: string,
  withPeers: boolean,
): Promise<McpStage['peers']> => {
  const start = async (file: string, args: string[]): Promise<string> => {
    const child = await startChild({ file, args, ready: READY })
    opened.defer(() => child.stop())
    return addressOf(child)
  }
  const target = [`${upstream}/mcp`, SHARED_AUTHORIZATION]
  const own = { 'pass-through': await start('bench/src/references/pass-through.ts', target) }
  if (!withPeers) return own
  const installed = await installFolder('peers', join(ROOT, 'bench'))
  const peer = (file: string) => relative(ROOT, join(installed.programs, file))
  const [hub, hubAddress] = await startHub(folder, installed, upstream)
  opened.defer(() => hub.stop())
  return {
    ...own,
    'mcp-proxy': await start(peer('mcp-proxy-front.mjs'), [...target, String(await freePort())]),
    'SDK proxy': await start(peer('sdk-proxy.mjs'), target),
    'mcp-hub': hubAddress,
  }
}

type StageOptions = {
  profile?: string | undefined
  /** Settings of the gateway. */
  environment?: Record<string, string>
  /** Whether to start a second gateway with its database on a RAM disk. Default: true. */
  withRamDisk?: boolean
  /** Whether to start third-party proxies. The pass-through is always started. Default: true. */
  withPeers?: boolean
  /** Whether to create existing users and records, which affect query plans but take time. Default: true. */
  withHistory?: boolean
}

type ServedOptions = Pick<StageOptions, 'profile' | 'environment'> & {
  upstream: string
  withHistory: boolean
  onRamDisk: boolean
}

const openServed = async (
  opened: AsyncDisposableStack,
  { upstream, withHistory, onRamDisk, ...options }: ServedOptions,
): Promise<ServedGateway> => {
  const { url } = await startDurableCluster(opened, onRamDisk)
  const db = await openPostgres({
    url: new Secret(url),
    poolSize: 2,
    timeoutMs: SEED_TIMEOUT_MS,
    onIdleError: () => undefined,
  })
  opened.defer(() => db.close())
  const gateway = await openGateway(opened, { databaseUrl: url, db, upstream, users: CALLERS, ...options })
  if (withHistory) {
    await seedUsers(db, gateway.service.demo.organizationId)
    await GROWTHS.records.grow(db, EXISTING_RECORDS)
  }
  await db.script('vacuum analyze')
  await db.script('checkpoint')
  return { ...gateway, db }
}

export const openMcpStage = async ({
  profile,
  environment,
  withPeers = true,
  withHistory = true,
  withRamDisk = true,
}: StageOptions = {}): Promise<McpStage> => {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const upstream = await openUpstream(opened)
  const shared = { upstream, withHistory, ...(environment && { environment }) }
  const gateway = await openServed(opened, { ...shared, profile, onRamDisk: false })
  const ramGateway =
    withRamDisk && hasRamDisk() ? await openServed(opened, { ...shared, onRamDisk: true }) : null
  const peers = await openPeers(opened, folder, upstream, withPeers)
  const closing = opened.move()
  return { folder, upstream, gateway, ramGateway, peers, close: () => closing.disposeAsync() }
}
