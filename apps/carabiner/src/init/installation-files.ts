import { randomBytes } from 'node:crypto'
import { isLoopbackHost } from '@carabiner/contract/loopback'

export const TARGETS = ['local', 'server', 'compose'] as const
export type Target = (typeof TARGETS)[number]

export type Installation = {
  target: Target
  /** A PostgreSQL URL; null: the embedded database; with Compose, a bundled PostgreSQL. */
  databaseUrl: string | null
  baseUrl: string
  version: string
  /** The account that owns the files, which the container runs as. */
  owner: string
}

export type InstallationFile = { path: string; text: string; mode: number }

/** Docker assigns its networks from these ranges; the proxy of the machine connects through their gateways. */
const DOCKER_GATEWAYS = '172.16.0.0/12, 192.168.0.0/16'

/** Single quotes keep `#` and `$` in both Node and Docker Compose. */
const setting = (name: string, value: string): string => `${name}='${value}'`

/** Paths are absolute, because commands with --settings may run in another folder, such as those of cron. */
const settingsFile = ({ target, databaseUrl, baseUrl }: Installation, folder: string): InstallationFile => {
  const isCompose = target === 'compose'
  const isProduction = !isLoopback(baseUrl)
  const data = isCompose ? '/var/lib/carabiner' : folder
  const lines = [
    '# Settings of the service. Documentation: docs/reference/configuration.md. This file may contain secrets: keep it private.',
    setting('BASE_URL', baseUrl),
    ...(isProduction ? [setting('NODE_ENV', 'production')] : []),
    ...(isCompose ? [setting('HOST', '0.0.0.0')] : []),
    ...(target === 'local' ? portSetting(baseUrl) : []),
    ...(isCompose
      ? [setting('DATABASE_URL_FILE', '/run/secrets/database-url')]
      : databaseUrl === null
        ? [setting('DATA_DIRECTORY', `${data}/data`)]
        : [setting('DATABASE_URL', databaseUrl)]),
    setting('KEY_FILE', `${data}/keys/vault.key`),
    setting('TOMBSTONE_PATH', `${data}/tombstones/deleted-users.log`),
    ...(isProduction
      ? [
          '# The proxy in front of the service that terminates TLS: its address or range.',
          setting('TRUST_PROXY', isCompose ? DOCKER_GATEWAYS : 'loopback'),
        ]
      : []),
  ]
  return { path: 'carabiner.env', text: `${lines.join('\n')}\n`, mode: 0o600 }
}

/** Without a proxy, the service listens on the port of its address. */
const portSetting = (baseUrl: string): string[] => {
  const { port, protocol } = new URL(baseUrl)
  return [setting('PORT', port || (protocol === 'https:' ? '443' : '80'))]
}

export const isLoopback = (baseUrl: string): boolean => isLoopbackHost(new URL(baseUrl).hostname)

const composeFile = ({ databaseUrl, version, owner }: Installation): InstallationFile => ({
  path: 'compose.yaml',
  mode: 0o644,
  text: `# One node of Carabiner${databaseUrl === null ? ' and PostgreSQL' : ''} on one machine. It listens on loopback: put a proxy with TLS in front of it.
name: carabiner

services:
  carabiner:
    # Built from the source code: docker build -t carabiner:${version} -f CLONE/deploy/docker/Dockerfile CLONE
    image: carabiner:${version}
    # The owner of the folders keys and tombstones.
    user: '${owner}'
    restart: unless-stopped
    stop_grace_period: 35s
    env_file: carabiner.env
    environment:
      HOME: /tmp
    ports:
      - 127.0.0.1:4000:4000
    secrets:
      - database-url
    volumes:
      - ./keys:/var/lib/carabiner/keys
      - ./tombstones:/var/lib/carabiner/tombstones
    cap_drop:
      - ALL
    security_opt:
      - no-new-privileges:true
${databaseUrl === null ? POSTGRES_DEPENDENCY : ''}
${databaseUrl === null ? POSTGRES_SERVICE : ''}secrets:
  database-url:
    file: ./secrets/database-url
${databaseUrl === null ? POSTGRES_END : ''}`,
})

const POSTGRES_DEPENDENCY = `    depends_on:
      postgres:
        condition: service_healthy
`
const POSTGRES_SERVICE = `  postgres:
    image: postgres:17-bookworm
    restart: unless-stopped
    environment:
      POSTGRES_USER: carabiner
      POSTGRES_DB: carabiner
      POSTGRES_PASSWORD_FILE: /run/secrets/postgres-password
    secrets:
      - postgres-password
    volumes:
      - database:/var/lib/postgresql/data
    shm_size: 256mb
    stop_grace_period: 60s
    healthcheck:
      test: ['CMD', 'pg_isready', '-U', 'carabiner', '-d', 'carabiner']
      interval: 5s
      timeout: 5s
      retries: 12

`
const POSTGRES_END = `  postgres-password:
    file: ./secrets/postgres-password

volumes:
  database:
`

/** The folder keeps other accounts out; the containers do not run as the owner of the files. */
const secretFiles = ({ databaseUrl }: Installation): InstallationFile[] => {
  const password = randomBytes(24).toString('hex')
  const url = databaseUrl ?? `postgres://carabiner:${password}@postgres:5432/carabiner`
  return [
    { path: 'secrets/database-url', text: url, mode: 0o444 },
    ...(databaseUrl === null ? [{ path: 'secrets/postgres-password', text: password, mode: 0o444 }] : []),
  ]
}

/** `folder`: absolute path of the installation. */
export const installationFiles = (installation: Installation, folder: string): InstallationFile[] => [
  settingsFile(installation, folder),
  ...(installation.target === 'compose' ? [composeFile(installation), ...secretFiles(installation)] : []),
]
