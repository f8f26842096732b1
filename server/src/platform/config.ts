import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { isLoopbackHost } from '@carabiner/contract/loopback'
import { isLoopbackAddress } from '../core/addresses/loopback.ts'
import { SECOND } from '../core/duration.ts'
import { Secret } from '../core/secret.ts'
import { CELL_NAME } from './cell-map.ts'
import type { CellSettings } from './cells.ts'
import {
  type MailSettings,
  readMail,
  readSingleSignOn,
  type SingleSignOnSettings,
} from './member-sign-in-settings.ts'
import { readDnsServers, readStandIns } from './outbound-settings.ts'
import type { TracingSettings } from './tracing/tracing.ts'
import { readTracingSettings } from './tracing/tracing-settings.ts'

const ROLES = ['all', 'api', 'worker'] as const
export type Role = (typeof ROLES)[number]

export type TlsFiles = { certificate: string; key: string }

export type Config = {
  production: boolean
  /** Development means a base_url on loopback without NODE_ENV=production. The sandbox exists only then. */
  development: boolean
  host: string
  port: number
  /** `api`: serves requests. `worker`: runs jobs. Default: `all`. */
  role: Role
  /** Processes that serve requests. Default: 1. */
  processes: number
  /** The listener for Prometheus. Default: none. */
  metrics: { host: string; port: number } | undefined
  /** Where spans are exported to. Default: tracing is off. */
  tracing: TracingSettings | undefined
  baseUrl: string
  linkUrl: string
  /** Default: the embedded database in `dataDirectory`. */
  databaseUrl: Secret | undefined
  /** The database behind `databaseUrl`, if that is a pooler in transaction mode. Default: none. */
  databaseDirectUrl: Secret | undefined
  /** Whether connections prepare statements under names, which some poolers do not support. */
  databasePreparedStatements: boolean
  /** A replica of `databaseUrl` for lists. Default: none. */
  databaseReplicaUrl: Secret | undefined
  databaseReplicaMaxLagMs: number
  databasePoolSize: number
  databaseTimeoutMs: number
  /** `async`: the reservation of a call does not wait for the disk. */
  admissionCommit: 'sync' | 'async'
  /** How long a stopping process serves requests before it closes its listener, so that load balancers notice. */
  drainDelayMs: number
  /** Hours for which the approval of a task may wait for its decision. */
  taskApprovalHours: number
  credentialWarningDays: number
  dataDirectory: string
  keyFile: string
  /** The deleted-user log. It is kept outside the database, so that restoring a backup does not restore them. */
  tombstonePath: string
  /** A module that wraps keys with a key service, instead of a vault key. */
  keyProvider: string | undefined
  vaultKey: Secret | undefined
  /** Vault keys replaced by a rotation, which still decrypt. `keyFile` contains its own. */
  previousVaultKeys: Secret[]
  tls: TlsFiles | undefined
  trustProxy: string | undefined
  sandboxPort: number
  /** Development: a sandbox in another process, shared by several nodes. Default: the service starts its own. */
  sandboxUrl: string | undefined
  /** The operator's connector files, in addition to the shipped ones. */
  connectorsDirectory: string | undefined
  /** Shipped connectors to offer. Default: all. */
  connectors: string[] | undefined
  /** Development only: origins of providers, and the loopback origins to call instead. */
  standIns: Record<string, string>
  /** Name servers for outbound calls. Default: the system's. */
  dnsServers: string[] | undefined
  /** This installation is one of several that share `baseUrl`. Default: it is the only one. */
  cell: CellSettings | undefined
  migrate: boolean
  logLevel: string
  /** The identity provider at which people sign in to the dashboard. Default: none. */
  singleSignOn: SingleSignOnSettings | undefined
  /** How invitations are sent. Default: they are links to copy. */
  mail: MailSettings | undefined
  /** The service's own OAuth apps, by connector slug. */
  oauthApps: Map<string, { clientId: string; clientSecret: Secret; testMode?: boolean }>
}

