import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres } from '../../../../scripts/machine.ts'
import { freePort, postgresUser } from '../../../../scripts/postgres-cluster.ts'
import { eventually } from '../eventually.ts'

const NODES = ['a', 'b'] as const
type NodeName = (typeof NODES)[number]
type PatroniNode = { name: NodeName; folder: string; port: number; apiPort: number; process?: ChildProcess }
type Member = { name: NodeName; role: string; state: string; lag?: number | 'unknown' }

/** PostgreSQL with a synchronous replica, managed by Patroni and etcd, behind HAProxy. */
export type PatroniCluster = {
  /** The primary, whichever node that is. */
  url: string
  /** Kills Patroni and PostgreSQL on the node of the primary (SIGKILL). Returns its name. */
  killPrimary(): Promise<NodeName>
  /** Starts the node again, and waits until it is the synchronous replica. */
  restore(name: NodeName): Promise<void>
  stop(): Promise<void>
}

/** Seconds. Patroni accepts no shorter `ttl`, which is most of the time of a failover. */
const TIMING = { ttl: 20, loop_wait: 1, retry_timeout: 3 }

const HBA = [
  'local all all trust',
  'host all all 127.0.0.1/32 trust',
  'host replication all 127.0.0.1/32 trust',
]

const configOf = (node: PatroniNode, etcdPort: number) => ({
  scope: 'carabiner',
  name: node.name,
  restapi: { listen: `127.0.0.1:${node.apiPort}`, connect_address: `127.0.0.1:${node.apiPort}` },
  etcd3: { host: `127.0.0.1:${etcdPort}` },
  bootstrap: {
    dcs: {
      ...TIMING,
      synchronous_mode: true,
      postgresql: {
        use_pg_rewind: true,
        parameters: {
          max_connections: 200,
          wal_log_hints: 'on',
          synchronous_commit: 'on',
          wal_keep_size: '512MB',
        },
      },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, { auth: 'trust' }],
    pg_hba: HBA,
  },
  postgresql: {
    listen: `127.0.0.1:${node.port}`,
    connect_address: `127.0.0.1:${node.port}`,
    data_dir: join(node.folder, 'data'),
    bin_dir: findPostgres(),
    pgpass: join(node.folder, 'pgpass'),
    pg_hba: HBA,
    authentication: {
      superuser: { username: 'postgres', password: 'postgres' },
      replication: { username: 'replicator', password: 'replicator' },
    },
    parameters: { unix_socket_directories: node.folder },
  },
})

const haproxyConfig = (port: number, nodes: PatroniNode[]): string => `
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
listen postgres
    bind 127.0.0.1:${port}
    option httpchk GET /primary
    default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, port: own, apiPort }) => `    server ${name} 127.0.0.1:${own} check port ${apiPort}`).join('\n')}
`

export const startPatroniCluster = async (opened: AsyncDisposableStack): Promise<PatroniCluster> => {
  const user = postgresUser()
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-patroni-'))
  chmodSync(folder, 0o755)
  opened.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const ownFolder = (name: string): string => {
    const path = join(folder, name)
    mkdirSync(path, { mode: 0o700 })
    if (user) chownSync(path, user.uid, user.gid)
    return path
  }
  const run = (command: string, args: string[], cwd: string): ChildProcess => {
    const child = spawn(command, args, {
      cwd,
      stdio: 'ignore',
      ...user,
      // etcd refuses to run on arm64 without this.
      env: { PATH: `/usr/bin:/usr/sbin:/bin:${process.env.PATH}`, ETCD_UNSUPPORTED_ARCH: process.arch },
    })
    opened.defer(async () => void child.kill('SIGKILL'))
    return child
  }

  const etcdPort = await freePort()
  const peerPort = await freePort()
  const etcdFolder = ownFolder('etcd')
  const client = `http://127.0.0.1:${etcdPort}`
  const etcdArguments = [
    '--data-dir',
    etcdFolder,
    '--listen-client-urls',
    client,
    '--advertise-client-urls',
    client,
  ]
  run('etcd', [...etcdArguments, '--listen-peer-urls', `http://127.0.0.1:${peerPort}`], etcdFolder)
  await eventually(async () => {
    if (!(await fetch(`${client}/health`)).ok) throw new Error('etcd is not ready')
  })

  const nodes: PatroniNode[] = []
  for (const name of NODES)
    nodes.push({ name, folder: ownFolder(name), port: await freePort(), apiPort: await freePort() })
  const nodeOf = (name: NodeName): PatroniNode => nodes.find(node => node.name === name) as PatroniNode
  const start = (node: PatroniNode): void => {
    const path = join(node.folder, 'patroni.json')
    // JSON is YAML.
    writeFileSync(path, JSON.stringify(configOf(node, etcdPort)), { mode: 0o644 })
    node.process = run('patroni', [path], node.folder)
  }
  const members = async (): Promise<Member[]> => {
    for (const { apiPort } of nodes) {
      const answer = await fetch(`http://127.0.0.1:${apiPort}/cluster`).catch(() => null)
      if (answer) return ((await answer.json()) as { members?: Member[] }).members ?? []
    }
    return []
  }
  const untilSynchronous = () =>
    eventually(async () => {
      const roles = (await members()).map(({ role, state }) => `${role} ${state}`).toSorted()
      if (!/^leader running,sync_standby (running|streaming)$/.test(roles.join()))
        throw new Error(roles.join())
    }, 300_000)

  const [first, second] = nodes as [PatroniNode, PatroniNode]
  start(first)
  await eventually(async () => {
    if (!(await fetch(`http://127.0.0.1:${first.apiPort}/primary`)).ok) throw new Error('no primary')
  })
  start(second)
  opened.defer(async () => nodes.forEach(killNode))
  await untilSynchronous()

  const port = await freePort()
  const haproxyFolder = ownFolder('haproxy')
  const haproxyPath = join(haproxyFolder, 'haproxy.cfg')
  writeFileSync(haproxyPath, haproxyConfig(port, nodes), { mode: 0o644 })
  run('haproxy', ['-db', '-f', haproxyPath], haproxyFolder)

  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    killPrimary: async () => {
      const leader = (await members()).find(({ role }) => role === 'leader')
      if (!leader) throw new Error('there is no primary')
      killNode(nodeOf(leader.name))
      return leader.name
    },
    restore: async name => {
      start(nodeOf(name))
      await untilSynchronous()
    },
    stop: () => opened.disposeAsync(),
  }
}

/** Patroni first, which would start PostgreSQL again. */
const killNode = ({ folder, process: patroni }: PatroniNode): void => {
  patroni?.kill('SIGKILL')
  const [line] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')
  const server = Number(line)
  const children = execFileSync('sh', ['-c', `pgrep -P ${server} || true`], { encoding: 'utf8' })
  for (const pid of [server, ...children.split('\n').filter(Boolean).map(Number)]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has already ended.
    }
  }
}
