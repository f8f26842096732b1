import type { Secret } from '../../core/secret.ts'
import type { Config } from '../../platform/config.ts'

const presence = (secret: unknown): string => (secret === undefined ? 'not set' : 'set')

/** Host, port and path of a URL, without credentials and parameters. */
const withoutCredentials = (url: string): string => {
  if (!URL.canParse(url)) return 'set'
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}
const secretUrl = (url: Secret | undefined): string => (url ? withoutCredentials(url.reveal()) : 'not set')

/** A new setting must be added here, so that it is decided whether it may be shown. */
const SHOWN: { [Name in keyof Config]-?: (config: Config) => unknown } = {
  production: ({ production }) => production,
  development: ({ development }) => development,
  host: ({ host }) => host,
  port: ({ port }) => port,
  role: ({ role }) => role,
  processes: ({ processes }) => processes,
  metrics: ({ metrics }) => metrics ?? null,
  tracing: ({ tracing }) => (tracing ? withoutCredentials(tracing.url) : null),
  baseUrl: ({ baseUrl }) => withoutCredentials(baseUrl),
  linkUrl: ({ linkUrl }) => withoutCredentials(linkUrl),
  databaseUrl: ({ databaseUrl }) => secretUrl(databaseUrl),
  databaseDirectUrl: ({ databaseDirectUrl }) => secretUrl(databaseDirectUrl),
  databasePreparedStatements: ({ databasePreparedStatements }) => databasePreparedStatements,
  databaseReplicaUrl: ({ databaseReplicaUrl }) => secretUrl(databaseReplicaUrl),
  databaseReplicaMaxLagMs: ({ databaseReplicaMaxLagMs }) => databaseReplicaMaxLagMs,
  databasePoolSize: ({ databasePoolSize }) => databasePoolSize,
  databaseTimeoutMs: ({ databaseTimeoutMs }) => databaseTimeoutMs,
  admissionCommit: ({ admissionCommit }) => admissionCommit,
  taskApprovalHours: ({ taskApprovalHours }) => taskApprovalHours,
  credentialWarningDays: ({ credentialWarningDays }) => credentialWarningDays,
  drainDelayMs: ({ drainDelayMs }) => drainDelayMs,
  dataDirectory: ({ dataDirectory }) => dataDirectory,
  keyFile: ({ keyFile }) => keyFile,
  tombstonePath: ({ tombstonePath }) => tombstonePath,
  keyProvider: ({ keyProvider }) => keyProvider ?? null,
  vaultKey: ({ vaultKey }) => presence(vaultKey),
  previousVaultKeys: ({ previousVaultKeys }) => `${previousVaultKeys.length} set`,
  tls: ({ tls }) => presence(tls),
  trustProxy: ({ trustProxy }) => trustProxy ?? null,
  sandboxPort: ({ sandboxPort }) => sandboxPort,
  sandboxUrl: ({ sandboxUrl }) => (sandboxUrl ? withoutCredentials(sandboxUrl) : null),
  connectorsDirectory: ({ connectorsDirectory }) => connectorsDirectory ?? null,
  connectors: ({ connectors }) => connectors ?? 'all',
  standIns: ({ standIns }) => Object.keys(standIns),
  dnsServers: ({ dnsServers }) => dnsServers ?? null,
  cell: ({ cell }) => cell ?? null,
  singleSignOn: ({ singleSignOn }) => (singleSignOn ? withoutCredentials(singleSignOn.issuer) : null),
  mail: ({ mail }) => (mail ? withoutCredentials(mail.url.reveal()) : null),
  migrate: ({ migrate }) => migrate,
  logLevel: ({ logLevel }) => logLevel,
  oauthApps: ({ oauthApps }) => [...oauthApps.keys()],
}

/** All settings, without secrets. */
export const describeSettings = (config: Config): Record<string, unknown> =>
  Object.fromEntries(Object.entries(SHOWN).map(([name, show]) => [name, show(config)]))

/** The texts of all secrets among the settings. */
export const secretsOf = (config: Config): string[] => {
  const { databaseUrl, databaseDirectUrl, databaseReplicaUrl, mail, singleSignOn } = config
  const urls = [databaseUrl, databaseDirectUrl, databaseReplicaUrl, mail?.url].flatMap(
    url => url?.reveal() ?? [],
  )
  const keys = [config.vaultKey, ...config.previousVaultKeys].flatMap(key => key?.reveal() ?? [])
  const apps = [...config.oauthApps.values()].map(({ clientSecret }) => clientSecret.reveal())
  const headers = Object.values(config.tracing?.headers() ?? {})
  const signOn = singleSignOn ? [singleSignOn.clientSecret.reveal()] : []
  return [...urls, ...urls.flatMap(credentialsIn), ...keys, ...apps, ...signOn, ...headers]
}

const credentialsIn = (url: string): string[] => {
  if (!URL.canParse(url)) return []
  const { password, searchParams } = new URL(url)
  return [password, decodeURIComponent(password), searchParams.get('password') ?? '']
}