export class ConfigError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map(p => `  - ${p}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.problems = problems
  }
}

type Environment = Record<string, string | undefined>

const MAX_PROCESSES = 256
/** Lets a container or virtual machine serve plain HTTP to the machine that runs it. */
const PLAIN_HTTP = 'ALLOW_PLAIN_HTTP_IN_DEVELOPMENT'
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Reads every setting and reports all problems at once, so that one restart is enough to fix a deployment. */
export const readConfig = (
  environment: Environment,
  args: string[] = [],
  readFile = readSecretFile,
): Config => {
  const problems: string[] = []
  const production = environment.NODE_ENV === 'production'

  const setting = (name: string): string | undefined => environment[name]?.trim() || undefined

  const secret = (name: string): Secret | undefined => {
    const file = setting(`${name}_FILE`)
    if (file && setting(name)) problems.push(`Set either ${name} or ${name}_FILE, not both.`)
    if (!file) return setting(name) ? new Secret(setting(name) as string) : undefined
    try {
      const text = readFile(file)
      if (text) return new Secret(text)
      problems.push(`${name}_FILE is an empty file: ${file}.`)
      return undefined
    } catch (error) {
      problems.push(
        `${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'} at ${file}.`,
      )
      return undefined
    }
  }

  const integer = (name: string, fallback: number, min: number, max: number, alternative = ''): number => {
    const text = setting(name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    problems.push(`${name} must be ${alternative}a whole number from ${min} to ${max}, not "${text}".`)
    return fallback
  }

  const address = (name: string, fallback: string): URL => {
    const text = setting(name) ?? fallback
    const url = URL.canParse(text) ? new URL(text) : null
    if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password)
      return url
    problems.push(`${name} must be an http(s) address without query or fragment, not "${text}".`)
    return new URL(fallback)
  }

  const port = integer('PORT', 4000, 0, 65_535)
  const baseUrl = address('BASE_URL', `http://localhost:${port}`)
  const linkUrl = address('LINK_URL', `${withoutSlash(baseUrl.href)}/link`)
  const loopback = isLoopbackHost(baseUrl.hostname)
  const development = loopback && !production

  const certificate = setting('TLS_CERTIFICATE_FILE')
  const key = setting('TLS_KEY_FILE')
  if (Boolean(certificate) !== Boolean(key))
    problems.push('TLS_CERTIFICATE_FILE and TLS_KEY_FILE must be set together.')
  const tls = certificate && key ? { certificate, key } : undefined
  const trustProxy = setting('TRUST_PROXY')

  for (const [name, url] of [
    ['BASE_URL', baseUrl],
    ['LINK_URL', linkUrl],
  ] as const) {
    const mayBePlain = development && isLoopbackHost(url.hostname)
    if (url.protocol !== 'https:' && !mayBePlain)
      problems.push(`${name} must be https; http is for development on loopback only.`)
  }
  const host = setting('HOST') ?? (development ? 'localhost' : '0.0.0.0')
  const allowsPlain = setting(PLAIN_HTTP)
  if (allowsPlain && allowsPlain !== 'yes') problems.push(`${PLAIN_HTTP} must be yes.`)
  if (allowsPlain && !development)
    problems.push(`${PLAIN_HTTP} is for a BASE_URL on loopback without NODE_ENV=production.`)
  const isExposed = !development || !isLoopbackAddress(host)
  if (isExposed && !tls && !trustProxy && !(development && allowsPlain))
    problems.push(
      `HOST=${host} with plain HTTP requires a proxy that terminates TLS: set TRUST_PROXY to its address or range, or serve TLS with TLS_CERTIFICATE_FILE and TLS_KEY_FILE.${development ? ` In development, HOST=localhost needs neither. In a container or virtual machine that others cannot reach, set ${PLAIN_HTTP}=yes.` : ''}`,
    )

  const postgresUrl = (name: string): Secret | undefined => {
    const url = secret(name)
    if (url && !/^postgres(ql)?:\/\//.test(url.reveal()))
      problems.push(`${name} must be a postgres:// address.`)
    return url
  }
  const databaseUrl = postgresUrl('DATABASE_URL')
  const databaseDirectUrl = postgresUrl('DATABASE_DIRECT_URL')
  const databaseReplicaUrl = postgresUrl('DATABASE_REPLICA_URL')
  for (const [name, url] of [
    ['DATABASE_DIRECT_URL', databaseDirectUrl],
    ['DATABASE_REPLICA_URL', databaseReplicaUrl],
  ] as const)
    if (url && !databaseUrl) problems.push(`${name} requires DATABASE_URL.`)

  // Poolers in transaction mode do not support names by default.
  const preparedStatements = setting('DATABASE_PREPARED_STATEMENTS') ?? (databaseDirectUrl ? 'off' : 'on')
  if (preparedStatements !== 'on' && preparedStatements !== 'off')
    problems.push('DATABASE_PREPARED_STATEMENTS must be on or off.')

  const admissionCommit = setting('ADMISSION_COMMIT') ?? 'sync'
  if (admissionCommit !== 'sync' && admissionCommit !== 'async')
    problems.push('ADMISSION_COMMIT must be sync or async.')

  const role = ROLES.find(known => known === (setting('ROLE') ?? 'all'))
  if (!role) problems.push(`ROLE must be one of ${ROLES.join(', ')}.`)
  if (role && role !== 'all' && !databaseUrl)
    problems.push(
      `ROLE=${role} requires DATABASE_URL, because only one process can use the embedded database.`,
    )

  const processes =
    setting('PROCESSES') === 'auto'
      ? databaseUrl && role !== 'worker'
        ? Math.min(availableParallelism(), MAX_PROCESSES)
        : 1
      : integer('PROCESSES', 1, 1, MAX_PROCESSES, '"auto" or ')
  if (processes > 1 && !databaseUrl)
    problems.push(
      'PROCESSES requires DATABASE_URL, because only one process can use the embedded database. Remove PROCESSES, or set DATABASE_URL.',
    )

  if (processes > 1 && role === 'worker')
    problems.push('PROCESSES must be 1 with ROLE=worker, because one process runs all jobs of a node.')

  const metricsPort = integer('METRICS_PORT', 0, 1, 65_535)
  if (metricsPort !== 0 && metricsPort === port)
    problems.push('METRICS_PORT must differ from PORT, because metrics are not public.')
  if (setting('METRICS_ADDRESS') && metricsPort === 0) problems.push('METRICS_ADDRESS requires METRICS_PORT.')

  const vaultKey = secret('VAULT_KEY')
  const previousVaultKeys = secret('VAULT_KEY_PREVIOUS')
  if (previousVaultKeys && !vaultKey)
    problems.push(
      'VAULT_KEY_PREVIOUS requires VAULT_KEY. Previous keys of KEY_FILE are additional lines of that file.',
    )

  const keyProvider = setting('KEY_PROVIDER')
  if (keyProvider && vaultKey) problems.push('Set either KEY_PROVIDER or VAULT_KEY, not both.')

  const logLevel = setting('LOG_LEVEL') ?? (development ? 'warn' : 'info')
  if (!LOG_LEVELS.includes(logLevel)) problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`)

  const config: Config = {
    production,
    development,
    host,
    port,
    role: role ?? 'all',
    processes,
    metrics:
      metricsPort === 0 ? undefined : { host: setting('METRICS_ADDRESS') ?? '127.0.0.1', port: metricsPort },
    tracing: readTracingSettings({ setting, secret, integer, problems }),
    baseUrl: withoutSlash(baseUrl.href),
    linkUrl: withoutSlash(linkUrl.href),
    databaseUrl,
    databaseDirectUrl,
    databasePreparedStatements: preparedStatements === 'on',
    databaseReplicaUrl,
    databaseReplicaMaxLagMs: integer('DATABASE_REPLICA_MAX_LAG', 5, 2, 3600) * SECOND,
    databasePoolSize: integer('DATABASE_POOL_SIZE', 8, 1, 100),
    databaseTimeoutMs: integer('DATABASE_TIMEOUT_MS', 5000, 100, 600_000),
    admissionCommit: admissionCommit === 'async' ? 'async' : 'sync',
    taskApprovalHours: integer('TASK_APPROVAL_HOURS', 24, 1, 168),
    credentialWarningDays: integer('CREDENTIAL_WARNING_DAYS', 3, 1, 30),
    drainDelayMs: integer('DRAIN_DELAY', development ? 0 : 8, 0, 20) * SECOND,
    dataDirectory: setting('DATA_DIRECTORY') ?? './data',
    keyFile: setting('KEY_FILE') ?? './keys/vault.key',
    tombstonePath: setting('TOMBSTONE_PATH') ?? './tombstones/deleted-users.log',
    keyProvider,
    vaultKey,
    previousVaultKeys: splitKeys(previousVaultKeys),
    tls,
    trustProxy,
    sandboxUrl: development ? setting('SANDBOX_URL') : undefined,
    sandboxPort: integer('SANDBOX_PORT', 4001, 0, 65_535),
    connectorsDirectory: setting('CONNECTORS_DIRECTORY'),
    connectors: setting('CONNECTORS')
      ?.split(/[\s,]+/)
      .filter(Boolean),
    standIns: readStandIns(setting('STAND_INS'), development, problems),
    dnsServers: readDnsServers(setting('DNS_SERVERS'), problems),
    cell: readCell(setting('CELL'), setting('CELL_MAP'), problems),
    singleSignOn: readSingleSignOn({ setting, secret, problems }, development),
    mail: readMail({ setting, secret, problems }),
    migrate: !args.includes('--no-migrate'),
    logLevel,
    oauthApps: readOAuthApps(environment, secret, problems),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

const readCell = (
  name: string | undefined,
  mapPath: string | undefined,
  problems: string[],
): CellSettings | undefined => {
  if (!name && !mapPath) return undefined
  if (!name || !mapPath) {
    problems.push('CELL and CELL_MAP must be set together.')
    return undefined
  }
  if (CELL_NAME.test(name)) return { name, mapPath }
  problems.push(
    `CELL must be a name of up to 63 letters, digits, "-" and "_" that starts with a letter or digit, not "${name}".`,
  )
  return undefined
}

/** OAUTH_GOOGLE_DRIVE_CLIENT_ID and OAUTH_GOOGLE_DRIVE_CLIENT_SECRET configure the app of `google-drive`. */
const readOAuthApps = (
  environment: Environment,
  secret: (name: string) => Secret | undefined,
  problems: string[],
): Config['oauthApps'] => {
  const apps: Config['oauthApps'] = new Map()
  for (const name of Object.keys(environment)) {
    const match = /^OAUTH_([A-Z0-9_]+)_CLIENT_ID$/.exec(name)
    const clientId = match && environment[name]?.trim()
    if (!match?.[1] || !clientId) continue
    const clientSecret = secret(`OAUTH_${match[1]}_CLIENT_SECRET`)
    const testMode = environment[`OAUTH_${match[1]}_TEST_MODE`]?.trim() === 'true'
    if (clientSecret)
      apps.set(match[1].toLowerCase().replaceAll('_', '-'), { clientId, clientSecret, testMode })
    else problems.push(`${name} requires OAUTH_${match[1]}_CLIENT_SECRET.`)
  }
  return apps
}

const splitKeys = (keys: Secret | undefined): Secret[] =>
  keys
    ?.reveal()
    .split(/[\s,]+/)
    .map(key => new Secret(key)) ?? []

const readSecretFile = (path: string): string => readFileSync(path, 'utf8').trim()
const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
